"""Installs git hooks next to existing ones, reports them, and removes them exactly.

A foreign hook is moved to `<name>.waypost-kept`, and Waypost's hook runs it. A hook that someone edited or wrote over
Waypost's belongs to them: it is never overwritten or removed.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from waypost.errors import InvalidInput, Refused, StoreReadOnly, WaypostError
from waypost.faces.hooks.git.location import HookFolder, find_hook_folder
from waypost.faces.hooks.git.script import EVENTS, KEPT_SUFFIX, PENDING_NAME, Installer, author, render
from waypost.system.platform import place_file, read_small_file, write_failure

State = Literal["missing", "installed", "outdated", "disabled", "edited", "foreign"]
Deed = Literal["installed", "updated", "unchanged", "removed", "restored", "left", "missing"]

_MODE = 0o755
_LONGEST_HOOK = 1_000_000


@dataclass(frozen=True, slots=True)
class Hook:
    """The state of one hook. `kept` is the hook that was moved aside for it."""

    path: Path
    state: State
    kept: Path | None

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True, slots=True)
class HookChange:
    """What was done with one hook, and why if it was not the requested action."""

    hook: Path
    deed: Deed
    kept: Path | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HookReport:
    folder: HookFolder
    done: tuple[HookChange, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HookState:
    folder: HookFolder
    hooks: tuple[Hook, ...]
    notes: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        return all(hook.state in {"installed", "outdated"} for hook in self.hooks)


def install(directory: Path, installer: Installer, *, force: bool = False) -> HookReport:
    """Install the hooks where git runs them, all or none. Existing ones are kept or updated.

    Raises Refused if others would get them too (a versioned or shared folder), unless forced. Also raises it if one of
    Waypost's hooks was edited.
    """
    folder = find_hook_folder(directory)
    notes = _check_place(folder, force=force)
    hooks = [_look(folder.path / event, installer) for event in EVENTS]
    for hook in hooks:
        _check_free(hook)
    wanted = [hook for hook in hooks if hook.state != "installed"]
    try:
        if wanted:
            folder.path.mkdir(mode=_MODE, parents=True, exist_ok=True)
            _place_all(wanted, installer)
    except OSError as error:
        raise _failure(error, folder.path) from error
    return HookReport(folder, tuple(_installed(hook) for hook in hooks), notes)


def uninstall(directory: Path) -> HookReport:
    """Remove Waypost's hooks and restore those that were moved aside. Foreign hooks stay."""
    folder = find_hook_folder(directory)
    done: list[HookChange] = []
    try:
        for hooks_folder in (folder.path, folder.usual) if folder.configured else (folder.path,):
            changes = [_remove(hooks_folder / event) for event in EVENTS]
            done += [change for change in changes if hooks_folder == folder.path or change.deed != "missing"]
        for git_dir in folder.git_dirs:
            (git_dir / PENDING_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise _failure(error, folder.path) from error
    return HookReport(folder, tuple(done))


def status(directory: Path, installer: Installer) -> HookState:
    folder = find_hook_folder(directory)
    hooks = tuple(_look(folder.path / event, installer) for event in EVENTS)
    notes: list[str] = []
    if folder.configured and any(_look(folder.usual / event, installer).state == "installed" for event in EVENTS):
        notes.append(f"Waypost's hooks are also in {folder.usual}, which git does not use (core.hooksPath).")
    notes += [
        f"{hook.name} is not Waypost's, but {hook.kept.name} still exists: another program overwrote the hook."
        for hook in hooks
        if hook.state == "foreign" and hook.kept
    ]
    return HookState(folder, hooks, tuple(notes))


def _check_place(folder: HookFolder, *, force: bool) -> tuple[str, ...]:
    if folder.place == "repository":
        return ()
    if folder.place == "ignored":
        return (f"{folder.path} belongs to another program. If it rewrites the hooks, install them again.",)
    what = {
        "tree": f"{folder.path} is versioned (core.hooksPath): hooks in it would be committed.",
        "shared": f"{folder.path} is outside this repository (core.hooksPath): other repositories use its hooks too.",
    }[folder.place]
    if not force:
        raise Refused(what, "Add --force to install anyway, or set `core.hooksPath` for this repository.")
    return (what,)


def _look(path: Path, installer: Installer) -> Hook:
    kept = path.with_name(path.name + KEPT_SUFFIX)
    beside = kept if os.path.lexists(kept) else None
    if not os.path.lexists(path):
        return Hook(path, "missing", beside)
    if path.is_symlink():
        return Hook(path, "foreign", beside)
    try:
        content = read_small_file(path, _LONGEST_HOOK)
    except (OSError, InvalidInput):  # too large, a folder, or unreadable: never one of Waypost's
        return Hook(path, "foreign", beside)
    who = author(content)
    if who != "waypost":
        return Hook(path, "edited" if who == "edited" else "foreign", beside)
    if os.name == "posix" and not path.stat().st_mode & stat.S_IXUSR:
        return Hook(path, "disabled", beside)
    return Hook(path, "installed" if content == render(path.name, installer, beside) else "outdated", beside)


def _check_free(hook: Hook) -> None:
    if hook.state == "edited":
        raise Refused(
            f"{hook.path} is a Waypost hook that was edited.",
            "Move your lines to another file, delete this one, and install again.",
        )
    if hook.state != "foreign":
        return
    if hook.path.is_dir() and not hook.path.is_symlink():
        raise Refused(f"{hook.path} is a folder.", "Move it away and install again.")
    if hook.kept and not _same(hook.path, hook.kept):
        raise Refused(
            f"{hook.path} is not Waypost's, and {hook.kept.name} already exists next to it.",
            f"Check which of the two you need, delete {hook.kept.name}, and install again.",
        )


def _same(first: Path, second: Path) -> bool:
    """Whether another program has restored the hook that was moved aside."""
    if first.is_symlink() or second.is_symlink():
        return first.is_symlink() and second.is_symlink() and os.readlink(first) == os.readlink(second)
    try:
        return read_small_file(first, _LONGEST_HOOK) == read_small_file(second, _LONGEST_HOOK)
    except (OSError, InvalidInput):
        return False


def _place_all(hooks: Sequence[Hook], installer: Installer) -> None:
    """Write all hooks to temporary files first, so that failures change nothing."""
    with ExitStack() as names, ExitStack() as undo:
        ready = [(hook, names.enter_context(_written(hook, installer))) for hook in hooks]
        for hook, temporary in ready:
            _place_one(hook, temporary, undo.callback)
        undo.pop_all()


@contextmanager
def _written(hook: Hook, installer: Installer) -> Iterator[Path]:
    before = hook.path if hook.state == "foreign" else hook.kept
    content = render(hook.name, installer, before)
    temporary = hook.path.with_name(f".{hook.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(stat.S_IMODE(temporary.stat().st_mode) & ~0o022)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _place_one(hook: Hook, temporary: Path, undo: Callable[..., object]) -> None:
    if hook.state == "missing":
        if not place_file(temporary, hook.path, replace=False):
            raise _raced(hook.path)
        undo(_quietly, hook.path.unlink)
        return
    kept = hook.path.with_name(hook.name + KEPT_SUFFIX)
    if hook.state == "foreign" and hook.kept is None:
        _move_aside(hook.path, kept)
        undo(_quietly, lambda: _give_back(kept, hook.path))
    os.replace(temporary, hook.path)


def _move_aside(path: Path, kept: Path) -> None:
    """By a hard link, which cannot overwrite: concurrent installs must not lose the hook they both found."""
    try:
        os.link(path, kept, follow_symlinks=False)
    except FileExistsError as error:
        raise _raced(path) from error
    except (OSError, NotImplementedError):  # a file system without hard links
        if os.path.lexists(kept):
            raise _raced(path) from None
        os.rename(path, kept)


def _give_back(kept: Path, path: Path) -> None:
    os.replace(kept, path)
    kept.unlink(missing_ok=True)  # replacing a file by its own hard link keeps both names


def _quietly(work: Callable[[], object]) -> None:
    with contextlib.suppress(OSError):
        work()


def _installed(before: Hook) -> HookChange:
    kept = before.path.with_name(before.name + KEPT_SUFFIX)
    beside = kept if os.path.lexists(kept) else None
    deeds: dict[State, Deed] = {"installed": "unchanged", "outdated": "updated", "disabled": "updated"}
    return HookChange(before.path, deeds.get(before.state, "installed"), beside)


def _remove(path: Path) -> HookChange:
    hook = _look(path, Installer(""))
    if hook.state in {"edited", "foreign"}:
        if hook.state == "foreign" and not hook.kept:
            return HookChange(path, "missing")
        if hook.state == "foreign" and hook.kept and _same(path, hook.kept):
            hook.kept.unlink()
            return HookChange(path, "restored")
        why = "it was edited" if hook.state == "edited" else "it was overwritten by another program"
        return HookChange(path, "left", hook.kept, why)
    if hook.kept:
        _give_back(hook.kept, path)
        return HookChange(path, "restored")
    if hook.state == "missing":
        return HookChange(path, "missing")
    path.unlink()
    return HookChange(path, "removed")


def _raced(path: Path) -> WaypostError:
    return Refused(f"{path} was changed by another program meanwhile.", "Try again.")


def _failure(error: OSError, folder: Path) -> WaypostError:
    failed = write_failure(error, folder)
    if isinstance(failed, StoreReadOnly):
        return StoreReadOnly(failed.what, "Make that folder writable for this user. Nothing was changed.")
    return failed
