"""From the pieces of old memory files to drafts for the journal, and to the text that goes above it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from waypost.compat.chat.messages import ChatMessage, visible, with_sessions
from waypost.compat.crowdbot.memory_file import Legacy, MemoryFilePiece, parse_legacy, sections_of
from waypost.compat.crowdbot.reading import ReadFile
from waypost.compat.crowdbot.timestamps import lexicon
from waypost.flows.journal.entry_import import ImportedPage, key_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets
from waypost.journal.layout import INDEX
from waypost.journal.summary.frame import defuse_markers
from waypost.model.draft import MAX_TEXT, Draft
from waypost.text.language import language_of

MOST_CURATED = 20_000  # characters that may go above the index: what is longer would fill every context
_A_PART = MAX_TEXT - 1000
_HEADING = re.compile(r"(#{1,6})[ \t]")


@dataclass(slots=True)
class GatheredDrafts:
    """What files of one tool hold, on its way to the journal."""

    space: OpenSpace
    origin: str
    drafts: list[Draft] = field(default_factory=list)
    pages: list[ImportedPage] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def read(self, source: ReadFile, day: date | None = None, apart: tuple[str, ...] = ()) -> Legacy:
        if source.encoding not in ("utf-8", "ascii"):
            self.notices.append(f"{source.path.name} was read as {source.encoding}")
        return parse_legacy(source.text, day, apart=apart)

    def take(self, pieces: Iterable[MemoryFilePiece], source: ReadFile) -> None:
        """Pieces as drafts. What nobody dated has the time of its file."""
        found = [replace(piece, text=visible(piece.text).strip()) for piece in pieces]
        parts = [replace(piece, text=text) for piece in found for point in _points(piece) for text in _parts(point)]
        sessions = self._sessions(parts)
        for number, piece in enumerate(parts):
            self.drafts.append(self._draft(piece, source, sessions.get(number)))

    def take_above(self, text: str, source: ReadFile) -> None:
        """What stands under no date goes above the index page; what is too long for that becomes notes."""
        text = visible(text).strip("\n")
        if not any(map(str.isalnum, text)):
            return
        if len(text) > MOST_CURATED:
            self.notices.append(
                f"{len(text):,} characters of {source.path.name} without a date became notes of its day"
            )
            self.take([MemoryFilePiece(part, None, "note") for part in sections_of(text)], source)
            return
        name = source.path.name.removesuffix(".gz")
        titles = lexicon().titles
        title = titles.get(language_of(text), titles["en"]).format(name=name)
        self.pages.append(ImportedPage(INDEX, f"## {title}\n\n{defuse_markers(_lowered(text))}", upper=True))

    def take_file(self, path: str, source: ReadFile, *, otherwise: str | None = None) -> None:
        """A file of people as it is. `otherwise` is its name where there is another one already."""
        text = visible(source.text).strip("\n")
        if not text.strip():
            return
        if self.space.journal.exists(path) and self.space.journal.read(path).strip() != text.strip():
            if otherwise is None:
                self.notices.append(f"{path} is here already and stays; {source.path.name} was left out")
                return
            self.notices.append(f"{path} is here already and stays; {source.path.name} is kept as {otherwise}")
            path = otherwise
        self.pages.append(ImportedPage(path, text))

    def _sessions(self, pieces: Sequence[MemoryFilePiece]) -> dict[int, str]:
        """Sessions of the pieces that are conversation, by their place."""
        said = [
            ChatMessage(str(number), piece.speaker or "", piece.text, self._local(piece.at))
            for number, piece in enumerate(pieces)
            if piece.kind == "conversation" and piece.at is not None
        ]
        return {int(one.where): one.session or "" for one in with_sessions(said, self.origin)}

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
        """Without a zone it is the time of the place where the journal is kept."""
        if at.tzinfo is not None:
            return at
        zone = self.space.journal.zone
        return at.replace(tzinfo=zone) if zone is not None else at.astimezone()


def _points(piece: MemoryFilePiece) -> Iterator[str]:
    """The points of a note that is nothing but a list: each is a note of its own."""
    bullets = parse_bullets(piece.text) if piece.kind == "note" and not piece.has_clock else ()
    whole = "".join(piece.text[bullet.start : bullet.end] for bullet in bullets if bullet.mark)
    if len(bullets) > 1 and "".join(whole.split()) == "".join(piece.text.split()):
        yield from (bullet.text for bullet in bullets)
    else:
        yield piece.text


def _parts(text: str) -> Iterator[str]:
    """The text in pieces that a memory can hold, cut at the ends of lines where there are any."""
    while len(text) > _A_PART:
        cut = text.rfind("\n", 0, _A_PART)
        cut = cut if cut > 0 else _A_PART
        yield text[:cut].strip("\n")
        text = text[cut:].strip("\n")
    if text.strip():
        yield text


def _lowered(text: str) -> str:
    """The text with its headings below the second level, under which it stands."""
    lines, is_code = text.split("\n"), False
    headings: dict[int, int] = {}
    for number, line in enumerate(lines):
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        found = None if is_code else _HEADING.match(line)
        if found:
            headings[number] = len(found[1])
    more = max(0, 3 - min(headings.values(), default=3))
    for number, level in headings.items():
        lines[number] = "#" * (min(level + more, 6) - level) + lines[number]
    return "\n".join(lines)
