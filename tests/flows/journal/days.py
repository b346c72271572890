"""Days of conversations, what a journal holds, and whether a word of it is lost."""

import gzip
import re
import shutil
import subprocess
import tarfile
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from waypost import Memory
from waypost.flows.journal.condense.run import Condensed, condense
from waypost.flows.open_space import OpenSpace
from waypost.memory.spaces import open_spaces

DAY = timedelta(days=1)
START = date(2026, 1, 12)  # a Monday
CHATTER = "The forecast says sun in the morning, clouds at noon, some rain in the evening, and wind from the west. " * 6
TALKS = (
    ("What is the weather like today?", CHATTER),
    ("I have decided to use PostgreSQL for the billing project, remember this.", "Noted: PostgreSQL for billing."),
    ("I prefer short answers, this is important to me.", "I will keep answers short."),
    ("How far am I with the AWS certification?", "You have finished two of three chapters."),
    ("We met Clara for dinner yesterday.", "That sounds lovely."),
)


def space_of(memory: Memory) -> OpenSpace:
    return memory.space


def noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


def talk(memory: Memory, day: date, number: int | None = None) -> list[str]:
    """A question and an answer of a day; each has a word that stands nowhere else. Returns these words."""
    chosen = (day - START).days if number is None else number
    asked, answered = TALKS[chosen % len(TALKS)]
    words = [f"q{day:%Y%m%d}n{chosen}", f"a{day:%Y%m%d}n{chosen}"]
    at = noon(day) + timedelta(minutes=chosen % 600)
    memory.remember_many(
        [
            {
                "text": f"{asked} {words[0]}",
                "kind": "conversation",
                "session": f"s{day}",
                "speaker": "user",
                "time": at,
            },
            {
                "text": f"{answered} {words[1]}",
                "kind": "conversation",
                "session": f"s{day}",
                "speaker": "assistant",
                "time": at + timedelta(seconds=5),
            },
        ]
    )
    return words


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of a journal with its bytes; copies of the index are another matter, and so is what a kill may leave:
    temporary files that nobody reads. Those in the bundle of a month count as if they stood beside it."""
    files: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        if "backups" in path.parts or path.name.startswith(".") or not path.is_file():
            continue
        if path.name.endswith(".tar.bz2"):
            with tarfile.open(path) as bundle:
                unpacked = {entry.name: bundle.extractfile(entry) for entry in bundle if entry.name != "CONTENTS"}
                files = {name: file.read() for name, file in unpacked.items() if file} | files
        else:
            files[path.relative_to(root).as_posix()] = path.read_bytes()
    return dict(sorted(files.items()))


def words_in(root: Path, *, under: str = "") -> str:
    files = {path: content for path, content in files_of(root).items() if path.startswith(under)}
    return "\n".join(
        (gzip.decompress(content) if path.endswith(".gz") else content).decode() for path, content in files.items()
    )


def lost(root: Path, words: list[str]) -> list[str]:
    """Those words that no day says any more, neither live nor in the archive."""
    there = set(re.findall(r"\w+", words_in(root, under="daily/") + words_in(root, under="archive/daily/")))
    return [word for word in words if word not in there]


def at_four(day: date) -> datetime:
    return datetime.combine(day, time(4, 0), UTC)


def condensed(memory: Memory, *, force: bool = False, dry_run: bool = False) -> Condensed:
    return condense(space_of(memory), force=force, dry_run=dry_run)


class Worlds:
    """Copies of one home: the same journal, with the same ids, to which different things happen."""

    def __init__(self, folder: Path, project: Path, clock: object, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._project, self._clock, self._monkeypatch = folder, project, clock, monkeypatch
        self._number = self._current = 0

    def copy(self, home: Path) -> Memory:
        open_spaces.drop_all()
        self._number += 1
        to = self._folder / f"world{self._number}"
        shutil.copytree(home, to)
        self._monkeypatch.setenv("WAYPOST_HOME", str(to))
        self._current = self._number
        return self.again()

    def snapshot(self) -> Path:
        """The last copy as it is at this moment, as a kill would leave it: nothing that is open is closed, no handler runs."""
        self._number += 1
        to = self._folder / f"world{self._number}"
        # By another process: this one has the database open, and closing a file of it would drop its locks.
        subprocess.run(["cp", "-a", str(self._folder / f"world{self._current}"), str(to)], check=True)
        for shared in to.rglob("*-shm"):
            shared.unlink()
        return to

    def enter(self, home: Path) -> Memory:
        """The world of a snapshot."""
        self._monkeypatch.setenv("WAYPOST_HOME", str(home))
        return self.again()

    def again(self) -> Memory:
        """The world of the last copy, opened anew."""
        open_spaces.drop_all()
        return Memory.open(self._project, clock=self._clock)  # type: ignore[arg-type]


def root_of(memory: Memory) -> Path:
    return space_of(memory).journal.root
