"""What a git hook starts in the background: updates the index and stale checks, one process at a time."""

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
from waypost.system.platform import try_lock, write_private_file

_PATIENCE = 3600  # seconds to wait for an earlier process
_LOCK_NAME = "hook-{}.lock"
LOG_NAME = "hook.log"  # in the space's folder: the traceback of the last failure


def run_event(
    directory: Path,
    settings: Settings,
    catch_up: Callable[[], None],
    *,
    pending: Path | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Call `catch_up` when no other process does so for this checkout; return whether it was called.

    `pending` is the file by which other hooks know that a process will read the checkout. It is removed before reading, so
    later hooks start their own process. Does nothing if the project has no memory. A failure of `catch_up` is only
    logged in the space's folder.
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
                    _remove(pending)
                    _attempt(catch_up, folder / LOG_NAME)
                    return True
            wait(1.0)
        return False
    finally:
        _remove(pending)


def _attempt(catch_up: Callable[[], None], log: Path) -> None:
    """Run it and log a failure. The next read of a memory repeats the check."""
    import traceback

    try:
        catch_up()
    except UnknownCheckout:  # not a checkout of this memory, so its folder gets no log
        return
    except Exception as error:  # noqa: BLE001  last boundary of a background process
        # Only the place: the message may contain stored text.
        lines = [*traceback.format_tb(error.__traceback__), type(error).__name__, "\n"]
        write_private_file(log, "".join(lines).encode("utf-8", "replace"), replace=True)
    else:
        log.unlink(missing_ok=True)


def leave_session() -> None:
    """Detach from the terminal and the process group, unless the hook has done so."""
    if hasattr(os, "setsid"):
        with contextlib.suppress(PermissionError):  # already done
            os.setsid()


def _remove(pending: Path | None) -> None:
    if pending is not None and pending.name == PENDING_NAME:
        with contextlib.suppress(OSError):
            pending.unlink(missing_ok=True)
