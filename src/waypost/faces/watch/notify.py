"""Notifications of the operating system about folders, through `watchfiles`.

Linux needs a watch for each folder. `watchfiles` can set them, but follows symlinks out of the tree and visits ignored
folders. So each folder is named here. Other systems watch a whole tree with one call and are slow with many.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from waypost.errors import WaypostError

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

STEP_MS = 50  # quiet time before events are returned; also how long `stop` may go unnoticed
_ADDED = 1
_DRAIN_STEP_MS = 20
_NOT_A_DIRECTORY, _TOO_MANY_FILES = "os error 20", "os error 24"  # the library gives no error number

Touched = dict[str, bool]  # absolute path → whether it is new


class Missed(Exception):
    """The watcher failed and may have lost events. Set it up again."""


class Vanished(Exception):
    """A folder is gone. List the folders again."""


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

    def arm(self, root: Path, folders: Iterable[str], extra: Iterable[Path]) -> Touched:
        """Watch these folders of the root and the extra paths, instead of those watched so far.

        The new watches start before the old ones end. Returns what only the old ones saw. Raises Vanished if a folder
        is gone; the old watches then stay.
        """
        paths = [str(path) for path in extra]
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
        """Return the touched paths as soon as a quiet moment follows. Nothing after `timeout_ms`, or when `stop` is set.

        Raises Missed, and KeyboardInterrupt in the main thread.
        """
        if self._notify is None:
            raise RuntimeError("Nothing is watched yet.")
        try:
            answer = self._notify.watch(10 * STEP_MS, STEP_MS, timeout_ms, stop)
        except RuntimeError as error:  # a name that is not UTF-8, or a refused watch
            raise Missed(str(error)) from error
        if answer == "signal":
            raise KeyboardInterrupt
        return _touched(answer)


def _touched(answer: object) -> Touched:
    touched: Touched = {}
    if isinstance(answer, set):  # else "stop" or "timeout"
        for change, path in answer:
            touched[path] = touched.get(path, False) or change == _ADDED
    return touched


def _new_notify(paths: list[str], *, recursive: bool) -> "RustNotify":
    # Documented for direct use. `watchfiles.watch` has one time-out for all calls.
    from watchfiles._rust_notify import RustNotify

    try:
        # Its last argument would hide every error, such as too many watches.
        return RustNotify(paths, False, False, 0, recursive, False)
    except FileNotFoundError as error:
        raise Vanished(str(error)) from error
    except (OSError, RuntimeError) as error:
        if _NOT_A_DIRECTORY in str(error):  # a file replaced the folder
            raise Vanished(str(error)) from error
        raise _refusal(error, len(paths)) from error


def _refusal(error: Exception, count: int) -> WaypostError:
    message = str(error)
    if "MaxFilesWatch" in message or "watch limit" in message:
        return WaypostError(
            f"The system allows no more watches; this tree needs {count}.",
            "Raise the limit (sudo sysctl fs.inotify.max_user_watches=524288), ignore large folders, or run `waypost index` after changes.",
        )
    if _TOO_MANY_FILES in message:
        return WaypostError(
            "The system allows no more watchers for this user.",
            "Raise the limit (sudo sysctl fs.inotify.max_user_instances=512), end other watchers, or run `waypost index` after changes.",
        )
    return WaypostError(f"The tree cannot be watched: {message[:200]}", "Run `waypost index` after changes instead.")
