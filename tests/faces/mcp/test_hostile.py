"""What a confused or hostile client sends: an answer that helps, or a refusal, and a server that goes on."""

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.faces.mcp.conftest import Agent, text_of

from waypost.faces.mcp.default_tools import DEFAULT_TOOLS
from waypost.faces.mcp.tool import Tool, ToolReply

BY_NAME = {tool.name: tool for tool in DEFAULT_TOOLS}
NEEDED: dict[str, dict[str, Any]] = {
    "recall": {"question": "x"},
    "remember": {"text": "x"},
    "brief": {"task": "x"},
    "about_code": {"path": "app.py"},
    "symbols": {"name": "x"},
    "uses": {"symbol": "x"},
    "decide": {"text": "x"},
    "why": {"question": "x"},
    "review": {},
    "status": {},
}
NESTED: Any = "x"
for _ in range(150):
    NESTED = [NESTED]
TEXTS = ["", " ", "\x00", "\x1b[2J", "\u202eevil", "a" * 300_000, "%s%n{0}", "'; drop table memories; --", "../" * 300]
OTHERS: list[Any] = [7, -1, 1e308, True, [], {}, [[]], {"a": {"b": []}}, NESTED]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(BY_NAME))
def test_no_value_of_any_parameter_breaks_a_tool(agent: Agent, name: str) -> None:
    async def try_all(one: Client) -> None:
        for parameter in BY_NAME[name].parameters:
            for value in (*TEXTS, *OTHERS):
                result = await one.call_tool(name, {**NEEDED[name], parameter: value})
                told = text_of(result)
                assert "unexpected" not in told, (parameter, str(value)[:50], told)
                assert "Traceback" not in told
                assert len(told) < 20_000
        assert not (await one.call_tool(name, NEEDED[name])).is_error

    agent.with_client(try_all)


@pytest.mark.parametrize("name", [name for name, tool in BY_NAME.items() if tool.required])
def test_what_is_missing_is_named(agent: Agent, name: str) -> None:
    assert f"{name} needs {BY_NAME[name].required[0]}." in agent.refusal(name)


@pytest.mark.parametrize("name", list(BY_NAME))
def test_an_unknown_parameter_is_refused_with_those_there_are(agent: Agent, name: str) -> None:
    told = agent.refusal(name, **NEEDED[name], nonsense=1)
    assert f"{name} has no parameter 'nonsense'" in told
    assert all(parameter in told for parameter in BY_NAME[name].parameters)


@pytest.mark.parametrize("place", ["../../etc/passwd", "/etc/passwd", "..", "app.py/../../x", "~/secrets"])
def test_no_path_leads_out_of_the_project(agent: Agent, place: str) -> None:
    assert "root:" not in text_of(agent.call("about_code", path=place))
    result = agent.call("remember", text="Look there.", refs=[place])
    assert "root:" not in text_of(result)


def test_ids_that_are_none_are_refused_with_a_hint(agent: Agent) -> None:
    for arguments in ({"retract": "1"}, {"text": "x", "replaces": "../x"}):
        assert "is not the id of a memory" in agent.refusal("remember", **arguments)
    unknown = "0" * 26
    assert "There is no memory" in agent.refusal("recall", question=unknown)
    assert agent.refusal("remember", retract=unknown)
    assert agent.refusal("remember", text="x", replaces=unknown)


def test_an_agent_cannot_do_what_takes_a_person(agent: Agent) -> None:
    kept = agent.data("remember", text="Tokens live 15 minutes.")["id"]
    for action in ("approve", "edit", "reject", "forget"):
        assert agent.refusal("review", action=action, id=kept, text="Other words.")
    assert agent.data("recall", question=kept)["hits"][0]["text"] == "Tokens live 15 minutes."


def test_contradicting_wishes_are_explained(agent: Agent) -> None:
    assert "takes no text" in agent.refusal("remember", text="x", retract="0" * 26)
    assert "There is no text" in agent.refusal("remember", kind="fact")
    assert "needs an id" in agent.refusal("review", action="approve")
    assert "edit needs the new text" in agent.refusal("review", action="edit", id="0" * 26)
    assert "not a date" in agent.refusal("recall", question="x", as_of="yesterday-ish")


def test_a_bug_is_told_without_its_words_and_kept_in_the_crash_log(agent: Agent, tmp_path: Any) -> None:
    words = "secret" + " words"  # the log has lines of source, never what they say at run time

    def fail(*_: object) -> ToolReply:
        raise ZeroDivisionError(words)

    async def call(one: Client) -> str:
        result = await one.call_tool("fail", {})
        assert result.is_error
        return text_of(result)

    told = agent.with_client(call, (Tool("fail", "Fails.", fail),))
    assert "ZeroDivisionError" in told
    assert "secret words" not in told
    log = (tmp_path / "home" / "crash.log").read_text()
    assert "ZeroDivisionError" in log
    assert "secret words" not in log


@pytest.mark.parametrize(
    "address",
    ["waypost://memory/../../etc", "file:///etc/passwd", "waypost://journal/2026-13-45", "waypost://memory/" + "a" * 5000,
     "waypost://project/secrets", "waypost://journal/%2e%2e%2fDNA.md", "\x00", ""],
)  # fmt: skip
def test_addresses_that_lead_nowhere_are_refused(agent: Agent, address: str) -> None:
    with pytest.raises(MCPError) as error:
        agent.with_client(lambda one: one.read_resource(address))
    assert "unexpected" not in str(error.value)


@pytest.mark.parametrize("arguments", [{}, {"task": ""}, {"task": "x" * 100_000}, {"wrong": "x"}])
def test_prompts_without_their_words_are_refused(agent: Agent, arguments: dict[str, str]) -> None:
    with pytest.raises(MCPError) as error:
        agent.with_client(lambda one: one.get_prompt("start", arguments))
    assert "unexpected" not in str(error.value)
    with pytest.raises(MCPError, match="Unknown prompt"):
        agent.with_client(lambda one: one.get_prompt("nonsense", {}))
