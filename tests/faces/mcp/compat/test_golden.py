"""Each tool of the profiles, its answer held against a file in `golden/`.

`UPDATE_GOLDEN=1 pytest tests/faces/mcp/compat/test_golden.py` writes the files anew; read the difference before you
commit it. What differs from run to run (ids, sizes, places on the disk) has a name in its place.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from waypost.embed.fake import FakeEngine
from waypost.faces.mcp.compat import own_tools
from waypost.faces.mcp.schema import checked
from waypost.faces.mcp.session import ServedCall, ServedProject
from waypost.faces.mcp.tool import ToolReply
from waypost.memory import Memory
from waypost.model.memory import Caller
from waypost.model.time import Clock

GOLDEN = Path(__file__).with_name("golden")
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
PROFILES = ("chainguard", "coding-brain", "locai", "memory-bridge")
TOOLS = {tool.name: tool for profile in PROFILES for tool in own_tools(profile)}

Arguments = Mapping[str, Any]
Ask = Callable[..., ToolReply]
Git = Callable[..., str]


@pytest.fixture
def shop(tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small shop, committed two days before the clock of the tests."""
    root = tmp_path / "shop"
    _, *files = re.split(r"^=== (.*)\n", (GOLDEN / "project.txt").read_text(), flags=re.MULTILINE)
    for name, content in zip(files[::2], files[1::2], strict=True):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2026-01-28T12:00:00Z")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Open the shop")
    return root


@pytest.fixture
def ask(shop: Path, clock: Clock, fake_engine: FakeEngine) -> Ask:
    """Call a tool as a client named `golden` would, whose person says yes or no."""

    def ask_(name: str, says: bool | None = None, **arguments: Any) -> ToolReply:
        call = ServedCall(ServedProject(shop, clock=clock), "golden")
        if says is not None:
            call.ask = lambda _question: says
        return TOOLS[name].run(call, checked(TOOLS[name], arguments))

    return ask_


@pytest.fixture
def memory(shop: Path, clock: Clock, fake_engine: FakeEngine) -> Memory:
    return Memory.open(shop, caller=Caller("agent", "golden"), clock=clock)


def init(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    ask("chainguard_memory_init")
    return {}


def query(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    init(ask, memory, shop)
    return {"query": "Where does a customer log in with a password?", "limit": 3}


def learn(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    init(ask, memory, shop)
    text = "login raises LoginError for an unknown email too, so that nobody can probe for customers"
    return {"action": "add_learning", "learning": text, "file_path": "shop/auth.py"}


def exported(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    memory.remember("Orders are never deleted, only cancelled", domain="orders")
    made = ask("chainguard_memory_export", format="jsonl")
    return {"file": made.data["file"]}


def imported(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    memory.remember("Orders are never deleted, only cancelled", domain="orders")
    rows = [{"text": "Orders are never deleted, only cancelled", "domain": "orders"}, {"text": "Prices include taxes"}]
    (shop / "kept.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return {"file": "kept.jsonl"}


def listed(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    exported(ask, memory, shop)
    return {}


def scope(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    init(ask, memory, shop)
    return {"description": "Fix the login bug", "modules": ["shop/**"], "acceptance_criteria": ["Login works"]}


def finish(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    ask("chainguard_set_scope", **scope(ask, memory, shop))
    ask("chainguard_track", file="shop/auth.py")
    return {"confirmed": True}


def add(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    return {
        "text": "login checks the password before it makes a session token",
        "category": "architecture",
        "scope": "project",
        "entity": "auth",
        "artifact_type": "file",
        "artifact_ref": "auth.py",
        "code_refs": [
            {
                "file_path": "shop/auth.py",
                "line_start": 10,
                "line_end": 15,
                "symbol_id": "scip-python pip shop shop/auth.py/login().",
            }
        ],
        "access_entity": "project:default_org/shop",
        "evidence": ["ADR-7"],
        "tags": {"reviewed": True, "team": "core"},
    }


def search(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    ask("add_memories", **add(ask, memory, shop))
    return {"query": "session token login", "exclude_stale": True, "min_confidence": 0.5}


def recall(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    ask("save_memory", content="The customer prefers answers in German", type="preference")
    ask("save_memory", content="The PDF had 12 pages and took 130 s", type="agent")
    return {"query": "Which answers does the customer prefer?", "limit": 1}


def route(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    memory.remember("The shop is a Flask application", level=0)
    memory.remember("Login tokens live for one hour", domain="auth")
    memory.remember("Totals of orders are kept in cents", domain="orders")
    return {"query": "how long do login tokens live"}


def extract(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    (shop / "shop" / "refunds.py").write_text(
        '"""Giving money back."""\n\n\ndef refund(order: int, cents: int) -> bool:\n    """Give back a part of an order."""\n'
        "    return cents > 0\n"
    )
    return {"source": "file", "file_path": "shop/refunds.py"}


def sync(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    extract(ask, memory, shop)
    memory.remember("The staging server is down", ttl=60)
    return {}


def chain(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    memory.decide(
        "We use Flask for the shop",
        because=["Flask is small and the team knows it"],
        leads_to=["Routes are plain functions"],
        given=["It has to run on one small server"],
    )
    return {"query": "why did we use Flask?"}


def ttl(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    receipt = memory.remember("The route /orders gives an order by its number", domain="orders")
    return {"fact_id": receipt.id, "ttl_seconds": 604_800, "refresh_trigger": "shop/web.py"}


def stale(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    ask("rlm_set_ttl", **{**ttl(ask, memory, shop), "ttl_seconds": 60})
    return {}


def nothing(ask: Ask, memory: Memory, shop: Path) -> Arguments:
    return {}


# What is there before the call, and what the call says.
CASES: Mapping[str, Callable[[Ask, Memory, Path], Arguments]] = {
    "chainguard_memory_init": nothing,
    "chainguard_memory_query": query,
    "chainguard_memory_update": learn,
    "chainguard_memory_status": init,
    "chainguard_memory_summarize": init,
    "chainguard_analyze_code": lambda *_: {"file": "shop/auth.py"},
    "chainguard_detect_architecture": nothing,
    "chainguard_memory_export": lambda ask, memory, shop: {**listed(ask, memory, shop), "format": "json"},
    "chainguard_memory_import": imported,
    "chainguard_list_exports": listed,
    "chainguard_set_scope": scope,
    "chainguard_track": lambda *_: {"file": "shop/auth.py"},
    "chainguard_finish": finish,
    "add_memories": add,
    "search_memory": search,
    "save_memory": lambda *_: {"content": "The customer prefers answers in German", "type": "preference"},
    "recall_memory": recall,
    "rlm_discover_project": nothing,
    "rlm_route_context": route,
    "rlm_extract_facts": extract,
    "rlm_get_causal_chain": chain,
    "rlm_set_ttl": ttl,
    "rlm_get_stale_facts": stale,
    "rlm_sync_state": sync,
}
LATER = ("rlm_get_stale_facts", "rlm_sync_state")  # asked an hour after what comes before


def test_every_tool_of_the_profiles_has_a_golden_answer() -> None:
    assert set(CASES) == set(TOOLS)
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(TOOLS)


@pytest.mark.parametrize("name", CASES)
def test_a_tool_answers_as_before(name: str, ask: Ask, memory: Memory, shop: Path, clock: Any, tmp_path: Path) -> None:
    arguments = CASES[name](ask, memory, shop)
    if name in LATER:
        clock.advance(hours=1)
    reply = ask(name, **arguments)
    assert not reply.is_error
    answer = normal({"arguments": arguments, "text": reply.text, "data": json.loads(json.dumps(reply.data))}, tmp_path)
    answer["text"] = answer["text"].split("\n")
    written = json.dumps(answer, ensure_ascii=False, indent=1) + "\n"
    file = GOLDEN / f"{name}.json"
    if UPDATE:
        file.write_text(written, encoding="utf-8")
    assert written == file.read_text(encoding="utf-8")


# What differs from run to run, and the name that stands in its place.
VARYING = (
    (re.compile(r"\b[0-7][0-9a-hjkmnp-tv-z]{25}\b"), "ID"),
    (re.compile(r"(</?waypost-memory )[0-9a-f]{12}>"), r"\1MARK>"),
    (re.compile(r"\bmemory/[0-9a-f]{16}\b"), "memory/SPACE"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "COMMIT"),
    (re.compile(r"\d+\.\d MB"), "N MB"),
    (re.compile(r"Duration: \d+\.\ds"), "Duration: N s"),
    (re.compile(r"(\.jsonl?: )\d{4}-\d\d-\d\d \d\d:\d\d UTC"), r"\1TIME UTC"),
)
VARYING_KEYS = frozenset(
    {"storage_bytes", "seconds", "answers_after", "structure_after", "size", "space", "models_installed"}
)


def normal(value: Any, tmp_path: Path) -> Any:
    if isinstance(value, dict):
        return {name: _named(name, one, tmp_path) for name, one in value.items()}
    if isinstance(value, list):
        return [normal(one, tmp_path) for one in value]
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, str):
        value = value.replace(str(tmp_path.resolve()), "TMP").replace(str(tmp_path), "TMP")
        for pattern, name in VARYING:
            value = pattern.sub(name, value)
    return value


def _named(name: str, value: Any, tmp_path: Path) -> Any:
    if name in VARYING_KEYS or (name == "made_at" and isinstance(value, str)):
        return name.upper()
    return normal(value, tmp_path)
