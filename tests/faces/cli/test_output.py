"""Output to a terminal or a pipe: no control codes, nothing lost, no traceback."""

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost, project, waypost

from waypost.faces.cli.arguments import normalize_person_option
from waypost.faces.cli.entry import root_command
from waypost.faces.cli.output.code_links import print_answer
from waypost.faces.cli.output.editor_links import EditorLinks
from waypost.memory import Memory
from waypost.model.recall import Answer, Hit

pytestmark = pytest.mark.slow  # not for the inner loop

__all__ = ["project", "waypost"]


def run(
    *arguments: str, cwd: Path, stdout: int | None = None, **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "waypost", *arguments],
        cwd=cwd,
        env={**os.environ, "WAYPOST_MODELS": str(cwd / "none"), **environment},
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


def test_words_between_colons_are_shown_as_they_are(waypost: Waypost) -> None:
    waypost("remember", "Set :key: and :warning: [bold]here[/bold]")
    assert "Set :key: and :warning: [bold]here[/bold]" in waypost("ask", "key").out
    assert "Set :key: and :warning: [bold]here[/bold]" in waypost("list").out


def test_a_key_with_control_codes_does_not_reach_the_terminal(waypost: Waypost, project: Path) -> None:
    key = "a\x9b31m\u202eX"
    lines = [json.dumps({"text": text, "key": key}) for text in ("One", "Two")]
    (project / "b.jsonl").write_text("\n".join(lines))
    done = waypost("remember", "--batch", "b.jsonl")
    assert "refused" in done.err
    assert not set("\x9b\u202e") & set(done.out + done.err)


def test_a_path_with_a_turned_direction_does_not_reach_the_terminal(waypost: Waypost) -> None:
    waypost("remember", "It points at a disguised file", "--ref", "gnp.\u202eyp.exe")
    assert "\u202e" not in waypost("ask", "disguised file").out


@pytest.mark.parametrize("command", [("list", "--json"), ("export", "-"), ("export",), ("ask", "Größe", "--json")])
def test_json_loses_no_character_where_the_output_is_not_unicode(
    project: Path, waypost: Waypost, command: tuple[str, ...]
) -> None:
    waypost("remember", "Größe дела ☃")
    done = run(*command, cwd=project, PYTHONIOENCODING="latin-1")
    assert "Größe дела ☃" in str(json.loads(done.stdout.decode()))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("command", [("status",), ("status", "--json"), ("list", "--json"), ("export", "-")])
def test_an_output_that_is_full_is_said_in_two_lines(project: Path, waypost: Waypost, command: tuple[str, ...]) -> None:
    waypost("remember", "Something")
    with open("/dev/full", "wb") as full:
        done = run(*command, cwd=project, stdout=full.fileno())
    assert done.returncode == 1
    assert len(done.stderr.decode().strip().splitlines()) == 2, done.stderr.decode()
    assert b"No space left" in done.stderr


def test_a_directory_with_the_name_of_a_command_is_no_command() -> None:
    assert normalize_person_option(["-C", "model", "--person", "remember", "x"], {"model", "remember"}) == [
        "-C",
        "model",
        "--person=@me",
        "remember",
        "x",
    ]
    words = ["-C", "model", "remember", "--person"]
    assert normalize_person_option(words, {"model", "remember"}) == words


def test_the_worker_of_a_person_named_like_a_command_is_told_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("subprocess.Popen", lambda command, **_: started.append(command))
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    memory = Memory.open(tmp_path, person="status")
    memory.remember("Wir liefern jeden Dienstag aus")  # leaves something to do
    words = started[0][started[0].index("waypost") + 1 :]
    assert normalize_person_option(words, root_command().commands) == ["--person=status", "work"]


@pytest.mark.parametrize("error", [OSError(12, "Cannot allocate memory"), PermissionError(13, "Permission denied")])
def test_a_write_is_acknowledged_although_the_worker_cannot_start(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("subprocess.Popen", fail)
    object.__setattr__(memory.space.settings, "background", True)
    assert memory.remember("Größe und Gewicht werden vom Dienst geprüft").status == "added"


def test_json_holds_no_raw_character_that_acts_on_a_terminal(waypost: Waypost) -> None:
    text = "turned \u202e and \x9b31m red, but Größe дела ☃ stays"
    waypost("remember", text)
    done = waypost("list", "--json")
    assert not set("\u202e\x9b") & set(done.out)
    assert done.json["memories"][0]["text"] == text.replace("\x9b31m", "")
    assert "Größe дела ☃" in done.out


def test_people_see_no_internals(waypost: Waypost, project: Path) -> None:
    """No stored forms of reasons, no Python values, no fractions of a second."""
    (project / "app.py").write_text("def upload():\n    return send(retries=3)\n")
    memory_id = waypost("remember", "upload retries three times", "--ref", "app.py#upload", "--json").json["id"]
    (project / "app.py").write_text("def upload():\n    return send(retries=5, wait=2)\n")
    shown = [
        waypost(*words).out
        for words in (("stale",), ("ask", "how often does upload retry?"), ("show", memory_id), ("history", memory_id),
                      ("audit",), ("about", "app.py"), ("context", "change the upload"))
    ]  # fmt: skip
    assert "code changed: app.py:1" in shown[0]
    for text in shown:
        assert "code_changed" not in text
        assert not re.search(r"\d\d:\d\d:\d\d\.\d+", text)
        assert "['" not in text
        assert "=0" not in text


def test_a_question_in_a_folder_that_is_not_indexed_suggests_init(waypost: Waypost, project: Path) -> None:
    (project / "app.py").write_text("def upload(): ...\n")
    done = waypost("ask", "who uploads files?")
    assert done.code == 3
    assert "waypost init" in done.err
    waypost("init", "--no-wait")
    assert "waypost init" not in waypost("ask", "what is the capital of France?").err


def test_a_write_prints_no_notice_about_pending_work(waypost: Waypost) -> None:
    assert waypost("remember", "Wir liefern dienstags aus").out.count("\n") == 1


def test_hits_that_hardly_match_are_called_the_closest(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*certainties: float) -> str:
        when = datetime(2026, 1, 2, tzinfo=UTC)
        hits = (
            Hit("01", 1.0, "Use pnpm", "fact", "facts", "person", when, when, certainty=each) for each in certainties
        )
        print_answer(Answer("which package manager?", tuple(hits)), EditorLinks(None), explain=False)
        return capsys.readouterr().out

    assert printed(0.05, 0.03).startswith("Nothing certain. The closest:\n1. 0.05")
    assert printed(0.4, 0.03).startswith("1. 0.40")
    assert printed() == ""
