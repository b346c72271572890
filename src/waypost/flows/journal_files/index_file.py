"""The file MEMORY.md: write its generated part, keep its sources and a daily copy."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from waypost.errors import InvalidInput, NotFound, SecurityError, StoreError
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.bundle import read_bundle, write_bundle
from waypost.journal.files import PACKED, unpack
from waypost.journal.layout import INDEX, INDEX_COPIES
from waypost.journal.memory_page.sources import SOURCES, LineSource, format_sources, merge_sources, read_sources
from waypost.journal.period_pages.frame import with_part
from waypost.model.journal import mark_of
from waypost.system.platform import make_private_directory, remove_file, write_private_file

BACKUPS = "backups"
KEPT_BACKUPS, PLAIN_BACKUPS = 14, 1  # one a day
BEFORE_RESTORE = "memory.md.before-restore"
GENERATED_LINES = "journal_index_lines"  # marks of the last generated lines
_NAME = re.compile(r"memory\.md\.backup\.(\d{8})(?:\.gz)?")


def replace_part(space: OpenSpace, before: str, part: str, sources: Mapping[str, LineSource]) -> bool:
    """Replace the generated part of an unedited page. Returns whether it changed; not if somebody else changed it."""
    after = with_part(before, part)
    if after == before:
        return False
    with changes_by_waypost(space, [INDEX]) as folder:
        back_up(space, before)
        write_sources(space, sources)
        if not folder.replace(INDEX, after, expected=before):
            return False
    remember_lines(space, part)
    return True


def remember_lines(space: OpenSpace, part: str) -> None:
    """Store marks of the generated lines: others are people's."""
    with space.store.write() as writer:
        writer.meta.set(
            journal_key(space, GENERATED_LINES), json.dumps(sorted({mark_of(line) for line in part.split("\n")}))
        )


def write_sources(space: OpenSpace, sources: Mapping[str, LineSource]) -> None:
    today = space.journal.today(space.clock())
    merged = merge_sources(read_sources(space.journal), sources, today)
    folder, name = SOURCES.split("/")
    assert folder == BACKUPS
    _write(space, name, format_sources(merged), replace=True)


# -- copies of it


@dataclass(frozen=True, slots=True)
class Backup:
    """The page before its first change on a day. Older ones are in one bundle."""

    day: date
    path: Path

    @property
    def name(self) -> str:
        return f"{BACKUPS}/{copy_name(self.day)}"

    @property
    def content(self) -> bytes:
        if self.path.name == Path(INDEX_COPIES).name:
            return read_bundle(self.path)[self.name]
        content = self.path.read_bytes()
        return unpack(content, self.path) if self.path.suffix == PACKED else content

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "surrogateescape")


def copy_name(day: date) -> str:
    return f"memory.md.backup.{day:%Y%m%d}"


def index_backups(space: OpenSpace) -> list[Backup]:
    folder = space.journal.root / BACKUPS
    if folder.is_symlink() or not folder.is_dir():
        return []
    bundle = space.journal.root / INDEX_COPIES
    backups: dict[date, Backup] = {}
    with suppress(StoreError, InvalidInput):  # a damaged bundle hides no other copy
        backups = {backup.day: backup for backup in _copies([(path, bundle) for path in read_bundle(bundle)])}
    files = [(path.name, path) for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    backups |= {backup.day: backup for backup in _copies(files)}
    return sorted(backups.values(), key=lambda backup: backup.day, reverse=True)


def _copies(places: Iterable[tuple[str, Path]]) -> Iterator[Backup]:
    for name, path in places:
        if match := _NAME.fullmatch(name.rpartition("/")[2]):
            with suppress(ValueError):  # not a day: another file
                yield Backup(date.fromisoformat(match[1]), path)


def restore_index(space: OpenSpace, day: date) -> None:
    """Restore the page from before the first change of that day. The current page is kept beside the copies."""
    backup = next((candidate for candidate in index_backups(space) if candidate.day == day), None)
    if backup is None:
        raise NotFound(f"There is no copy of {INDEX} of {day}.", "`waypost journal stats` shows which there are.")
    text = backup.text
    with changes_by_waypost(space, [INDEX]) as folder:
        before = folder.read_or_none(INDEX)
        if before is not None:
            _write(space, BEFORE_RESTORE, before, replace=True)
        if not folder.replace(INDEX, text, expected=before):
            raise StoreError(f"{INDEX} was changed meanwhile.", "Try again.")
    note(space, "index_restored", file=INDEX, day=day.isoformat())


def back_up(space: OpenSpace, text: str | None) -> None:
    """Copy the page once a day, before its first change."""
    if text is None:
        return
    if _write(space, copy_name(space.journal.today(space.clock())), text, replace=False):
        copies, bundle = index_backups(space), space.journal.root / INDEX_COPIES
        write_bundle(bundle, {old.name: old.content for old in copies[PLAIN_BACKUPS:KEPT_BACKUPS]})
        for old in copies[PLAIN_BACKUPS:]:
            if old.path != bundle:
                remove_file(old.path)


def _write(space: OpenSpace, name: str, text: str, *, replace: bool) -> bool:
    folder = space.journal.root / BACKUPS
    if folder.is_symlink():
        raise SecurityError(f"{folder} leads out of the journal.", "Put a folder in the place of the link.")
    make_private_directory(folder)
    if not replace and (folder / name).exists():
        return False
    return write_private_file(folder / name, text.encode("utf-8", "surrogateescape"), replace=replace)
