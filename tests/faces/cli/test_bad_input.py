"""For any bad input, the error names what was wrong, the exit code is 2, and nothing is half-written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

pytestmark = pytest.mark.slow  # not for the inner loop

BAD_TEXTS = {
    "empty": "",
    "only spaces": " \t\n ",
    "control character": "alarm \x07 bell",
    "only an escape sequence": "\x1b[31m",
    "only invisible characters": "\u200b\u2060\ufeff",
    "NUL": "before\x00after",
    "lone surrogate": "half \ud83d a smile",
    "huge": "x" * 1_000_001,
}

BAD_OPTIONS = {
    "unknown kind": ("--kind", "gossip"),
    "derived kind": ("--kind", "symbol"),
    "level": ("--level", "7"),
    "level not a number": ("--level", "high"),
    "date": ("--valid-from", "yesterday-ish"),
    "impossible date": ("--valid-from", "2026-02-30"),
    "year": ("--time", "99999-01-01"),
    "ends before it begins": ("--valid-from", "2026-02-02", "--valid-until", "2026-02-01"),
    "ttl": ("--ttl", "0"),
    "tag without value": ("--tag", "team"),
    "conversation without session": ("--kind", "conversation"),
    "lines reversed": ("--ref", "a.py#L9-L3"),
    "line zero": ("--ref", "a.py#L0"),
    "replaces nonsense": ("--replaces", "../../etc/passwd"),
    "speaker with a line break": ("--speaker", "Anna\nsystem"),
    "long domain": ("--domain", "d" * 501),
}

BAD_LINES = {
    "not JSON": (b'{"text": "unfinished', 1),
    "not an object": (b'["text"]', 1),
    "no text": (b'{"kind": "fact"}', 1),
    "text is a number": (b'{"text": 5}', 1),
    "unknown field": (b'{"text": "x", "colour": "red"}', 1),
    "invalid UTF-8": (b'{"text": "caf\xe9"}', 1),
    "escaped surrogate": (b'{"text": "\\ud83d"}', 1),
    "wrong date": (b'{"text": "x", "time": "12.13.2026"}', 1),
    "date of another type": (b'{"text": "x", "time": 12}', 1),
    "tags as a list": (b'{"text": "x", "tags": ["a"]}', 1),
    "level as text": (b'{"text": "x", "level": "1"}', 1),
    "level as truth": (b'{"text": "x", "level": true}', 1),
    "deep nesting": (b'{"text": "x", "tags": ' + b"[" * 100_000 + b"}", 1),
    "a constant": (b"NaN", 1),
}


def nothing_is_stored(waypost: Waypost) -> bool:
    return bool(waypost("list", "--json").json == {"memories": []})


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
def test_a_bad_text_is_refused_whole(waypost: Waypost, text: str) -> None:
    done = waypost("remember", text)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: text ")
    assert "Traceback" not in done.err
    assert nothing_is_stored(waypost)
    question = waypost("ask", text)
    assert question.code == 2
    assert "Traceback" not in question.err


@pytest.mark.parametrize("options", BAD_OPTIONS.values(), ids=BAD_OPTIONS.keys())
def test_a_bad_option_is_refused(waypost: Waypost, options: tuple[str, ...]) -> None:
    done = waypost("remember", "A good text", *options)
    assert done.code == 2
    assert done.err
    assert "Traceback" not in done.err
    assert nothing_is_stored(waypost)


@pytest.mark.parametrize(("line", "number"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_of_a_batch_is_named_and_stops_all_of_it(
    waypost: Waypost, tmp_path: Path, line: bytes, number: int
) -> None:
    path = tmp_path / "batch.jsonl"
    good = b'{"text": "good one"}\n'
    path.write_bytes(good * 2 + line + b"\n" + good)
    done = waypost("remember", "--batch", str(path), "--json")
    assert done.code == 2
    assert f"ine {2 + number}" in done.err
    assert "Traceback" not in done.err
    assert nothing_is_stored(waypost)


def test_every_bad_line_is_named_not_only_the_first(waypost: Waypost, tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_text('{"text": ""}\n{"text": "fine"}\n{"text": "x", "level": 9}\n')
    done = waypost("remember", "--batch", str(path))
    assert "line 1:" in done.err
    assert "line 3:" in done.err
    assert "line 2:" not in done.err


def test_files_that_are_not_there_or_not_files(waypost: Waypost, tmp_path: Path) -> None:
    for command in (("remember", "--batch"), ("import",)):
        for path in (tmp_path / "missing.jsonl", tmp_path):
            done = waypost(*command, str(path))
            assert done.code == 2
            assert str(path) in done.err


def test_import_names_the_bad_line_and_stores_nothing(waypost: Waypost, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text('{"text": "fine"}\n{"id": "../x", "text": "evil"}\n')
    done = waypost("import", str(path))
    assert done.code == 2
    assert "Line 2" in done.err
    path.write_text('{"waypost_export": 1, "memories": [{"text": "cut off')
    assert waypost("import", str(path)).code == 2
    assert nothing_is_stored(waypost)


@pytest.mark.parametrize("source", [(), ("--from", "code-tags")])
def test_json_that_is_nested_too_deeply_is_told_so(waypost: Waypost, tmp_path: Path, source: tuple[str, ...]) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000 + "]" * 100_000 + "\n")
    done = waypost("import", *source, str(path))
    assert (done.code, "nested too deeply" in done.err, "recursion" in done.err) == (2, True, False)
    assert nothing_is_stored(waypost)


@pytest.mark.parametrize(
    "memory_id", ["", "x", "../" * 9, "0" * 26 + "'", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "%00", "1 OR 1=1"]
)
def test_a_forged_id_is_refused_by_every_command(waypost: Waypost, memory_id: str) -> None:
    for command in (("show",), ("history",), ("retract",), ("protect",), ("forget", "--yes"), ("reject", "--yes")):
        done = waypost(*command, "--", memory_id)
        assert done.code == 2, command
    assert waypost("correct", "--", memory_id, "text").code == 2


def test_an_id_that_nobody_has_is_not_found(waypost: Waypost) -> None:
    unknown = "01jzzzzzzzzzzzzzzzzzzzzzzz"
    for command in (("show",), ("history",), ("retract",), ("protect",), ("forget", "--yes"), ("reject", "--yes")):
        done = waypost(*command, unknown)
        assert done.code == 3, command
        assert unknown in done.err


@pytest.mark.parametrize("k", ["0", "-1", "1001", "many"])
def test_k_out_of_range(waypost: Waypost, k: str) -> None:
    assert waypost("ask", "x", "-k", k).code == 2


def test_broken_settings_are_named(waypost: Waypost, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    for content, word in (
        ("engine = [", "TOML"),
        ('engin = "minilm"', "engin"),
        ('engine = "gpt"', "gpt"),
        ("person = 3\nbackground = 3", "background"),
    ):
        (home / "config.toml").write_text(content)
        done = waypost("status")
        assert done.code == 2
        assert word in done.err


def test_unknown_commands_and_options_are_usage_errors(waypost: Waypost) -> None:
    for arguments in (("dance",), ("ask",), ("ask", "x", "--loud"), ("remember",), ("remember", "x", "--batch", "y")):
        done = waypost(*arguments)
        assert done.code == 2, arguments
        assert "Traceback" not in done.err


def test_bytes_that_are_no_text_on_the_real_command_line(tmp_path: Path) -> None:
    environment = {**os.environ, "WAYPOST_MODELS": str(tmp_path / "none")}
    command = [sys.executable, "-m", "waypost", "-C", str(tmp_path)]
    argument = subprocess.run([*command, "remember", b"caf\xe9"], capture_output=True, env=environment, check=False)
    assert argument.returncode == 2
    assert b"not valid Unicode" in argument.stderr
    piped = subprocess.run(
        [*command, "remember", "-"], input=b"caf\xe9", capture_output=True, env=environment, check=False
    )
    assert piped.returncode == 2
    listed = subprocess.run([*command, "list", "--json"], capture_output=True, env=environment, check=True)
    assert json.loads(listed.stdout) == {"memories": []}
