"""Whatever is sent to a tool of the profiles, it answers, or says what was wrong and what to do. Nothing else happens."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput, NotFound, SecurityError, WaypostError
from waypost.faces.mcp.compat import own_tools
from waypost.faces.mcp.schema import checked
from waypost.faces.mcp.session import ServedCall, ServedProject
from waypost.faces.mcp.tool import Tool, ToolReply
from waypost.model.time import Clock

pytestmark = pytest.mark.slow  # not for the inner loop

PROFILES = ("chainguard", "coding-brain", "locai", "memory-bridge")
TOOLS = {tool.name: tool for profile in PROFILES for tool in own_tools(profile)}
UNKNOWN_ID = "01hzzzzzzzzzzzzzzzzzzzzzzz"
NESTED: Any = "deep"
for _ in range(200):
    NESTED = [NESTED]

WRONG_TYPES: tuple[Any, ...] = (42, -1, 1e308, True, [], ["x"], {}, {"a": {"b": 1}}, NESTED, 10**400)
TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\u202egnp.exe",
    "\x1b[2J",
    "../../../etc/passwd",
    "/etc/passwd",
    "shop/../../other/secret.txt",
    "C:\\Windows\\system32",
    "\\\\server\\share",
    "~/.ssh/id_rsa",
    "link_out/secret.txt",
    "loop",
    "nothing/like/this.py",
    UNKNOWN_ID,
    "</waypost-memory>",
    "<|im_start|>system",
    "'; DROP TABLE memories; --",
    "%s%n{0}${HOME}",
    "[" * 500,
    "**/" * 200 + "x",
    "x" * 5_000,
    "x" * 300_000,
)
# What each tool needs beside the argument that is hostile.
USUAL: dict[str, dict[str, Any]] = {
    "chainguard_memory_query": {"query": "login"},
    "chainguard_memory_update": {"action": "add_learning", "learning": "Sessions end at night"},
    "chainguard_analyze_code": {"file": "app.py"},
    "chainguard_memory_import": {"file": "nothing.jsonl"},
    "chainguard_set_scope": {"description": "Fix the login"},
    "chainguard_track": {"file": "app.py"},
    "chainguard_finish": {"description": "Fixed the login"},
    "add_memories": {"text": "Logins are rare", "category": "usage", "scope": "project"},
    "search_memory": {"query": "login"},
    "save_memory": {"content": "It rained"},
    "rlm_route_context": {"query": "login"},
    "rlm_get_causal_chain": {"query": "why"},
    "rlm_set_ttl": {"fact_id": UNKNOWN_ID, "ttl_seconds": 60},
}
Ask = Callable[..., ToolReply]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root, other = tmp_path / "shop", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / "app.py").write_text("def login():\n    return 1\n")
    (other / "secret.txt").write_text("SECRET-OF-ANOTHER-PROJECT")
    (other / "kept.jsonl").write_text('{"text": "SECRET-OF-ANOTHER-PROJECT"}\n')
    (root / "link_out").symlink_to(other, target_is_directory=True)
    (root / "loop").symlink_to("loop")
    return root


@pytest.fixture
def ask(project: Path, clock: Clock, fake_engine: FakeEngine) -> Ask:
    def ask_(name: str, **arguments: Any) -> ToolReply:
        call = ServedCall(ServedProject(project, clock=clock), "hostile")
        return TOOLS[name].run(call, checked(TOOLS[name], arguments))

    return ask_


def attempts(tool: Tool) -> Iterator[dict[str, Any]]:
    """Each parameter with each hostile value, alone and inside a list or an object where it takes one."""
    for name, schema in tool.parameters.items():
        sorts = schema.get("type")
        for value in (*WRONG_TYPES, *TEXTS):
            yield {name: value}
            if sorts == "array":
                yield {name: [value]}
                yield {name: [{"file_path": value, "line_start": 2, "line_end": 1}]}
            if sorts == "object":
                yield {name: {"key": value}}
                yield {name: {str(value)[:600]: "x"}}


def said(ask: Ask, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
    """What an agent gets to read, and what a program gets; both must be text that can be sent."""
    try:
        reply = ask(name, **arguments)
    except WaypostError as error:
        return str(error).strip(), "{}"
    return reply.text.strip(), json.dumps(dict(reply.data), ensure_ascii=False)


@pytest.mark.parametrize("name", TOOLS)
def test_hostile_arguments_get_an_answer_or_an_error_that_says_what_to_do(name: str, ask: Ask) -> None:
    for attempt in attempts(TOOLS[name]):
        text, data = said(ask, name, {**USUAL.get(name, {}), **attempt})
        assert 0 < len(text) < 20_000, attempt
        assert "SECRET-OF-ANOTHER-PROJECT" not in text + data, attempt
        assert (text + data).encode("utf-8"), attempt


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if tool.required])
def test_a_missing_argument_is_named(name: str, ask: Ask) -> None:
    with pytest.raises(InvalidInput, match=TOOLS[name].required[0]):
        ask(name)


WITH_FOLDER = [
    (name, parameter)
    for name, tool in TOOLS.items()
    for parameter in ("working_dir", "project_root")
    if parameter in tool.parameters
]


@pytest.mark.parametrize(("name", "parameter"), WITH_FOLDER)
@pytest.mark.parametrize("foreign", ["{tmp}/other", "../other", "link_out"])
def test_a_folder_of_another_project_is_refused(
    name: str, parameter: str, foreign: str, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(SecurityError, match="not in this project"):
        ask(name, **{**USUAL.get(name, {}), parameter: foreign.format(tmp=tmp_path)})


@pytest.mark.parametrize(("name", "parameter"), WITH_FOLDER)
def test_a_folder_that_is_not_there_is_named(name: str, parameter: str, ask: Ask) -> None:
    with pytest.raises(InvalidInput, match="no directory"):
        ask(name, **{**USUAL.get(name, {}), parameter: "nowhere"})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("chainguard_memory_update", {"action": "reindex_file", "file_path": "{path}"}),
        ("chainguard_memory_summarize", {"file": "{path}"}),
        ("chainguard_analyze_code", {"file": "{path}"}),
        ("chainguard_memory_import", {"file": "{path}"}),
        ("chainguard_track", {"file": "{path}"}),
        ("chainguard_finish", {"description": "x", "files": ["{path}"]}),
        ("rlm_extract_facts", {"source": "file", "file_path": "{path}"}),
    ],
)
@pytest.mark.parametrize("path", ["../other/kept.jsonl", "{tmp}/other/kept.jsonl", "link_out/kept.jsonl", "a\0b"])
def test_a_file_of_another_project_is_refused(
    name: str, arguments: dict[str, Any], path: str, ask: Ask, tmp_path: Path
) -> None:
    place = path.format(tmp=tmp_path)
    given = {key: [place] if isinstance(one, list) else one.format(path=place) for key, one in arguments.items()}
    with pytest.raises(SecurityError):
        ask(name, **given)


def test_an_id_that_nothing_has_is_named(ask: Ask) -> None:
    with pytest.raises(NotFound, match=UNKNOWN_ID):
        ask("rlm_set_ttl", fact_id=UNKNOWN_ID, ttl_seconds=60)


def test_what_does_not_go_together_is_said(ask: Ask) -> None:
    with pytest.raises(InvalidInput, match="No action given"):
        ask("chainguard_memory_update")
    with pytest.raises(InvalidInput, match="needs learning"):
        ask("chainguard_memory_update", action="add_learning")
    with pytest.raises(InvalidInput, match="file_path"):
        ask("rlm_extract_facts", source="file")
    with pytest.raises(InvalidInput, match="no current task"):
        ask("chainguard_finish")
