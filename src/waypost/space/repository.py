"""The repository that a directory belongs to, located like git does but without running it.

Two differences from git are deliberate. An enclosing `.git` is preferred to a bare repository on the way up: a stranger
can check in a bare repository, but not a `.git`. And `core.worktree` is not followed: the checkout is where `.git` is.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.system.platform import read_small_file

_LARGEST_POINTER = 64_000  # bytes; a `.git` or `commondir` file has one path


@dataclass(frozen=True, slots=True)
class Repository:
    root: Path  # of this checkout; of a bare repository, its directory
    git_dir: Path
    common_dir: Path  # shared by all worktrees

    @property
    def shared_root(self) -> Path:
        """The same path for all worktrees: the root of the main one, or else the git directory."""
        return self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir


def find_repository(directory: Path) -> Repository | None:
    """The repository of a resolved directory, searched upwards within one file system.

    Raises InvalidInput if a `.git` cannot be read or leads nowhere, since continuing would open another memory.
    """
    device = os.stat(directory).st_dev
    bare: Repository | None = None
    for folder in (directory, *directory.parents):
        if os.stat(folder).st_dev != device:
            break
        repository = _checkout_at(folder)
        if repository is not None:
            return repository
        if bare is None and _is_git_dir(folder, folder):
            bare = Repository(folder, folder, folder)
    return bare


def _checkout_at(folder: Path) -> Repository | None:
    dot_git = folder / ".git"
    mode = _mode(dot_git)
    if mode is None:
        return None
    if stat.S_ISDIR(mode):
        git_dir = dot_git.resolve()
        common_dir = _common_dir(git_dir)
        return Repository(folder, git_dir, common_dir) if _is_git_dir(git_dir, common_dir) else None
    if not stat.S_ISREG(mode):
        return None
    git_dir = _follow(dot_git)
    common_dir = _common_dir(git_dir)
    if not _is_git_dir(git_dir, common_dir):
        raise InvalidInput(
            f"{dot_git} points to {git_dir}, which is not a git repository.",
            "Restore that repository (`git worktree repair`), or remove the file.",
        )
    return Repository(folder, git_dir, common_dir)


def _follow(dot_git: Path) -> Path:
    text = _pointer(dot_git)
    if not text.startswith("gitdir: "):
        raise InvalidInput(f"{dot_git} is not a git file.", "Repair or remove it.")
    return _resolved(dot_git.parent / text.removeprefix("gitdir: "), dot_git)


def _common_dir(git_dir: Path) -> Path:
    pointer = git_dir / "commondir"
    if _mode(pointer) is None:
        return git_dir
    return _resolved(git_dir / _pointer(pointer), pointer)


def _resolved(path: Path, named_by: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput(f"{named_by} has a path that leads nowhere.", "Repair or remove it.") from error


def _pointer(path: Path) -> str:
    try:
        return os.fsdecode(read_small_file(path, _LARGEST_POINTER)).rstrip("\r\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Make it readable for this user.") from error


def _is_git_dir(git_dir: Path, common_dir: Path) -> bool:
    objects, refs = _mode(common_dir / "objects"), _mode(common_dir / "refs")
    return (
        os.path.lexists(git_dir / "HEAD")
        and objects is not None
        and stat.S_ISDIR(objects)
        and refs is not None
        and stat.S_ISDIR(refs)
    )


def _mode(path: Path) -> int | None:
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Make it readable for this user.") from error
