"""Taking entries out of every file of the journal: days, archives packed or not, summaries, index, backups.

Whole entries go by their ids. In what was made from them (summaries, the index page and its backups) the lines go that name
them as their source, or that hold a word that only they contained. People's own words around them stay.
"""

import contextlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from waypost.errors import WaypostError
from waypost.flows.journal.files.sync import record_in
from waypost.flows.journal.files.units import PAGES, JournalUnit, derived_id, unit_of, units_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets, without_bullets
from waypost.journal.files import PACKED, JournalFolder, pack, unpack
from waypost.journal.layout import day_of, stage_of
from waypost.journal.markdown import new_page, parse_page
from waypost.journal.summary.frame import split_frame, with_part
from waypost.space.platform import write_private_file
from waypost.store.protocol import Writer

_WORD = re.compile(r"\w{3,}")
_BACKUPS = ("backups/*", "memory_v1_backup*.md")  # of the index page, and of what was imported
_LARGEST_BACKUP = 256 * 1024 * 1024  # bytes, unpacked: as large as what can be imported
_CONFLICT = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


@dataclass(frozen=True)
class Erased:
    """What is not to be found any more: ids, the words of all versions, and which of these words nobody else used."""

    ids: frozenset[str]
    texts: tuple[str, ...]
    own_words: frozenset[str]
    digests: frozenset[bytes] = frozenset()  # of entries that have no id in their file

    @cached_property
    def _lines(self) -> frozenset[str]:
        return frozenset(_plain(line) for text in self.texts for line in text.split("\n") if len(_plain(line)) > 2)

    def tells(self, line: str) -> bool:
        """Whether a line that was made from entries was made from these. Headings are ours."""
        if line.startswith("#"):
            return False
        if any(one in line for one in self.ids) or self._lines & {_plain(line)}:
            return True
        return not self.own_words.isdisjoint(word.casefold() for word in _WORD.findall(line))

    def without(self, text: str) -> str:
        """A text that is not ours to read, without its lines about them."""
        return "".join(line for line in text.splitlines(keepends=True) if not self.tells(line))


def erase_entries(space: OpenSpace, writer: Writer, ids: Collection[str], texts: Iterable[str]) -> set[str]:
    """Take them out of every file, inside a transaction while the journal is locked; out of other journals of the space
    too, such as one that another branch keeps in the tree. Returns the files that changed."""
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
    erased = _erased(folder, ids, texts, digests)
    changed = {path for path in folder.scan() if _clean(folder, path, erased)}
    others = [place for place in _other_files(folder) if _clean_other(place, erased)]
    return changed | {place.relative_to(folder.root).as_posix() for place in others}


def _erased(folder: JournalFolder, ids: frozenset[str], texts: tuple[str, ...], digests: frozenset[bytes]) -> Erased:
    """With the words that no other entry contains."""
    words = {word.casefold() for text in texts for word in _WORD.findall(text)}
    nothing = Erased(ids, texts, frozenset(), digests)
    for path in folder.scan():
        if not words:
            break
        with contextlib.suppress(WaypostError):
            for unit in units_of(folder, path, folder.read(path)):
                if not _is_erased(unit, path, nothing):
                    words -= {word.casefold() for word in _WORD.findall(unit.entry.text)}
    return Erased(ids, texts, frozenset(words), digests)


def take_out(space: OpenSpace, writer: Writer, ids: Collection[str]) -> set[str]:
    """Remove these entries from the pages that hold them, and pages that then hold nothing. Their history stays."""
    digests = frozenset(place.digest for _, place in writer.journal.places_of(ids))
    folder, erased = space.journal, Erased(frozenset(ids), (), frozenset(), digests)
    paths = {place.path for journal, place in writer.journal.places_of(ids) if journal == space.journal_id}
    for path in paths:
        _clean(folder, path, erased)
        day = day_of(path)
        if stage_of(path) in PAGES and day is not None and folder.read(path).strip() in ("", new_page(day).strip()):
            folder.remove(path)
    record_in(space, writer, paths)
    return paths


def _clean(folder: JournalFolder, path: str, erased: Erased) -> bool:
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


def _cleaned(folder: JournalFolder, path: str, text: str, erased: Erased) -> str:
    if stage_of(path) in PAGES:
        return _page_without(folder, path, text, erased)
    frame = split_frame(text)
    if frame.part is None:
        return _points_without(text, erased)
    lines = frame.part.split("\n")
    kept = [line for line in lines if not erased.tells(line)]
    part = "\n".join(kept if kept == lines else _without_empty_headings(kept))
    before, after = _points_without(frame.before, erased), _points_without(frame.after, erased)
    if (before, part, after) == (frame.before, frame.part, frame.after):
        return text
    middle = text[len(frame.before) : len(text) - len(frame.after) if frame.after else None]
    return with_part(before + middle + after, part) if not frame.is_edited else before + part + after


def _without_empty_headings(lines: list[str]) -> list[str]:
    """What stood under a heading is gone: so is the heading. The first one is the title."""
    kept: list[str] = []
    for line in reversed(lines):
        below = next((one for one in reversed(kept) if one.strip()), "#")
        is_empty = line.startswith("### ") and (below.startswith("#") and not below.startswith("####"))
        if not is_empty:
            kept.append(line)
    return kept[::-1]


def _page_without(folder: JournalFolder, path: str, text: str, erased: Erased) -> str:
    page = parse_page(text, day_of(path), folder.zone)
    if page.is_conflicted:
        return _conflict_without(text, erased)
    places = [at for at, entry in enumerate(page.entries) if _is_erased(unit_of(entry), path, erased)]
    return page.without(places).text if places else text


def _conflict_without(text: str, erased: Erased) -> str:
    """A page with an unresolved conflict: from the heading with the id to the next heading or mark of the conflict."""
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith(("### ", *_CONFLICT)):
            inside = line.startswith("### ") and any(one in line for one in erased.ids)
        if not inside:
            kept.append(line)
    return "".join(kept)


def _is_erased(unit: JournalUnit, path: str, erased: Erased) -> bool:
    own = unit.entry.id
    if own is not None:
        return own in erased.ids
    return unit.digest in erased.digests or derived_id(unit, path, 0) in erased.ids


def _points_without(text: str, erased: Erased) -> str:
    bullets = parse_bullets(text)
    said = set(erased.texts)
    places = [at for at, one in enumerate(bullets) if one.id in erased.ids or one.text in said]
    return without_bullets(text, places) if places else text


def _other_files(folder: JournalFolder) -> Iterator[Path]:
    """Backups of the index page and of imported files, and what a killed process left."""
    known = {folder.root / path for path in folder.scan()}
    for pattern in _BACKUPS:
        for place in sorted(folder.root.glob(pattern)):
            if place.is_file() and not place.is_symlink() and place not in known:
                yield place
    for left in folder.root.rglob(".*.tmp"):
        with contextlib.suppress(OSError):
            left.unlink()


def _clean_other(place: Path, erased: Erased) -> bool:
    if place.stat().st_size > _LARGEST_BACKUP:
        return False
    content = place.read_bytes()
    try:
        before = (unpack(content, place, _LARGEST_BACKUP) if place.suffix == PACKED else content).decode(
            "utf-8", "surrogateescape"
        )
    except WaypostError:  # nobody can read in it any more
        place.unlink()
        return True
    after = erased.without(before)
    if after == before:
        return False
    cleaned = after.encode("utf-8", "surrogateescape")
    write_private_file(place, pack(cleaned) if place.suffix == PACKED else cleaned, replace=True)
    return True


def _plain(line: str) -> str:
    return " ".join(line.split()).casefold()
