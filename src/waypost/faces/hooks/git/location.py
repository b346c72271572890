"""Where git runs the hooks of a checkout."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from waypost.code.git.command import GitCheckout, open_checkout
from waypost.errors import InvalidInput, WaypostError
from waypost.space.repository import find_repository

Place = Literal["repository", "ignored", "tree", "shared"]

_COMMAND_LINE = b"command"  # the scope of the value that Waypost passes to git


@dataclass(frozen=True, slots=True)
class HookFolder:
    """The hooks folder of a checkout.

    `place`: in the git directory; in the checkout but ignored; versioned; or outside and shared with other repositories.
    """

    path: Path
    place: Place
    usual: Path  # the default folder
    git_dirs: tuple[Path, ...]  # of this checkout, and shared with its worktrees

    @property
    def configured(self) -> bool:
        return self.path != self.usual


def find_hook_folder(directory: Path) -> HookFolder:
    """The hooks folder of the checkout that contains this directory; it may not exist.

    Raises InvalidInput if there is no checkout, or if hooks are switched off.
    """
    checkout = _checkout(directory)
    usual = checkout.common_dir / "hooks"
    configured = _configured(checkout)
    path = usual if configured is None else checkout.top / configured
    if path.exists() and not path.is_dir():
        raise InvalidInput(
            f"The hooks path of git, {path}, is not a folder: hooks are switched off.",
            "Change `core.hooksPath` (`git config --show-origin core.hooksPath`), then try again.",
        )
    git_dirs = (checkout.git_dir, checkout.common_dir)
    return HookFolder(path, _place(checkout, path), usual, git_dirs)


def _checkout(directory: Path) -> GitCheckout:
    checkout = open_checkout(directory)
    if checkout is None:
        raise _no_checkout(directory)
    if not checkout.program:
        raise InvalidInput("Git is not installed, or not on the PATH.", "Install git, then try again.")
    if checkout.git_dir == checkout.common_dir:
        bare = checkout.ask("config", "--type=bool", "--get", "core.bare")
        if bare is not None and bare.strip() == b"true":
            raise _bare(checkout.git_dir)
    return checkout


def _no_checkout(directory: Path) -> WaypostError:
    try:
        resolved = directory.resolve(strict=True)
        repository = find_repository(resolved)  # raises if it is broken
    except (OSError, RuntimeError):
        return InvalidInput(f"There is no directory {str(directory)!r}.", "Check the path.")
    if repository is None:
        return InvalidInput(
            f"{resolved} is not in a git repository.", "Run `git init` first, or name the project with -C DIR."
        )
    if repository.root == repository.git_dir:
        return _bare(repository.root)
    return InvalidInput(f"{resolved} is inside a git directory.", f"Run this in {repository.root}.")


def _bare(where: Path) -> InvalidInput:
    return InvalidInput(f"{where} is a bare repository without files.", "Run this in a checkout of it.")


def _configured(checkout: GitCheckout) -> Path | None:
    """The effective `core.hooksPath`, relative to the top of the checkout."""
    answer = checkout.ask("config", "--show-scope", "--type=path", "-z", "--get-all", "core.hooksPath")
    if answer is None:  # there is always an answer: the value that Waypost passes to switch hooks off
        raise InvalidInput(
            f"Git does not report the hooks path of {checkout.top}.",
            "Check `git config --get-all core.hooksPath`; git must be 2.26 or later.",
        )
    parts = answer.split(b"\0")[:-1]
    values = [value for scope, value in zip(parts[::2], parts[1::2], strict=True) if scope != _COMMAND_LINE]
    if not values:
        return None
    if not values[-1]:
        raise InvalidInput("`core.hooksPath` is empty: git finds no hooks.", "Unset it, then try again.")
    return Path(os.fsdecode(values[-1]))


def _place(checkout: GitCheckout, path: Path) -> Place:
    resolved = path.resolve()  # a symlink's name does not show whose folder it is
    if any(resolved.is_relative_to(folder.resolve()) for folder in (checkout.git_dir, checkout.common_dir)):
        return "repository"
    if not resolved.is_relative_to(checkout.top):
        return "shared"
    inside = (resolved / "post-commit").relative_to(checkout.top).as_posix()
    return "tree" if checkout.ask("check-ignore", "--", inside) is None else "ignored"
