"""Turns parts of imported memory files into journal drafts and pages."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from waypost.compat.chat.messages import ChatMessage, storable_text, with_sessions
from waypost.compat.crowdbot.memory_file import Legacy, MemoryFilePiece, parse_legacy, sections_of
from waypost.compat.crowdbot.source_file import ReadFile
from waypost.compat.crowdbot.timestamps import has_words, lexicon
from waypost.flows.journal.entry_import import ImportedPage, key_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets
from waypost.journal.layout import INDEX
from waypost.journal.period_pages.frame import defuse_markers
from waypost.model.draft import MAX_TEXT, Draft
from waypost.text.language import language_of

MOST_CURATED = 20_000  # characters above the index page; longer text would fill every context
_LONGEST_DRAFT = MAX_TEXT - 1000
_HEADING = re.compile(r"(#{1,6})[ \t]")


@dataclass(slots=True)
class GatheredDrafts:
    """The drafts and pages read from one tool's files."""

    space: OpenSpace
    origin: str
    drafts: list[Draft] = field(default_factory=list)
    pages: list[ImportedPage] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def read(self, source: ReadFile, day: date | None = None, apart: tuple[str, ...] = ()) -> Legacy:
        if source.encoding not in ("utf-8", "ascii"):
            self.notices.append(f"{source.path.name} was read as {source.encoding}")
        return parse_legacy(source.text, day, apart=apart)

    def add_pieces(self, pieces: Iterable[MemoryFilePiece], source: ReadFile) -> None:
        """Add pieces as drafts. Undated ones get the time of their file."""
        cleaned = [replace(piece, text=storable_text(piece.text).strip()) for piece in pieces]
        parts = [
            replace(piece, text=text) for piece in cleaned for point in _points(piece) for text in _split_long(point)
        ]
        sessions = self._sessions(parts)
        for number, piece in enumerate(parts):
            self.drafts.append(self._draft(piece, source, sessions.get(number)))

    def add_curated(self, text: str, source: ReadFile) -> None:
        """Add undated text above the index page, or as notes if it is too long for that."""
        text = storable_text(text).strip("\n")
        if not has_words(text):
            return
        if len(text) > MOST_CURATED:
            self.notices.append(
                f"{len(text):,} characters of {source.path.name} without a date became notes on the day of the file"
            )
            self.add_pieces([MemoryFilePiece(part, None, "note") for part in sections_of(text)], source)
            return
        name = source.path.name.removesuffix(".gz")
        titles = lexicon().titles
        title = titles.get(language_of(text), titles["en"]).format(name=name)
        self.pages.append(ImportedPage(INDEX, f"## {title}\n\n{defuse_markers(_lower_headings(text))}", upper=True))

    def add_page(self, path: str, source: ReadFile, *, otherwise: str | None = None) -> None:
        """Add a file unchanged. `otherwise` is its path if another file already exists."""
        text = storable_text(source.text).strip("\n")
        if not text.strip():
            return
        if self.space.journal.exists(path) and self.space.journal.read(path).strip() != text.strip():
            if otherwise is None:
                self.notices.append(f"{path} already exists and stays; {source.path.name} was left out")
                return
            self.notices.append(f"{path} already exists and stays; {source.path.name} is stored as {otherwise}")
            path = otherwise
        self.pages.append(ImportedPage(path, text))

    def _sessions(self, pieces: Sequence[MemoryFilePiece]) -> dict[int, str]:
        """The sessions of conversation pieces, by their index."""
        messages = [
            ChatMessage(str(number), piece.speaker or "", piece.text, self._local(piece.at))
            for number, piece in enumerate(pieces)
            if piece.kind == "conversation" and piece.at is not None
        ]
        return {int(message.where): message.session or "" for message in with_sessions(messages, self.origin)}

    def _draft(self, piece: MemoryFilePiece, source: ReadFile, session: str | None) -> Draft:
        when = piece.at.isoformat() if piece.at else ""
        return Draft.of(
            {
                "text": piece.text,
                "kind": piece.kind if session or piece.kind != "conversation" else "note",
                "speaker": piece.speaker,
                "session": session,
                "time": self._local(piece.at) if piece.at else min(source.modified, self.space.clock()),
                "key": key_of(self.origin, piece.kind, when, piece.speaker or "", piece.text),
            }
        )

    def _local(self, at: datetime) -> datetime:
        """The time with a zone; without one, it is in the zone of the journal."""
        if at.tzinfo is not None:
            return at
        zone = self.space.journal.zone
        return at.replace(tzinfo=zone) if zone is not None else at.astimezone()


def _points(piece: MemoryFilePiece) -> Iterator[str]:
    """The items of a note that is only a list, since each becomes a note; else its whole text."""
    bullets = parse_bullets(piece.text) if piece.kind == "note" and not piece.has_clock else ()
    whole = "".join(piece.text[bullet.start : bullet.end] for bullet in bullets if bullet.mark)
    if len(bullets) > 1 and "".join(whole.split()) == "".join(piece.text.split()):
        yield from (bullet.text for bullet in bullets)
    else:
        yield piece.text


def _split_long(text: str) -> Iterator[str]:
    """The text in parts that fit into a memory, cut at line ends if possible."""
    while len(text) > _LONGEST_DRAFT:
        cut = text.rfind("\n", 0, _LONGEST_DRAFT)
        cut = cut if cut > 0 else _LONGEST_DRAFT
        yield text[:cut].strip("\n")
        text = text[cut:].strip("\n")
    if text.strip():
        yield text


def _lower_headings(text: str) -> str:
    """The text with its headings below level two, since it is put under a heading of that level."""
    lines, is_code = text.split("\n"), False
    headings: dict[int, int] = {}
    for number, line in enumerate(lines):
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if is_code else _HEADING.match(line)
        if heading:
            headings[number] = len(heading[1])
    more = max(0, 3 - min(headings.values(), default=3))
    for number, level in headings.items():
        lines[number] = "#" * (min(level + more, 6) - level) + lines[number]
    return "\n".join(lines)
