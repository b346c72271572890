"""Who a memory belongs to: the id of a project or person, computed and never given (CG-2, CG-3).

A project's id is the first 16 hex digits of SHA-256 over the URL of its remote `origin`; else over the root of its
repository (of the main worktree, so that worktrees share a space); else over the resolved directory.

Where machines share a store, a path says something only together with the machine that it is on: the name of the machine
then goes into every id that comes from a path. Those that come from a remote are the same everywhere.
"""

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.space.gitconfig import origin_url
from waypost.space.platform import canonical
from waypost.space.remote import read_remote, repository_name
from waypost.space.repository import find_repository

GIT_TIMEOUT_SECONDS = 5.0
_LONGEST_NAME = 255
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one memory from every other. Holds no user name, password or token of a remote."""

    space_id: str  # 16 hex digits
    kind: str  # project | person
    name: str  # for people to read: of the repository, directory or person
    source: str  # what the id was computed from: origin | git-root | directory | person
    origin: str | None  # the remote's URL, without user, password and query
    root: (
        Path | None
    )  # of the checkout; None for a person, and where the tree of a project is on no path of this machine
    checkout_id: str  # 16 hex digits, over the resolved root; without a tree, of the checkout whose index is looked at

    @property
    def has_tree(self) -> bool:
        return self.root is not None

    @property
    def is_away(self) -> bool:
        """Whether it is a project whose tree is elsewhere: its memory shows what was found there last."""
        return self.kind == "project" and self.root is None


def identify(directory: Path, *, machine: str = "", timeout: float = GIT_TIMEOUT_SECONDS) -> Identity:
    """The project that a directory belongs to: the same from any of its subdirectories. `machine` is the name of this one
    where its store is shared with others (`Settings.shared_machine`).

    Raises InvalidInput when there is no such directory, or when its repository cannot be read: never another id.
    """
    resolved = _existing_directory(directory)
    repository = find_repository(resolved)
    if repository is None:
        return _project(resolved, "directory", _place(resolved, machine), None, resolved.name, machine)
    root = repository.root
    url = origin_url(repository.git_dir, repository.common_dir, timeout=timeout)
    if url is None:
        shared = repository.shared_root
        return _project(root, "git-root", _place(shared, machine), None, shared.name.removesuffix(".git"), machine)
    remote = read_remote(url, repository.shared_root)
    name = repository_name(remote.shown or "") or root.name
    return _project(root, "origin", remote.hashed.encode("utf-8", "surrogateescape"), remote.shown, name, machine)


def identify_person(name: str) -> Identity:
    """The person of that name. Upper and lower case are different people, as on most systems; spelling is NFC."""
    normal = unicodedata.normalize("NFC", name).strip()
    if not normal or len(normal) > _LONGEST_NAME or _UNPRINTABLE.search(normal):
        raise InvalidInput(f"{name[:40]!r} cannot be a person's name.", "Give a name of 1 to 255 printable characters.")
    # No path and no URL in a configuration file contains NUL, so no project can compute a person's id.
    digest = _digits(b"person\0" + normal.encode())
    return Identity(digest, "person", normal, "person", None, None, digest)


def identify_away(space_id: str, name: str, source: str, origin: str | None, checkout_id: str) -> Identity:
    """A project that is known by its memory alone, seen as its checkout of this id was seen last."""
    return Identity(space_id, "project", name, source, origin, None, checkout_id)


def path_id(root: Path, machine: str) -> str:
    """The id of the checkout at this path, and of a project that is known by its path alone."""
    return _digits(_place(root, machine))


def tree_name(root: Path, machine: str) -> str:
    """What a tree is called in the list of checkouts: where a store is shared, with its machine."""
    told = os.fsencode(root).decode("utf-8", "replace")
    return f"{machine}:{told}" if machine else told


def tree_here(told: str, machine: str) -> Path | None:
    """The tree of this name, if it is one of this machine."""
    if not machine:
        return Path(told)
    on, _, root = told.partition(":")
    return Path(root) if on == machine and root else None


def machine_journal(machine: str) -> str:
    """Whose the journal in a machine's own folder is, where its store is shared; empty where it is not."""
    return _digits(b"journal\0" + machine.encode()) if machine else ""


def _place(path: Path, machine: str) -> bytes:
    # No path contains NUL: one on a machine cannot be taken for another.
    return (machine.encode() + b"\0" if machine else b"") + os.fsencode(path)


def _project(root: Path, source: str, hashed: bytes, origin: str | None, name: str, machine: str) -> Identity:
    readable = _UNPRINTABLE.sub("\ufffd", name)[:_LONGEST_NAME] or str(root)
    return Identity(_digits(hashed), "project", readable, source, origin, root, _digits(_place(root, machine)))


def _digits(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _existing_directory(directory: Path) -> Path:
    try:
        resolved = canonical(directory)
        # Listing is not needed, entering is: without it nothing below could be told apart from "no repository".
        entered = resolved.is_dir() and os.access(resolved, os.X_OK)
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no directory {str(directory)!r}.", "Check the path.") from error
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of symlinks; ValueError: NUL
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InvalidInput(f"{str(directory)[:200]!r} cannot be used: {reason}.", "Check the path.") from error
    if not entered:
        raise InvalidInput(f"{str(directory)!r} is not a directory this user can enter.", "Name a directory.")
    return resolved
