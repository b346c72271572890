"""What the operating system tells about folders, by `watchfiles`.

Linux wants a watch for each folder. `watchfiles` would set them itself, but it follows symlinks on its way, out of the
tree and into all of the disk, and it visits what is ignored; so each folder is named here. The other systems watch a
tree by one call, follow nothing, and take long for many calls.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from waypost.errors import WaypostError

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

STEP_MS = 50  # how long nothing may come before what came is told; also how long `stop` may go unnoticed
_ADDED = 1
_DRAIN_STEP_MS = 20
_NOT_A_DIRECTORY, _TOO_MANY_FILES = "os error 20", "os error 24"  # the library has no other way of saying which

Touched = dict[str, bool]  # absolute path → whether something new stands there


class Missed(Exception):
    """The watcher failed at something: what happened since is unknown. It must be set up again."""


class Vanished(Exception):
    """A folder is no longer there. List them again."""


class Notifications:
    """The watches on a set of folders. Use as a context manager."""

    def __init__(self) -> None:
        self._notify: RustNotify | None = None

    def __enter__(self) -> "Notifications":
        return self

    def __exit__(self, *_: object) -> None:
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def arm(self, root: Path, folders: Iterable[str], beside: Iterable[Path]) -> Touched:
        """Watch these folders of the root, and these paths beside it, instead of what was watched before.

        The new watches stand before the old ones go, so nothing falls between; the answer is what only the old saw.
        Raises Vanished when that cannot be; then what was watched before still is.
        """
        paths = [str(path) for path in beside]
        by_folder = sys.platform == "linux"
        paths += [str(root / folder) for folder in folders] if by_folder else [str(root)]
        before, self._notify = self._notify, _new_notify(paths, recursive=not by_folder)
        if before is None:
            return {}
        try:
            return _touched(before.watch(STEP_MS, _DRAIN_STEP_MS, 1, None))
        except RuntimeError as error:
            raise Missed(str(error)) from error
        finally:
            before.close()

    def wait(self, timeout_ms: int, stop: Event) -> Touched:
        """What has been touched, as soon as a moment passes without more; nothing after `timeout_ms`, or when told to
        stop. Raises Missed, and KeyboardInterrupt in the main thread."""
        if self._notify is None:
            raise RuntimeError("Nothing is watched yet.")
        try:
            found = self._notify.watch(10 * STEP_MS, STEP_MS, timeout_ms, stop)
        except RuntimeError as error:  # a name that is not UTF-8 has been met, or a new watch refused
            raise Missed(str(error)) from error
        if found == "signal":
            raise KeyboardInterrupt
        return _touched(found)


def _touched(found: object) -> Touched:
    touched: Touched = {}
    if isinstance(found, set):  # else a word: stop, timeout
        for change, path in found:
            touched[path] = touched.get(path, False) or change == _ADDED
    return touched


def _new_notify(paths: list[str], *, recursive: bool) -> "RustNotify":
    # The class under `watchfiles.watch`, documented for direct use: only here can the time-out differ between calls.
    from watchfiles._rust_notify import RustNotify

    try:
        # Its last argument would ignore not only missing rights but every error, that of too many watches too.
        return RustNotify(paths, False, False, 0, recursive, False)
    except FileNotFoundError as error:
        raise Vanished(str(error)) from error
    except (OSError, RuntimeError) as error:
        if _NOT_A_DIRECTORY in str(error):  # a file stands where a folder was
            raise Vanished(str(error)) from error
        raise _refusal(error, len(paths)) from error


def _refusal(error: Exception, count: int) -> WaypostError:
    said = str(error)
    if "MaxFilesWatch" in said or "watch limit" in said:
        return WaypostError(
            f"The system allows no more watches; this tree needs {count}.",
            "Raise the limit (sudo sysctl fs.inotify.max_user_watches=524288), ignore large folders, or use --poll.",
        )
    if _TOO_MANY_FILES in said:
        return WaypostError(
            "The system allows no more watchers for this user.",
            "Raise the limit (sudo sysctl fs.inotify.max_user_instances=512), end other watchers, or use --poll.",
        )
    return WaypostError(f"The tree cannot be watched: {said[:200]}", "Use --poll: it asks instead of being told.")
