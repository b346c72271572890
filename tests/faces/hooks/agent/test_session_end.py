"""Sessions that ended, and the one process that keeps them."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost import config
from waypost.faces.hooks.agent import session_end
from waypost.faces.hooks.agent.formats import Event, HookInput
from waypost.faces.hooks.agent.open_sessions import note_kept, note_open, unkept
from waypost.memory import Memory


class Project:
    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder

    def end(self, session: str, words: str) -> HookInput:
        """The end of a session in which this was said."""
        transcript = self.root / f"{session}.jsonl"
        message = {"role": "user", "content": words}
        row = {"type": "user", "sessionId": session, "timestamp": "2026-01-30T12:00:00.000Z", "message": message}
        transcript.write_text(json.dumps(row) + "\n")
        return HookInput("session-end", "claude-code", session, str(self.root), transcript=str(transcript))

    @property
    def kept(self) -> set[str]:
        with Memory.open(self.root) as memory:
            return {row["text"] for row in memory.list(kind="conversation")}

    @property
    def left(self) -> list[str]:
        return sorted(path.suffix for path in (self.folder / "sessions").iterdir())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "no-weights"))
    root = tmp_path / "project"
    root.mkdir()
    with Memory.open(root) as memory:
        memory.remember("Uploads of large files use multipart requests.")
        return Project(root, memory.space.folder)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Stands for the processes that are started: each has the input it was given."""
    alive: list[int] = []

    def start(_command: list[str], *, stdin: int, **_: Any) -> None:
        alive.append(os.dup(stdin))

    monkeypatch.setattr("waypost.faces.hooks.agent.session_end.subprocess.Popen", start)
    yield alive
    for handle in alive:
        os.close(handle)


@pytest.mark.slow
def test_many_sessions_that_end_at_once_start_one_process_which_keeps_them_all(
    project: Project, started: list[int]
) -> None:
    for number in range(20):
        session_end.start_keeping(project.end(f"session-{number}", f"Word {number}"), project.folder)
    assert len(started) == 1
    session_end.keep_all(project.folder, config.load(), inherited=started.pop())
    assert project.kept == {f"Word {number}" for number in range(20)}
    assert project.left == []


def test_nobody_else_keeps_them_meanwhile(project: Project, started: list[int]) -> None:
    session_end.start_keeping(project.end("one", "Word"), project.folder)
    session_end.keep_all(project.folder, config.load())
    assert project.kept == set()
    assert project.left == [".json"]


@pytest.mark.slow
def test_a_session_whose_process_was_killed_is_kept_by_the_next(
    project: Project, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def be_killed(*_: object) -> bool:
        raise Killed

    session_end.start_keeping(project.end("one", "First word"), project.folder)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(session_end, "keep", be_killed)
        session_end.keep_all(project.folder, config.load(), inherited=started.pop())
    assert project.left == [".taken"]
    session_end.start_keeping(project.end("two", "Second word"), project.folder)
    session_end.keep_all(project.folder, config.load(), inherited=started.pop())
    assert project.kept == {"First word", "Second word"}
    assert project.left == []


def test_a_session_that_ends_again_while_it_is_read_is_read_again(
    project: Project, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads, keep = [], session_end.keep

    def read(given: HookInput, settings: config.Settings) -> bool:
        reads.append(given)
        if len(reads) == 1:
            session_end.start_keeping(given, project.folder)
        return keep(given, settings)

    monkeypatch.setattr(session_end, "keep", read)
    session_end.start_keeping(project.end("one", "Word"), project.folder)
    session_end.keep_all(project.folder, config.load(), inherited=started.pop())
    assert len(reads) == 2
    assert project.left == []


def test_what_is_no_session_is_noted_and_stops_no_other(project: Project, started: list[int]) -> None:
    session_end.start_keeping(project.end("one", "Word"), project.folder)
    (project.folder / "sessions" / "0.json").write_text("{")
    (project.folder / "sessions" / "1.json").write_text('{"event": "session-end", "agent": "nobody"}')
    session_end.keep_all(project.folder, config.load(), inherited=started.pop())
    assert project.kept == {"Word"}
    assert project.left == []
    assert (config.load().home / "hook.log").read_text().count("Keeping a session of an agent") == 2


@pytest.mark.slow
def test_the_process_that_is_started_keeps_the_session_and_ends(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def watched(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr("waypost.faces.hooks.agent.session_end.subprocess.Popen", watched)
    session_end.start_keeping(project.end("one", "Word"), project.folder)
    (keeper,) = started
    assert keeper.wait(120) == 0
    assert project.kept == {"Word"}


@pytest.mark.parametrize(("agent", "lost"), [("gemini", True), ("claude-code", False)])
def test_a_prompt_of_a_killed_session_is_kept_though_the_agent_deletes_its_transcript(
    project: Project, agent: str, lost: bool
) -> None:
    asked = HookInput("prompt", agent, "killed-1", str(project.root), "Paint the door blue.", "/gone/t.jsonl")
    starts = HookInput("session-start", agent, "next-2", str(project.root), transcript="/gone/u.jsonl")
    note_open(asked, project.folder)
    assert list(unkept(project.folder, starts, project.root)) == []  # it may be about to write its transcript
    [note] = (project.folder / "open-sessions").iterdir()
    os.utime(note, (note.stat().st_atime, note.stat().st_mtime - 60))
    left = list(unkept(project.folder, starts, project.root))
    assert [session.prompt for session in left] == (["Paint the door blue."] if lost else [])
    for session in left:
        assert session_end.keep(session, config.load())
        assert project.kept == {"Paint the door blue."}
        assert list(unkept(project.folder, starts, project.root)) == []


def test_an_answered_prompt_is_not_kept_again_without_its_transcript(project: Project) -> None:
    asked = HookInput("prompt", "gemini", "s-1", str(project.root), "Paint the door blue.", "/gone/t.jsonl")
    note_open(asked, project.folder)
    note_kept(HookInput("turn-end", "gemini", "s-1", str(project.root), transcript="/gone/t.jsonl"), project.folder)
    [note] = (project.folder / "open-sessions").iterdir()
    os.utime(note, (0, note.stat().st_mtime - 60))
    starts = HookInput("session-start", "gemini", "s-2", str(project.root))
    assert list(unkept(project.folder, starts, project.root)) == []


@pytest.mark.parametrize(("event", "notes"), [("session-end", 0), ("turn-end", 1)])
def test_a_session_without_a_turn_has_no_transcript_and_nothing_is_noted(
    project: Project, started: list[int], event: Event, notes: int
) -> None:
    given = HookInput(event, "claude-code", "s-1", str(project.root), transcript=str(project.root / "none.jsonl"))
    session_end.start_keeping(given, project.folder)
    session_end.keep_all(project.folder, config.load(), inherited=started.pop())
    log = config.load().home / "hook.log"
    assert (log.read_text().count("Keeping a session") if log.exists() else 0) == notes
