"""Erase entries from every file of the journal: days, archives, summaries, index, backups.

Entries are removed by id. Summaries, the index page and its backups lose the lines that name them as source. They also
lose lines with a word that only these entries contained. Pages of people, also imported ones, lose sentences that copy
the text. What people wrote around them stays.
"""

import contextlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from waypost.errors import WaypostError
from waypost.flows.journal_files.reconcile import record_in
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets, without_bullets
from waypost.journal.bundle import forget_bundle, read_bundle, write_bundle
from waypost.journal.files import PACKED, JournalFolder, pack, unpack
from waypost.journal.layout import INDEX_COPIES, day_of, stage_of
from waypost.journal.markdown import new_page, parse_page
from waypost.journal.memory_page.sources import marks_of, read_sources
from waypost.journal.period_pages.frame import split_frame, with_part
from waypost.journal.units import PAGES, JournalUnit, derived_id, unit_of, units_of
from waypost.model.journal import mark_of
from waypost.store.protocol import Writer
from waypost.system.platform import write_private_file

_WORD = re.compile(r"\w{3,}")
_BACKUPS = ("backups/*", "memory_v1_backup*.md")  # of the index page, and of imports
_LARGEST_BACKUP = 256 * 1024 * 1024  # bytes, uncompressed: the limit for imports
_SENTENCE_END = re.compile(r"(?<=[.!?…])[*_\"'»“”)]*\s+|\n")
_LINE_START = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+|>\s?)*")
_FEWEST_WORDS = 4  # of a sentence that is recognised as a copy
_CONFLICT = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


@dataclass(frozen=True)
class ErasedEntries:
    """Ids of erased entries, their texts, and words that only they used."""

    ids: frozenset[str]
    texts: tuple[str, ...]
    own_words: frozenset[str]
    digests: frozenset[bytes] = frozenset()  # of entries without an id in their file
    marks: frozenset[str] = frozenset()  # of lines of the index page that come from these entries

    @cached_property
    def _lines(self) -> frozenset[str]:
        return frozenset(
            _normal_line(line) for text in self.texts for line in text.split("\n") if len(_normal_line(line)) > 2
        )

    def mentions(self, line: str) -> bool:
        """Whether a generated line was made from these entries. Headings are not."""
        if line.startswith("#"):
            return False
        if any(memory_id in line for memory_id in self.ids) or self._lines & {_normal_line(line)}:
            return True
        if self.marks and mark_of(line.rstrip()) in self.marks:
            return True
        if self.without_copies(line) != line:
            return True
        return not self.own_words.isdisjoint(word.casefold() for word in _WORD.findall(line))

    @cached_property
    def _sentences(self) -> tuple[str, ...]:
        said = (_words_of(sentence) for text in self.texts for sentence in _SENTENCE_END.split(text))
        return tuple(dict.fromkeys(words for words in said if words.count(" ") > _FEWEST_WORDS))

    def without_copies(self, text: str) -> str:
        """The text without sentences that copy one of these entries, whole or shortened."""
        if not self._sentences:
            return text
        return "".join(map(self._line_without_copies, text.splitlines(keepends=True)))

    def _line_without_copies(self, line: str) -> str:
        start = (_LINE_START.match(line) or [""])[0]
        sentences = _SENTENCE_END.split(line[len(start) :].rstrip())
        kept = [sentence for sentence in sentences if not self._is_copy(sentence)]
        if len(kept) == len(sentences) or line.startswith("#"):
            return line
        end = line[len(line.rstrip("\r\n")) :]
        return start + " ".join(kept) + end if any(map(_words_of, kept)) else ""

    def _is_copy(self, sentence: str) -> bool:
        words = _words_of(sentence)
        return words.count(" ") > _FEWEST_WORDS and any(said in words or words in said for said in self._sentences)

    def without(self, text: str) -> str:
        return "".join(line for line in text.splitlines(keepends=True) if not self.mentions(line))


def erase_entries(space: OpenSpace, writer: Writer, ids: Collection[str], texts: Iterable[str]) -> set[str]:
    """Erase entries from every file, inside a transaction while the journal is locked. Returns changed files.

    Other journals of the space, such as one on another branch, are cleaned too.
    """
    said = tuple(dict.fromkeys(texts))
    digests = frozenset(place.digest for _, place in writer.journal.places_of(ids))
    changed = erase_in(space.journal, frozenset(ids), said, digests)
    record_in(space, writer, [path for path in changed if path.endswith(".md") and space.journal.exists(path)])
    for other in space.other_journals(writer):
        with other.locked():
            changed |= erase_in(other, frozenset(ids), said, digests)
    return changed


def erase_in(folder: JournalFolder, ids: frozenset[str], texts: tuple[str, ...], digests: frozenset[bytes]) -> set[str]:
    """The same in one folder that nobody else writes to now."""
    if not folder.root.is_dir():
        return set()
    erased = _with_own_words(folder, ids, texts, digests)
    changed = {path for path in folder.scan() if _clean(folder, path, erased)}
    others = [place for place in _backup_files(folder) if _clean_backup(place, erased)]
    return changed | {place.relative_to(folder.root).as_posix() for place in others}


def _with_own_words(
    folder: JournalFolder, ids: frozenset[str], texts: tuple[str, ...], digests: frozenset[bytes]
) -> ErasedEntries:
    words = {word.casefold() for text in texts for word in _WORD.findall(text)}
    marks = marks_of(read_sources(folder), ids)
    nothing = ErasedEntries(ids, texts, frozenset(), digests)
    for path in folder.scan():
        if not words:
            break
        with contextlib.suppress(WaypostError):
            for unit in units_of(folder, path, folder.read(path)):
                if not _is_erased(unit, path, nothing):
                    text = unit.entry.text if stage_of(path) in PAGES else nothing.without_copies(unit.entry.text)
                    words -= {word.casefold() for word in _WORD.findall(text)}
    return ErasedEntries(ids, texts, frozenset(words), digests, marks)


def remove_entries(space: OpenSpace, writer: Writer, ids: Collection[str]) -> set[str]:
    """Remove entries from their pages, and pages that are empty then. Their history stays."""
    digests = frozenset(place.digest for _, place in writer.journal.places_of(ids))
    folder, erased = space.journal, ErasedEntries(frozenset(ids), (), frozenset(), digests)
    paths = {place.path for journal, place in writer.journal.places_of(ids) if journal == space.journal_id}
    for path in paths:
        _clean(folder, path, erased)
        day = day_of(path)
        if stage_of(path) in PAGES and day is not None and folder.read(path).strip() in ("", new_page(day).strip()):
            folder.remove(path)
    record_in(space, writer, paths)
    return paths


def _clean(folder: JournalFolder, path: str, erased: ErasedEntries) -> bool:
    while True:
        try:
            before = folder.read(path)
        except WaypostError:
            return False
        after = _cleaned(folder, path, before, erased)
        if after == before:
            return False
        if folder.replace(path, after, expected=before):
            return True


def _cleaned(folder: JournalFolder, path: str, text: str, erased: ErasedEntries) -> str:
    if stage_of(path) in PAGES:
        return _page_without(folder, path, text, erased)
    frame = split_frame(text)
    if frame.part is None:
        return _points_without(text, erased)
    lines = frame.part.split("\n")
    kept = [line for line in lines if not erased.mentions(line)]
    part = "\n".join(kept if kept == lines else _without_empty_headings(kept))
    before, after = _points_without(frame.before, erased), _points_without(frame.after, erased)
    if (before, part, after) == (frame.before, frame.part, frame.after):
        return text
    middle = text[len(frame.before) : len(text) - len(frame.after) if frame.after else None]
    return with_part(before + middle + after, part) if not frame.is_edited else before + part + after


def _without_empty_headings(lines: list[str]) -> list[str]:
    """Remove headings without content. The first one is the title."""
    kept: list[str] = []
    for line in reversed(lines):
        below = next((line_below for line_below in reversed(kept) if line_below.strip()), "#")
        is_empty = line.startswith("### ") and (below.startswith("#") and not below.startswith("####"))
        if not is_empty:
            kept.append(line)
    return kept[::-1]


def _page_without(folder: JournalFolder, path: str, text: str, erased: ErasedEntries) -> str:
    page = parse_page(text, day_of(path), folder.zone)
    if page.is_conflicted:
        return _conflict_without(text, erased)
    places = [at for at, entry in enumerate(page.entries) if _is_erased(unit_of(entry), path, erased)]
    return page.without(places).text if places else text


def _conflict_without(text: str, erased: ErasedEntries) -> str:
    """In a page with a conflict, remove from the entry's heading to the next heading or conflict mark."""
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith(("### ", *_CONFLICT)):
            inside = line.startswith("### ") and any(memory_id in line for memory_id in erased.ids)
        if not inside:
            kept.append(line)
    return "".join(kept)


def _is_erased(unit: JournalUnit, path: str, erased: ErasedEntries) -> bool:
    own = unit.entry.id
    if own is not None:
        return own in erased.ids
    return unit.digest in erased.digests or derived_id(unit, path, 0) in erased.ids


def _points_without(text: str, erased: ErasedEntries) -> str:
    bullets = parse_bullets(text)
    said = set(erased.texts)
    places = [at for at, bullet in enumerate(bullets) if bullet.id in erased.ids or bullet.text in said]
    return erased.without_copies(without_bullets(text, places) if places else text)


def copies_in_pages(space: OpenSpace, writer: Writer, texts: Iterable[str]) -> set[str]:
    """Memories from pages of people, also imported ones, that copy one of these texts."""
    erased, folder = ErasedEntries(frozenset(), tuple(dict.fromkeys(texts)), frozenset()), space.journal
    paths = [path for path in folder.scan() if stage_of(path) not in PAGES]
    ids = set[str]()
    for place in writer.journal.places(space.journal_id, paths):
        versions = writer.memories.versions(place.memory_id)
        if any(erased.without_copies(version.text) != version.text for version in versions):
            ids.add(place.memory_id)
    return ids


def _backup_files(folder: JournalFolder) -> Iterator[Path]:
    """Backups of the index page and of imports. Removes leftovers of killed processes."""
    scanned = {folder.root / path for path in folder.scan()}
    for pattern in _BACKUPS:
        for place in sorted(folder.root.glob(pattern)):
            if place.is_file() and not place.is_symlink() and place not in scanned:
                yield place
    for left in folder.root.rglob(".*.tmp"):
        with contextlib.suppress(OSError):
            left.unlink()


def _clean_backup(place: Path, erased: ErasedEntries) -> bool:
    if place.stat().st_size > _LARGEST_BACKUP:
        return False
    if place.name == Path(INDEX_COPIES).name:
        return _clean_copies(place, erased)
    content = place.read_bytes()
    try:
        before = (unpack(content, place, _LARGEST_BACKUP) if place.suffix == PACKED else content).decode(
            "utf-8", "surrogateescape"
        )
    except WaypostError:  # unreadable
        place.unlink()
        return True
    after = erased.without(before)
    if after == before:
        return False
    cleaned = after.encode("utf-8", "surrogateescape")
    write_private_file(place, pack(cleaned) if place.suffix == PACKED else cleaned, replace=True)
    return True


def _clean_copies(bundle: Path, erased: ErasedEntries) -> bool:
    try:
        before = read_bundle(bundle)
    except WaypostError:  # unreadable
        forget_bundle(bundle)
        bundle.unlink()
        return True
    texts = {path: erased.without(content.decode("utf-8", "surrogateescape")) for path, content in before.items()}
    after = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    if after == before:
        return False
    write_bundle(bundle, after)
    return True


def _words_of(sentence: str) -> str:
    """The words of a sentence, each between spaces; empty without words."""
    words = re.findall(r"[^\W_]+", sentence.casefold())
    return f" {' '.join(words)} " if words else ""


def _normal_line(line: str) -> str:
    return " ".join(line.split()).casefold()
