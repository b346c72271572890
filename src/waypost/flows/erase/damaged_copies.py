"""Copies of damaged databases that a repair keeps, and what a stopped repair left beside them."""

import mmap
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from waypost.flows.findings import UNFINISHED_REPAIR, Finding
from waypost.store.salvaged import FOLDER, WORKPLACE
from waypost.system.platform import try_lock

REPAIR_LOCK = "repair.lock"


def check_leftovers(folder: Path, *, fix: bool) -> list[Finding]:
    """Leftovers of a stopped repair. `fix` removes them, unless a repair is running."""
    place = folder / FOLDER
    left = [*place.glob(f"{WORKPLACE}*"), *place.glob(".*.tmp*")]
    if not left:
        return []
    with try_lock(folder / REPAIR_LOCK) as is_free:
        if not is_free:  # it belongs to a repair that runs
            return []
        for path in left if fix else ():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    return [] if fix else [UNFINISHED_REPAIR.finding("A repair was stopped before it had cleaned up.")]


def drop_damaged(folder: Path, memory_ids: Iterable[str], pieces: Iterable[str]) -> list[str]:
    """Remove copies of damaged databases that hold one of these memories, by its id or a piece of its text.

    A single memory cannot be removed from such a copy. Leftovers of a stopped repair go too. Returns the names of the
    copies.
    """
    place, gone = folder / FOLDER, list[str]()
    if not place.is_dir():
        return gone
    check_leftovers(folder, fix=True)
    signs = [sign.encode() for sign in (*memory_ids, *pieces)]
    for path in sorted(place.glob("*.db")):
        files = [file for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
        if any(_holds(file, signs) for file in files):
            gone.append(path.name)
            for file in files:
                file.unlink(missing_ok=True)
    with suppress(OSError):  # something is left in it
        place.rmdir()
    return gone


def _holds(path: Path, signs: list[bytes]) -> bool:
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(content.find(sign) >= 0 for sign in signs)
