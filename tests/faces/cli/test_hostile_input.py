"""Unusable input: exit code 2, two lines that say why, and nothing half-written."""

import json
import os
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost, project, waypost

from waypost.errors import InvalidInput, SecurityError
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

__all__ = ["project", "waypost"]

BROKEN = os.fsdecode(b"\xff")  # what an argument that is not UTF-8 becomes


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "x", "kind": ["fact"]}',
        '{"text": "x", "kind": {"a": 1}}',
        '{"text": "x", "kind": 5}',
        '{"text": "x", "level": ' + "1" * 5000 + "}",
        '{"text": "x", "source": "\\ud800"}',
        '{"text": "x", "actor": "\\u001b[2J"}',
        '{"text": "x", "refs": [{"file_path": "a.py", "symbol_id": "\\ud800"}]}',
        '{"text": "x", "refs": [{"file_path": "a.py", "confidence_reason": "\\u001b[2J"}]}',
        '{"text": "x", "refs": [{"file_path": "\\ud800"}]}',
        "[" * 100_000,
    ],
    ids=lambda line: line[:60],
)
@pytest.mark.parametrize("command", ["batch", "import"])
def test_a_hostile_line_is_refused_with_its_number(waypost: Waypost, project: Path, line: str, command: str) -> None:
    file = project / "lines.jsonl"
    file.write_text('{"text": "A good line"}\n' + line + "\n")
    done = waypost("import", str(file)) if command == "import" else waypost("remember", "--batch", str(file))
    assert done.code == 2, done.err
    assert "ine 2" in done.err
    assert waypost("list", "--json").json == {"memories": []}


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--domain", BROKEN),
        ("list", "--session", BROKEN),
        ("list", "--tag", f"a={BROKEN}"),
        ("list", "--limit", "-1"),
        ("list", "--limit", "0"),
        ("list", "--limit", "9" * 30),
        ("list", "--level", "9" * 30),
        ("audit", "--limit", "-1"),
        ("audit", "--limit", "9" * 30),
        ("audit", BROKEN),
        ("audit", "no id"),
        ("reject", "--lift", "x", "--domain", BROKEN, "--yes"),
        ("ask", BROKEN),
        ("--person", BROKEN, "status"),
        ("export", "-", "--format", "xml"),
        ("remember", "x", "--tag", f"{BROKEN}=1"),
    ],
    ids=lambda arguments: " ".join(arguments).encode("ascii", "replace").decode(),
)
def test_an_argument_that_cannot_be_used_is_wrong_usage(waypost: Waypost, arguments: tuple[str, ...]) -> None:
    done = waypost(*arguments)
    assert done.code == 2, done.err
    assert done.out == ""
    assert "unexpected" not in done.err


def test_a_listing_keeps_its_limit(waypost: Waypost, project: Path) -> None:
    (project / "b").write_text("".join(json.dumps({"text": f"Fact {n}", "kind": "note"}) + "\n" for n in range(5)))
    waypost("remember", "--batch", "b")
    assert len(waypost("list", "--limit", "3", "--json").json["memories"]) == 3
    assert len(waypost("audit", "--limit", "3", "--json").json["entries"]) == 3


def test_a_path_outside_the_project_in_a_later_part_of_a_batch_leaves_nothing_behind(memory: Memory) -> None:
    given = [{"text": f"Entry {n}", "kind": "note"} for n in range(300)]
    with pytest.raises(SecurityError, match="301"):
        memory.remember_many([*given, {"text": "The last", "refs": ["../../etc/passwd"]}])
    assert memory.list() == []


def test_a_batch_goes_on_after_a_line_that_replaces_what_is_not_there(memory: Memory) -> None:
    nobody = "0" * 26
    receipts = memory.remember_many([{"text": "One"}, {"text": "Two", "replaces": nobody}, {"text": "Three"}])
    assert [receipt.status for receipt in receipts] == ["added", "refused", "added"]
    assert nobody in (receipts[1].reason or "")


def test_a_person_s_memory_takes_no_path_that_acts_on_a_terminal(tmp_path: Path) -> None:
    mine = Memory.open(tmp_path, person="Ada")
    for path in ("a\x1b[31mred.py", "a\nb.py", "a\u2028b.py", "a\x9b31m.py"):
        with pytest.raises((InvalidInput, SecurityError)):
            mine.remember("It points somewhere", refs=[path])
    assert mine.remember("It points somewhere", refs=["~/notes/größe.md#L3"]).status == "added"


@pytest.mark.parametrize(
    "content",
    [
        "[ollama]\nurl = 5\n",
        '[ollama]\ntimeout_seconds = "soon"\n',
        '[ollama]\ndimensions = "many"\n',
        "[ollama]\ndimensions = -1\n",
        "[ollama]\nmodel = 5\n",
        "[openai]\nurl = 'http://localhost'\nmodel = 'm'\napi_key_variable = 5\n",
        "busy_timeout_seconds = -1\n",
        "busy_timeout_seconds = nan\n",
    ],
)
def test_a_setting_of_the_wrong_sort_is_named(waypost: Waypost, tmp_path: Path, content: str) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text(content)
    done = waypost("status")
    assert done.code == 2, done.err
    assert content.strip().splitlines()[-1].partition(" ")[0] in done.err


def test_settings_that_cannot_be_read_are_said_so(waypost: Waypost, tmp_path: Path) -> None:
    (tmp_path / "home" / "config.toml").mkdir(parents=True)
    done = waypost("status")
    assert done.code == 2
    assert "config.toml" in done.err
