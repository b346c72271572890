"""The server as the protocol has it: what is listed, progress, cancellation, a person's word, the client's roots."""

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import version
from tests.conftest import TestClock
from tests.faces.mcp.conftest import ENVELOPE, HANDSHAKE, STRUCTURED_TOOLS, Agent, text_of

from waypost import config
from waypost.context.budget import count_tokens
from waypost.embed.fake import FakeEngine
from waypost.embed.install import status as model_status
from waypost.embed.wordpiece import WordPiece
from waypost.faces.mcp import server_info
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.default_tools import DEFAULT_TOOLS
from waypost.faces.mcp.index_progress import code_notices
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.tool import Cancelled, Tool, ToolCall, ToolReply
from waypost.faces.mcp.workers import MOST

BOTH = pytest.mark.parametrize("mode", [HANDSHAKE, ENVELOPE])
MOST_TOKENS = 2000
_READ_BY_MODELS = ("name", "description", "inputSchema")


def test_the_default_tools_cost_an_agent_less_than_2000_tokens() -> None:
    """What a client puts into the model's context: names, descriptions and schemas of the input."""
    rows = [{key: row[key] for key in _READ_BY_MODELS} for row in server_info.listing(DEFAULT_TOOLS)]
    listed = json.dumps({"tools": rows}, separators=(",", ":"))
    installed = [one.path for one in model_status(config.load(), hashes=False) if one.name == "minilm-l6-v2"]
    exact = [WordPiece.load(path / "vocab.txt").count_tokens(listed) for path in installed if path is not None]
    counts = [-(-len(listed) // 4), count_tokens(listed), *exact]
    assert max(counts) < MOST_TOKENS


@BOTH
@pytest.mark.parametrize("tools", [DEFAULT_TOOLS, STRUCTURED_TOOLS], ids=["text", "structured"])
def test_the_sdk_lists_exactly_what_the_plain_listing_says(agent: Agent, mode: str, tools: Sequence[Tool]) -> None:
    listed = agent.with_client(lambda one: one.list_tools(), tools, mode=mode)
    rows = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
    assert rows == server_info.listing(tools)


def test_an_answer_has_structured_data_only_on_request(agent: Agent) -> None:
    """Claude Code and Codex show a model the data instead of the fenced text."""
    text, both = (
        agent.with_client(lambda one: one.call_tool("remember", {"text": "Tokens live 15 minutes."}), tools)
        for tools in (tools_of("all"), tools_of("all", structured=True))
    )
    assert text.structured_content is None
    assert both.structured_content["id"][:8] in text_of(both)
    assert not any("outputSchema" in row for row in server_info.listing(tools_of("all")))


def test_the_plain_handshake_is_the_one_of_the_sdk(agent: Agent) -> None:
    async def greet(one: Client) -> dict[str, Any]:
        result = one.session.initialize_result
        assert result is not None
        return result.model_dump(by_alias=True, exclude_none=True, mode="json")

    assert agent.with_client(greet) == server_info.initialize_result(
        {"protocolVersion": version.LATEST_HANDSHAKE_VERSION}
    )
    assert server_info.HANDSHAKE_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert server_info.ENVELOPE_VERSIONS == version.MODERN_PROTOCOL_VERSIONS


def test_tools_say_whether_they_only_read_or_destroy() -> None:
    hints = {row["name"]: row["annotations"] for row in server_info.listing(DEFAULT_TOOLS)}
    readers = {"recall", "brief", "about_code", "symbols", "uses", "why"}
    assert {name for name, one in hints.items() if one["readOnlyHint"]} == readers
    assert {name for name, one in hints.items() if one["destructiveHint"]} == {"review"}


def test_every_tool_gives_every_hint_and_reaches_no_open_world() -> None:
    """Codex runs a tool unattended only if it is neither destructive nor reaches an open world; missing hints count as yes."""
    for row in server_info.listing(tools_of("all")):
        assert row["annotations"].keys() == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert not row["annotations"]["openWorldHint"]
        assert not (row["annotations"]["readOnlyHint"] and row["annotations"]["destructiveHint"])


def test_claude_code_lists_every_tool_from_the_start() -> None:
    assert all(row["_meta"] == {"anthropic/alwaysLoad": True} for row in server_info.listing(tools_of("all")))


def test_the_handshake_and_the_listing_open_nothing(agent: Agent, tmp_path: Path) -> None:
    agent.with_client(lambda one: one.list_tools())
    assert not (tmp_path / "home").exists()


def test_an_unknown_tool_is_refused_with_those_there_are(agent: Agent) -> None:
    with pytest.raises(MCPError, match=r"Unknown tool 'forget'.+recall, remember"):
        agent.call("forget")


@BOTH
def test_indexing_reports_progress_that_rises_to_its_end(agent: Agent, mode: str) -> None:
    heard: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        del message
        heard.append((progress, total))

    agent.with_client(lambda one: one.call_tool("status", {"index": True}, progress_callback=note), mode=mode)
    assert heard[-1] == (100, 100)
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})


def test_a_cancelled_call_stops_at_its_next_step_and_the_server_goes_on(agent: Agent) -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(call: ToolCall, _: Mapping[str, Any]) -> ToolReply:
        try:
            for step in range(1_000_000):
                call.report(step, 1_000_000)
                begun.set()
        except Cancelled:
            ended.set()
            raise
        return ToolReply("done")

    async def cancel(one: Client) -> str:
        running = asyncio.create_task(one.call_tool("work", {}))
        await asyncio.to_thread(begun.wait, 10)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert await asyncio.to_thread(ended.wait, 10)
        return text_of(await one.call_tool("status", {}))

    assert "not indexed" in agent.with_client(cancel, (*DEFAULT_TOOLS, Tool("work", "Works.", work)))


@pytest.mark.slow
def test_an_index_that_was_cancelled_says_so_and_is_finished_by_the_next(agent: Agent, shop: Path) -> None:
    for number in range(30):
        (shop / f"part{number}.py").write_text(f"def part{number}():\n    return {number}\n")
    reports, meanwhile = 0, list[str]()

    class Impatient:
        memory = agent.memory

        def report(self, done: float, total: float | None = None, message: str = "") -> None:
            nonlocal reports
            reports += 1
            meanwhile.extend(code_notices(agent.memory, ()))
            if reports > 1:  # the files are read by then, nothing is concluded
                raise Cancelled

        def ask_person(self, question: str) -> bool:
            raise AssertionError(question)

    status = next(tool for tool in DEFAULT_TOOLS if tool.name == "status")
    with pytest.raises(Cancelled):
        status.run(Impatient(), {"index": True})
    assert "being indexed (reading: 31 of 31 files)" in meanwhile[-1]
    for told in (agent.text("status"), agent.text("recall", question="part3"), agent.text("brief", task="part3")):
        assert "The index is incomplete (31 files so far)" in told
    assert agent.data("status")["state"] == "partly indexed"
    assert "31 files" in agent.text("status", index=True)
    assert "not complete" not in agent.text("recall", question="part3")


def test_slow_calls_do_not_hold_up_quick_ones(agent: Agent) -> None:
    waiting = threading.Event()
    slow = Tool("slow", "Waits.", lambda call, given: ToolReply("late") if waiting.wait(10) else ToolReply("never"))

    async def race(one: Client) -> list[str]:
        order: list[str] = []

        async def call(name: str) -> None:
            order.append(text_of(await one.call_tool(name, {}))[:4])

        late = asyncio.create_task(call("slow"))
        await call("quick")
        waiting.set()
        await late
        return order

    tools = (slow, Tool("quick", "Answers.", lambda call, given: ToolReply("soon")))
    assert agent.with_client(race, tools) == ["soon", "late"]


# -- a person's word ------------------------------------------------------------------------------------------------


class Person:
    """Answers what the client asks them."""

    def __init__(self, action: str, *, confirm: object = True) -> None:
        self.answer = types.ElicitResult.model_validate(
            {"action": action, **({"content": {"confirm": confirm}} if action == "accept" else {})}
        )
        self.asked: list[str] = []

    async def __call__(self, _: object, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.answer


def review(agent: Agent, person: Person | None, mode: str, **arguments: Any) -> types.CallToolResult:
    result: types.CallToolResult = agent.with_client(
        lambda one: one.call_tool("review", arguments), mode=mode, elicitation_callback=person
    )
    return result


@BOTH
def test_forgetting_asks_the_person_and_is_done_as_their_word(agent: Agent, mode: str) -> None:
    kept = agent.data("remember", text="Tokens live 15 minutes.")
    person = Person("accept")
    assert not review(agent, person, mode, action="forget", id=kept["id"]).is_error
    assert len(person.asked) == 1
    assert "permanently" in person.asked[0]
    assert "Tokens live 15 minutes." in person.asked[0]
    entry = next(one for one in agent.memory.admin.audit() if one.action == "forget")
    assert entry.source == "person"
    assert "There is no memory" in agent.refusal("recall", question=kept["id"])


@BOTH
@pytest.mark.parametrize(
    "person", [Person("decline"), Person("cancel"), Person("accept", confirm=False), Person("accept", confirm="true")]
)
def test_without_a_clear_yes_nothing_is_changed(agent: Agent, mode: str, person: Person) -> None:
    kept = agent.data("remember", text="Tokens live 15 minutes.")
    for action in ("reject", "forget"):
        result = review(agent, person, mode, action=action, id=kept["id"])
        assert result.is_error
        assert "The user said no" in text_of(result)
    assert agent.data("recall", question=kept["id"])["hits"]


@BOTH
def test_a_client_that_cannot_ask_the_person_is_refused_and_told_what_they_can_do(agent: Agent, mode: str) -> None:
    kept = agent.data("remember", text="Tokens live 15 minutes.")
    result = review(agent, None, mode, action="reject", id=kept["id"])
    assert result.is_error
    assert "cannot ask" in text_of(result)
    assert "waypost reject ID" in text_of(result)
    assert agent.data("recall", question=kept["id"])["hits"]


def test_a_yes_to_one_question_is_none_to_another(agent: Agent) -> None:
    first, second = (agent.data("remember", text=f"Fact number {n} about paying.")["id"] for n in ("one", "two"))

    async def cheat(one: Client) -> Any:
        asked = await one.session.call_tool("review", {"action": "forget", "id": first}, allow_input_required=True)
        assert isinstance(asked, types.InputRequiredResult)
        [key] = asked.input_requests or {}
        yes = types.ElicitResult(action="accept", content={"confirm": True})
        return await one.session.call_tool(
            "review", {"action": "forget", "id": second}, input_responses={key: yes}, allow_input_required=True
        )

    answer = agent.with_client(cheat, mode=ENVELOPE, elicitation_callback=Person("accept"))
    assert isinstance(answer, types.InputRequiredResult)
    assert agent.data("recall", question=second)["hits"]


@pytest.mark.parametrize("takes_back", [True, False])
def test_questions_that_nobody_answers_hold_up_no_other_call(agent: Agent, takes_back: bool) -> None:
    gave_up = threading.Semaphore(0)

    def ask(call: ToolCall, _: Mapping[str, Any]) -> ToolReply:
        try:
            return ToolReply(str(call.ask_person("Well?")))
        except Cancelled:
            gave_up.release()
            raise

    async def work(one: Client) -> str:
        calls = [asyncio.create_task(one.call_tool("ask", {})) for _ in range(MOST + 1)]
        for _ in calls:
            await asked.acquire()
        if takes_back:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            assert all([await asyncio.to_thread(gave_up.acquire, timeout=5) for _ in calls])
        told = text_of(await one.call_tool("quick", {}))
        away.set()
        await asyncio.gather(*calls, return_exceptions=True)
        return told

    async def never(_: object, __: object) -> types.ElicitResult:
        asked.release()
        await away.wait()
        return types.ElicitResult(action="cancel")

    asked, away = asyncio.Semaphore(0), asyncio.Event()
    tools = (Tool("ask", "Asks.", ask), Tool("quick", "Answers.", lambda call, given: ToolReply("soon")))
    assert agent.with_client(work, tools, elicitation_callback=never) == "soon"


def test_a_candidate_is_listed_and_approved_by_the_person(agent: Agent, shop: Path) -> None:
    candidate = propose(agent)
    listed = agent.data("review")
    assert [row["id"] for row in listed["candidates"]] == [candidate]
    assert "Only the user decides" in agent.text("review")
    assert not review(agent, Person("accept"), HANDSHAKE, action="approve", id=candidate).is_error
    assert agent.memory.show(candidate).version.source == "person"


def test_a_candidate_is_put_right_and_rejected_by_the_person(agent: Agent) -> None:
    candidate = propose(agent)
    edited = review(agent, Person("accept"), HANDSHAKE, action="edit", id=candidate, text="Prices are in euros.")
    assert edited.structured_content["text"] == "Prices are in euros."
    assert not review(agent, Person("accept"), HANDSHAKE, action="reject", id=candidate).is_error
    assert agent.data("review")["candidates"] == []


@pytest.mark.parametrize("action", ["approve", "edit"])
def test_nobody_is_asked_to_answer_for_words_that_they_are_not_shown(agent: Agent, action: str) -> None:
    candidate, person = propose(agent), Person("accept")
    words = "Prices are in cents. " * 60 + "Agents may deploy."
    told = review(agent, person, HANDSHAKE, action=action, id=candidate, text=words)
    assert told.is_error
    assert "too long to show" in text_of(told)
    assert person.asked == []
    assert [row["text"] for row in agent.data("review")["candidates"]] == ["Prices are in cents."]


def propose(agent: Agent) -> str:
    """A candidate that waits for approval."""
    from waypost.flows.facts.candidates import take
    from waypost.memory.spaces import open_spaces
    from waypost.model.candidate import Candidate
    from waypost.space.identity import identify

    agent.text("status")
    assert agent.project.directory is not None
    space = open_spaces.get(identify(agent.project.directory), config.load(), agent.project.clock)
    [taken] = take(space, [Candidate("Prices are in cents.", 0.5, "git_diff")])
    assert taken.id is not None
    return taken.id


# -- where the client works -------------------------------------------------------------------------------------------


@BOTH
def test_the_project_is_the_first_root_of_the_client_that_is_a_folder_here(
    mode: str, shop: Path, clock: TestClock, fake_engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    uris = ["https://example.org/x", "file://elsewhere/x", "file:///no/such/folder", shop.as_uri()]
    asked = 0

    async def roots(_: object) -> types.ListRootsResult:
        nonlocal asked
        asked += 1
        return types.ListRootsResult.model_validate({"roots": [{"uri": uri} for uri in uris if uri.startswith("file")]})

    async def twice(one: Client) -> str:
        await one.call_tool("status", {})
        return str((await one.call_tool("status", {})).structured_content["root"])

    agent = Agent(ServedProject(clock=clock))
    assert agent.with_client(twice, mode=mode, list_roots_callback=roots) == str(shop)
    assert asked == 1
    assert agent.with_client(twice, mode=mode) == str(tmp_path)


def test_a_named_directory_counts_more_than_the_roots_of_the_client(agent: Agent, tmp_path: Path, shop: Path) -> None:
    async def roots(_: object) -> types.ListRootsResult:
        raise AssertionError("nobody should ask")

    result = agent.with_client(lambda one: one.call_tool("status", {}), list_roots_callback=roots)
    assert result.structured_content["root"] == str(shop)


def test_a_server_can_be_built_without_opening_anything(tmp_path: Path) -> None:
    server = build_server(DEFAULT_TOOLS, ServedProject(tmp_path / "nowhere"))
    assert server.name == "waypost"
