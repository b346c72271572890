"""A hook that asks a running process with few imports, and goes the usual way if anything is unusual."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.faces.hooks.agent import session_end
from waypost.faces.hooks.agent.event import answers, handle
from waypost.faces.hooks.agent.fast import NOTED_AT_ONCE, FastAnswer, ask, leave, mark_path
from waypost.faces.hooks.agent.formats import AGENTS
from waypost.faces.hooks.socket.place import mark_folder, run_folder
from waypost.faces.hooks.socket.server import serve_hooks
from waypost.system.process_lock import try_claim

UPLOADS = "Uploads of large files use multipart requests."
QUESTION = "uploads of large files use multipart requests?"


@pytest.fixture
def project(tmp_path: Path, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    memory = Memory.open(root)
    memory.remember(UPLOADS)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def folder(project: Path) -> Path:
    """The folder of running processes, as an earlier hook has marked it."""
    space = Memory.open(project).identity.space_id
    mark_folder(config.load().home, str(project), space)
    return run_folder(config.load().home, space)


def home() -> str:
    return str(config.load().home)


def payload(project: Path, **members: Any) -> bytes:
    return json.dumps({"session_id": "s", "cwd": str(project), "prompt": QUESTION, **members}).encode()


def asked(project: Path, event: str = "prompt", **members: Any) -> FastAnswer | None:
    return ask(event, "claude-code", payload(project, **members), time.monotonic() + 60, home())


def test_a_running_process_answers_as_the_hook_would(project: Path, folder: Path) -> None:
    usual = handle("prompt", "claude-code", payload(project, session_id="other"), time.monotonic() + 60)
    with serve_hooks(answers(config.load()), folder):
        answer = asked(project)
        assert answer is not None and answer.output == usual.output != ""
        again = asked(project)
        assert again is not None and again.output == usual.output  # nobody said that it was written
        answer.written()
        after = asked(project)
        assert after is not None and after.output == ""
        compacted = asked(project, "session-start", source="compact")
        assert compacted is not None
        once_more = asked(project)
        assert once_more is not None and UPLOADS in once_more.output


def test_the_first_hook_in_a_folder_marks_it_for_the_next(project: Path) -> None:
    folder = run_folder(config.load().home, Memory.open(project).identity.space_id)
    with serve_hooks(answers(config.load()), folder):
        assert asked(project) is None
        handle("prompt", "claude-code", payload(project), time.monotonic() + 60)
        assert asked(project, session_id="two") is not None


def test_a_mark_that_is_out_of_date_only_costs_time(project: Path, folder: Path, tmp_path: Path) -> None:
    """The process that is asked finds the project by itself."""
    other = tmp_path / "other"
    other.mkdir()
    with Memory.open(other) as memory:
        memory.remember("Releases are on Tuesdays.")
    mark_folder(config.load().home, str(other), Memory.open(project).identity.space_id)
    with serve_hooks(answers(config.load()), folder):
        answer = asked(other, prompt="releases are on tuesdays?")
    assert answer is not None and "Tuesdays" in answer.output and UPLOADS not in answer.output


def test_without_a_usable_answer_the_hook_goes_the_usual_way(project: Path, folder: Path) -> None:
    assert asked(project) is None
    for reply in ({"failed": True}, {"output": 5}, {"output": "x", "record": "../told-1"}, {"output": "x", "keys": 5}):
        with serve_hooks(lambda _, reply=reply: reply, folder):  # type: ignore[misc]
            assert asked(project) is None
    with serve_hooks(answers(config.load()), folder):
        assert ask("prompt", "claude-code", b"no json", time.monotonic() + 60, home()) is None
        assert ask("prompt", "claude-code", b"[1]", time.monotonic() + 60, home()) is None
        assert ask("prompt", "nobody", payload(project), time.monotonic() + 60, home()) is None
        assert ask("dance", "claude-code", payload(project), time.monotonic() + 60, home()) is None
        assert (
            ask("prompt", "claude-code", payload(project, prompt="x" * (2 << 20)), time.monotonic() + 60, home())
            is None
        )


@pytest.mark.parametrize("event", ["turn-end", "session-end", "pre-compact"])
def test_what_starts_a_process_is_left_to_the_hook(project: Path, folder: Path, event: str) -> None:
    """An agent that kills its server with all that the server started would kill that process too."""
    with serve_hooks(answers(config.load()), folder):
        assert asked(project) is not None
        assert asked(project, event) is None


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_what_others_could_have_written_is_not_used(project: Path, folder: Path) -> None:
    with serve_hooks(answers(config.load()), folder):
        for place in (folder, folder.parent, folder.parent / "at"):
            place.chmod(0o755)
            assert asked(project) is None
            place.chmod(0o700)
        mark = Path(mark_path(str(folder.parent), str(project)))
        space = mark.read_text()
        for content in (f"{project}\n../elsewhere\n", f"/another/folder\n{folder.name}\n", ""):
            mark.write_text(content)
            assert asked(project) is None
        mark.write_text(space)
        assert asked(project) is not None


def test_it_imports_little(project: Path, folder: Path) -> None:
    code = (
        "import sys; before = set(sys.modules); import waypost.faces.hooks.agent.entry, waypost.faces.hooks.agent.fast; "
        "print(' '.join(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"typing", "dataclasses", "inspect", "pathlib", "hashlib", "datetime", "tomllib", "subprocess"}
    assert {name for name in loaded if name.startswith("waypost.")} == {
        "waypost.faces",
        "waypost.faces.hooks",
        "waypost.faces.hooks.agent",
        "waypost.faces.hooks.agent.entry",
        "waypost.faces.hooks.agent.fast",
    }


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Stands for the processes that keep sessions."""
    commands: list[list[str]] = []

    def spawn(_program: str, command: list[str], _environment: object, **_: object) -> int:
        commands.append(command)
        return 1

    monkeypatch.setattr("waypost.faces.hooks.agent.fast.os.posix_spawn", spawn)
    return commands


def _transcript(project: Path, words: str) -> str:
    path = project / "session.jsonl"
    message = {"role": "user", "content": words}
    row = {"type": "user", "sessionId": "s", "timestamp": "2026-01-30T12:00:00.000Z", "message": message}
    path.write_text(json.dumps(row) + "\n")
    return str(path)


def test_the_end_of_a_session_is_left_to_the_process_that_keeps_it(
    project: Path, folder: Path, spawned: list[list[str]]
) -> None:
    raw = payload(project, transcript_path=_transcript(project, "The door is blue."), last_message="x" * 100_000)
    assert leave("turn-end", "claude-code", raw, home()) is not None
    space = Memory.open(project).space.folder
    assert [command[-1] for command in spawned] == [str(space)]
    session_end.keep_all(space, config.load())
    assert "The door is blue." in [row["text"] for row in Memory.open(project).list(kind="conversation")]
    assert list((space / "sessions").iterdir()) == []


def test_no_second_process_is_started_while_one_keeps_sessions(
    project: Path, folder: Path, spawned: list[list[str]]
) -> None:
    space = Memory.open(project).space.folder
    with try_claim(space / "sessions.lock") as claim:
        assert claim is not None
        assert leave("session-end", "claude-code", payload(project), home()) is not None
    assert spawned == []
    assert len(list((space / "sessions").iterdir())) == 1


@pytest.mark.parametrize("raw", [b"", b"[]", b"null", b'{"cwd": 3}', b'{"cwd": "/nowhere"}', b"[" * 100_000])
def test_what_is_unusual_about_an_end_goes_the_usual_way(project: Path, folder: Path, raw: bytes) -> None:
    assert leave("session-end", "claude-code", raw, home()) is None
    assert leave("prompt", "claude-code", payload(project), home()) is None


def test_agents_that_delete_transcripts_go_the_usual_way() -> None:
    assert {name for name, form in AGENTS.items() if form.loses_killed} == NOTED_AT_ONCE
