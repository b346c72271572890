"""Progress is for people who wait: rare lines in a log, a bar at a terminal, nothing for programs."""

import contextlib
import io
import os
import subprocess
import sys
import threading

import pytest

from waypost.faces.cli.output.progress import progress


class Ticks:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


def test_a_phase_says_when_it_begins_and_how_it_ended(ticks: Ticks) -> None:
    out = io.StringIO()
    with progress(stream=out, ticks=ticks) as report:
        for done in range(1001):
            report("Reading files", done, 1000)
        report("Embedding", 0, 0)
    assert out.getvalue().splitlines() == [
        "Reading files: 0 of 1,000 (0 %)",
        "Reading files: 1,000 of 1,000 (100 %)",
        "Embedding …",
    ]


def test_within_a_phase_there_is_at_most_a_line_every_two_seconds(ticks: Ticks) -> None:
    out = io.StringIO()
    with progress(stream=out, ticks=ticks) as report:
        for done in range(100):
            report("Embedding", done, 100)
            ticks.now += 0.125
    assert [line.split()[1] for line in out.getvalue().splitlines()] == ["0", "16", "32", "48", "64", "80", "96", "99"]


def test_with_json_nothing_is_shown(ticks: Ticks) -> None:
    out = io.StringIO()
    with progress(json=True, stream=out, ticks=ticks) as report:
        report("Embedding", 1, 2)
    assert out.getvalue() == ""


def test_it_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as report:
        report("Embedding", 1, 2)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Embedding: 1 of 2 (50 %)\n")


def test_a_note_is_a_strangers_word_it_stays_on_the_line_and_acts_on_nothing(ticks: Ticks) -> None:
    out = io.StringIO()
    with progress(stream=out, ticks=ticks) as report:
        report("Reading", 1, 2, "evil\nforged: 9 of 9\x1b[2J.py")
        ticks.now += 2
        report("Reading", 2, 2, "long/" * 100 + "end.py")
    first, second = out.getvalue().splitlines()
    assert first == "Reading: 1 of 2 (50 %)  evil forged: 9 of 9\ufffd[2J.py"
    assert second.endswith("long/end.py")
    assert len(second) < 100


def test_when_the_work_fails_nothing_more_is_said(ticks: Ticks) -> None:
    out = io.StringIO()
    with pytest.raises(LookupError), progress(stream=out, ticks=ticks) as report:
        report("Reading", 1, 3)
        report("Reading", 2, 3)
        raise LookupError
    assert out.getvalue() == "Reading: 1 of 3 (33 %)\n"


def test_a_stream_that_has_gone_does_not_stop_the_work(ticks: Ticks) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", buffering=1) as gone:
        with progress(stream=gone, ticks=ticks) as report:
            report("Reading", 1, 3)
        with pytest.raises(OSError):  # what the buffer still holds; the test's, not ours
            gone.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), gone.fileno())


def test_a_closed_stream_does_not_stop_the_work(ticks: Ticks) -> None:
    out = io.StringIO()
    with progress(stream=out, ticks=ticks) as report:
        out.close()
        report("Reading", 1, 3)


def test_reports_may_come_from_several_threads(ticks: Ticks) -> None:
    out = io.StringIO()
    with progress(stream=out, ticks=ticks) as report:

        def work() -> None:
            for done in range(99):
                report("Reading", done, 99)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert out.getvalue().count("\n") == 2


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, ticks: Ticks, kind: str, notes: list[str]) -> str:
    """What a terminal of this kind receives."""
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setenv("COLUMNS", "120")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_INTERACTIVE", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    leader, follower = os.openpty()
    with open(follower, "w", encoding="utf-8") as terminal, progress(stream=terminal, ticks=ticks) as report:
        for place, note in enumerate(notes, 1):
            ticks.now += 1
            report("Reading files", place, len(notes), note)
    shown = b""
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while block := os.read(leader, 4096):
            shown += block
    os.close(leader)
    return shown.decode()


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_at_a_terminal_there_is_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch, ticks: Ticks) -> None:
    shown = at_a_terminal(monkeypatch, ticks, "xterm", ["[red]a.py", "\x1b]0;owned\x07b.py"])
    assert "Reading files" in shown and "2/2" in shown
    assert "\x1b]0;owned" not in shown
    assert shown.endswith("\x1b[2K")  # the line is wiped


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_terminal_that_cannot_move_its_cursor_gets_lines(monkeypatch: pytest.MonkeyPatch, ticks: Ticks) -> None:
    shown = at_a_terminal(monkeypatch, ticks, "dumb", ["a.py", "b.py"])
    assert shown.split("\r\n")[:2] == ["Reading files: 1 of 2 (50 %)  a.py", "Reading files: 2 of 2 (100 %)  b.py"]


def test_showing_progress_in_a_log_needs_no_rich() -> None:
    code = (
        "import sys\nfrom waypost.faces.cli.output.progress import progress\n"
        "with progress() as report: report('Reading', 1, 2)\n"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
