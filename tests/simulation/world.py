"""A life that is lived: every day its conversations are written down, and at four in the morning upkeep is done.

What must hold of the journal at any time is asked here, of the files as they are on the disk.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from tests.simulation.life import Day, Fact, Life, Line

from waypost.journal.files import JournalFolder
from waypost.journal.layout import INDEX, PREFERENCES, day_of, day_path, stage_of
from waypost.journal.markdown import JournalPage, parse_page
from waypost.memory import Memory

OWN_WORDS = "# About me\r\n\nI wrote this myself.  \nДаже так. Größe: ✓\n\n"
UPKEEP_AT = time(4, 0)
PROTECTED_EVERY = 40  # so many of the lines somebody protects by hand


@dataclass
class Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    memory: Memory
    clock: Clock
    life: Life
    said: dict[str, Line] = field(default_factory=dict)  # by key
    facts: list[Fact] = field(default_factory=list)
    protected: list[Line] = field(default_factory=list)
    lived: list[date] = field(default_factory=list)

    @classmethod
    def begin(cls, life: Life, open_: Callable[[Clock], Memory]) -> "World":
        """A new memory on the first day, whose index page has words of its person at its top."""
        clock = Clock(datetime.combine(life.start, time(6, 0), UTC))
        world = cls(open_(clock), clock, life)
        world.journal.root.mkdir(parents=True, exist_ok=True)
        (world.journal.root / INDEX).write_bytes(OWN_WORDS.encode())
        return world

    @property
    def journal(self) -> JournalFolder:
        return self.memory.space.journal

    def live(self, days: int, *, upkeep_every: int = 1) -> Iterator[Day]:
        """Day by day; whoever watches sees each one after the upkeep of the night, if that one has any."""
        for number, day in enumerate(self.life.days(days), 1):
            self._write(day)
            self.clock.now = datetime.combine(day.date + timedelta(days=1), UPKEEP_AT, UTC)
            if number % upkeep_every == 0:
                self.memory.admin.maintain()
            self.lived.append(day.date)
            yield day

    def _write(self, day: Day) -> None:
        self.clock.now = datetime.combine(day.date, time(23, 0), UTC)
        receipts = self.memory.remember_many([line.draft() for line in day.lines])
        assert {receipt.status for receipt in receipts} <= {"added"}
        for line, receipt in zip(day.lines, receipts, strict=True):
            if len(self.said) % PROTECTED_EVERY == 0 and receipt.id:
                self.memory.protect(receipt.id)
                self.protected.append(line)
            self.said[line.key] = line
        self.facts += day.facts

    # -- the files

    def pages(self) -> dict[str, JournalPage]:
        """Every file, read as the journal reads it. One that cannot be read fails here."""
        return {path: self._page(path) for path in self.journal.scan()}

    def _page(self, path: str) -> JournalPage:
        return parse_page(self.journal.read(path), day_of(path), self.journal.zone)

    def folder(self) -> Mapping[str, bytes]:
        """All that is on the disk, by name."""
        root = self.journal.root
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not path.name.endswith(".lock")
        }

    # -- what must hold

    def lost(self) -> list[Line]:
        """Lines whose words are neither in the file of their day nor in the archive."""
        kept = {
            (entry.at, entry.text)
            for path, page in self.pages().items()
            if stage_of(path) in {"daily", "archive/daily"}
            for entry in page.entries
            if entry.trimmed is None
        }
        return [line for line in self.said.values() if (line.at, line.text) not in kept]

    def left_too_early(self, protected_days: int = 7) -> list[Line]:
        """Lines of the last days that are not in the file of their day any more, or a person's words that are changed."""
        today = self.journal.today(self.clock())
        recent = [one for one in self.lived if one > today - timedelta(days=protected_days)]
        found: set[tuple[datetime, str]] = set()
        for day in recent:
            if not self.journal.exists(day_path(day)):
                continue
            found |= {
                (entry.at, entry.text if entry.speaker == "user" else "") for entry in self._page(day_path(day)).entries
            }
        return [
            line
            for line in self.said.values()
            if line.at.date() in recent and (line.at, line.text if line.speaker == "user" else "") not in found
        ]

    def not_word_for_word(self) -> list[Line]:
        """Protected lines that no file outside of the archive has as they were said."""
        texts = [self.journal.read(path) for path in self.journal.scan() if not path.startswith("archive/")]
        plain = [_plain(text) for text in texts]
        return [line for line in self.protected if not any(_plain(line.text) in text for text in plain)]

    def unreadable(self) -> list[str]:
        """Files that do not come back to the byte from what was read, or that are in conflict."""
        return [
            path for path, page in self.pages().items() if page.text != self.journal.read(path) or page.is_conflicted
        ]

    def upper_part(self) -> bytes:
        return (self.journal.root / INDEX).read_bytes().partition(b"<!-- waypost:begin")[0]

    def preferences(self) -> str:
        return self.journal.read(PREFERENCES) if self.journal.exists(PREFERENCES) else ""

    def found(self, fact: Fact, most: int = 5) -> bool:
        """Whether asking for the fact brings it up."""
        return any(fact.is_in(hit.text) for hit in self.memory.recall(fact.question, k=most))


def _plain(text: str) -> str:
    return " ".join(text.split())


def sizes(journal: JournalFolder) -> dict[str, int]:
    """Bytes on the disk, by stage. What is not told by the plan (copies of the index page) is there too."""
    found: dict[str, int] = {}
    for path in sorted(Path(journal.root).rglob("*")):
        if path.is_file():
            # A bundle has days, weeks and months together.
            stage = path.parent.relative_to(journal.root).as_posix()
            name = "pages" if stage == "." else stage + (" (packed)" if path.suffix in (".gz", ".bz2") else "")
            found[name] = found.get(name, 0) + path.stat().st_size
    return found
