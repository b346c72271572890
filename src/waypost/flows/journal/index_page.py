"""MEMORY.md: renew its generated part, leave every other byte, and keep a daily copy."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from waypost.errors import NotFound, SecurityError, StoreError
from waypost.flows.journal.index_content import content_of
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.preferences import promote_preferences as promote_preferences  # noqa: PLC0414  its callers look here
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.sync import sync
from waypost.flows.journal_files.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import PACKED, pack, unpack
from waypost.journal.index_page.lines import sources_of
from waypost.journal.index_page.page import generated_part, page_top, without_time
from waypost.journal.layout import INDEX
from waypost.journal.summary.frame import Frame, split_frame, with_part, without_merged_part
from waypost.model.journal import mark_of
from waypost.system.platform import make_private_directory, write_private_file

BACKUPS = "backups"
KEPT_BACKUPS, PLAIN_BACKUPS = 14, 2  # one a day
BEFORE_RESTORE = "memory.md.before-restore"
_NAME = re.compile(r"memory\.md\.backup\.(\d{8})(?:\.gz)?")
_LINES = "journal_index_lines"  # marks of the last generated lines
_MOST_TRIES = 20  # against an editor that keeps saving


def refresh_index(space: OpenSpace) -> bool:
    """Renew the generated part. Returns whether anything changed.

    What people wrote into it moves above it. Must run outside of a transaction. A change of time alone does not touch
    the page.
    """
    sync(space)
    content = content_of(space)
    part = generated_part(content)
    for _ in range(_MOST_TRIES):
        before = space.journal.read_or_none(INDEX)
        clean = without_merged_part(before or "")
        frame = split_frame(clean)
        if (
            clean == before
            and frame.part is not None
            and not frame.is_edited
            and without_time(_with_newlines(frame.part)) == without_time(part)
        ):
            return False
        after = (
            with_part(page_top(content.language), part) if before is None else _with_new_part(space, clean, frame, part)
        )
        with changes_by_waypost(space, [INDEX]) as folder:
            back_up(space, before)
            if folder.replace(INDEX, after, expected=before):
                break
    else:
        raise StoreError(f"{INDEX} is replaced again and again.", "Close the editor that holds it, and try again.")
    with space.store.write() as writer:
        writer.meta.set(journal_key(space, _LINES), json.dumps(sorted({mark_of(line) for line in part.split("\n")})))
    note(space, "index_refreshed", file=INDEX, lines=part.count("\n") + 1)
    return True


def _with_new_part(space: OpenSpace, text: str, frame: Frame, part: str) -> str:
    """The page with a new part. Lines that people wrote into the old one are kept above it.

    Generated lines that they changed or removed are generated again. If it is unknown which lines were generated, all
    are kept.
    """
    with space.store.read() as reader:
        stored = reader.meta.get(journal_key(space, _LINES))
    if frame.part is None or not frame.is_edited or not stored:
        return with_part(text, part)
    marks = set(json.loads(stored))
    lines = [line.rstrip() for line in _with_newlines(frame.part).split("\n")]
    theirs = [line for line in lines if line and mark_of(line) not in marks and not sources_of(line)]
    newline = "\r\n" if "\r\n" in text else "\n"
    upper = frame.before
    if theirs:
        gap = "" if not upper or upper.endswith(2 * newline) else newline if upper.endswith("\n") else 2 * newline
        upper += gap + newline.join(theirs) + newline
    return with_part(upper, part).removesuffix(newline) + frame.after


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")


# -- copies of it


@dataclass(frozen=True, slots=True)
class Backup:
    """The page before its first change on a day. Older ones are compressed."""

    day: date
    path: Path

    @property
    def text(self) -> str:
        content = self.path.read_bytes()
        if self.path.suffix == PACKED:
            content = unpack(content, self.path)
        return content.decode("utf-8", "surrogateescape")


def index_backups(space: OpenSpace) -> list[Backup]:
    folder = space.journal.root / BACKUPS
    if folder.is_symlink() or not folder.is_dir():
        return []
    backups = []
    for path in folder.iterdir():
        name = _NAME.fullmatch(path.name)
        if name and path.is_file() and not path.is_symlink():
            with suppress(ValueError):  # not a day: another file
                backups.append(Backup(date.fromisoformat(name[1]), path))
    return sorted(backups, key=lambda backup: backup.day, reverse=True)


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
    name = f"memory.md.backup.{space.journal.today(space.clock()):%Y%m%d}"
    if _write(space, name, text, replace=False):
        copies = index_backups(space)
        for old in copies[PLAIN_BACKUPS:KEPT_BACKUPS]:
            if old.path.suffix != PACKED:
                content = pack(old.path.read_bytes())
                write_private_file(old.path.with_name(old.path.name + PACKED), content, replace=True)
                old.path.unlink()
        for old in copies[KEPT_BACKUPS:]:
            old.path.unlink(missing_ok=True)


def _write(space: OpenSpace, name: str, text: str, *, replace: bool) -> bool:
    folder = space.journal.root / BACKUPS
    if folder.is_symlink():
        raise SecurityError(f"{folder} leads out of the journal.", "Put a folder in the place of the link.")
    make_private_directory(folder)
    if not replace and (folder / name).exists():
        return False
    return write_private_file(folder / name, text.encode("utf-8", "surrogateescape"), replace=replace)
