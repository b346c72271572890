"""What a git hook starts in the background: bring up to date what follows from the tree, one process at a time."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from waypost.config import Settings
from waypost.errors import UnknownCheckout
from waypost.faces.hooks.git.script import PENDING_NAME
from waypost.space.alias import identify_here
from waypost.space.place import marker_file, space_directory
from waypost.space.platform import try_lock, write_private_file

_PATIENCE = 3600  # seconds that one process waits for the one before it
_LOCK_NAME = "hook-{}.lock"
LOG_NAME = "hook.log"  # in the space's folder: where the last run failed, if it did


def run_event(
    directory: Path,
    settings: Settings,
    catch_up: Callable[[], None],
    *,
    pending: Path | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Call `catch_up` once nobody else does so for this checkout; tell whether it was called.

    `pending` is the file by which hooks know that somebody will look at the tree. It goes before we look: whoever
    comes later starts a process of their own. Where nothing is remembered, nothing is made and nothing happens.
    A failure of `catch_up` is noted in the space's folder and nowhere else.
    """
    try:
        identity = identify_here(directory, settings)
        folder = space_directory(settings.memory_root, identity.space_id)
        if not (folder / marker_file(settings)).is_file():
            return False
        lock = folder / _LOCK_NAME.format(identity.checkout_id)
        for _ in range(_PATIENCE):
            with try_lock(lock) as free:
                if free:
                    _take_away(pending)
                    _attempt(catch_up, folder / LOG_NAME)
                    return True
            wait(1.0)
        return False
    finally:
        _take_away(pending)


def _attempt(catch_up: Callable[[], None], log: Path) -> None:
    """What fails now is looked at when a memory is read; nobody is here to be told."""
    import traceback

    try:
        catch_up()
    except UnknownCheckout:  # no checkout of this memory: its folder says nothing of strangers
        return
    except Exception as error:  # noqa: BLE001  the last wall: behind it is only git, which has long gone on
        # Where it happened; not the message, which may hold the words of a memory.
        lines = [*traceback.format_tb(error.__traceback__), type(error).__name__, "\n"]
        write_private_file(log, "".join(lines).encode("utf-8", "replace"), replace=True)
    else:
        log.unlink(missing_ok=True)


def leave_session() -> None:
    """Belong to no terminal and no group of processes that somebody ends. The hook has seen to it where it could."""
    if hasattr(os, "setsid"):
        with contextlib.suppress(PermissionError):  # it has
            os.setsid()


def _take_away(pending: Path | None) -> None:
    if pending is not None and pending.name == PENDING_NAME:
        with contextlib.suppress(OSError):
            pending.unlink(missing_ok=True)
