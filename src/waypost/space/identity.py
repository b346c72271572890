"""The id of a project or person, which is always computed and never given.

A project's id is the first 16 hex digits of a SHA-256 hash. The hash is over the URL of its remote `origin`; without
one, over the root of the main worktree; outside a repository, over the resolved directory.

If machines share a store, ids from paths include the name of the machine. Ids from remotes are the same everywhere.
"""

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.space.gitconfig import origin_url
from waypost.space.remote import UNPRINTABLE, read_remote, repository_name
from waypost.space.repository import find_repository
from waypost.system.platform import canonical

GIT_TIMEOUT_SECONDS = 5.0
_LONGEST_NAME = 255
SPACE_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Identity:
    """Identifies a memory. Contains no user name, password or token of a remote."""

    space_id: str  # 16 hex digits
    kind: str  # project | person
    name: str  # of the repository, directory or person, for people
    source: str  # what the id was computed from: origin | git-root | directory | person
    origin: str | None  # the remote's URL, without user, password and query
    root: Path | None  # of the checkout; None for a person, and for a project without a checkout on this machine
    checkout_id: str  # 16 hex digits, from the resolved root; without one, of the checkout whose index is used

    @property
    def has_tree(self) -> bool:
        return self.root is not None

    @property
    def is_away(self) -> bool:
        """Whether it is a project without a checkout on this machine. Its memory shows the last known state."""
        return self.kind == "project" and self.root is None


def identify(directory: Path, *, machine: str = "", timeout: float = GIT_TIMEOUT_SECONDS) -> Identity:
    """The project of a directory or any of its subdirectories.

    `machine` is the name of this machine if its store is shared (`Settings.shared_machine`). Raises InvalidInput if
    there is no such directory, or its repository cannot be read.
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
    name = repository_name(remote.display_url or "") or root.name
    hash_input = remote.hash_input.encode("utf-8", "surrogateescape")
    return _project(root, "origin", hash_input, remote.display_url, name, machine)


def identify_person(name: str) -> Identity:
    """The person of this name, normalised to NFC. Names are case-sensitive."""
    normal = unicodedata.normalize("NFC", name).strip()
    if not normal or len(normal) > _LONGEST_NAME or UNPRINTABLE.search(normal):
        raise InvalidInput(f"{name[:40]!r} cannot be a person's name.", "Give a name of 1 to 255 printable characters.")
    # No path or configured URL contains NUL, so no project can have a person's id.
    digest = _digits(b"person\0" + normal.encode())
    return Identity(digest, "person", normal, "person", None, None, digest)


def identify_away(space_id: str, name: str, source: str, origin: str | None, checkout_id: str) -> Identity:
    """A project without a checkout on this machine, in the last known state of another checkout."""
    return Identity(space_id, "project", name, source, origin, None, checkout_id)


def path_id(root: Path, machine: str) -> str:
    """The id of the checkout at this path, and of a project that is identified only by its path."""
    return _digits(_place(root, machine))


def tree_name(root: Path, machine: str) -> str:
    """The name of a checkout in the list of checkouts; in a shared store it includes the machine."""
    path = os.fsencode(root).decode("utf-8", "replace")
    return f"{machine}:{path}" if machine else path


def tree_here(name: str, machine: str) -> Path | None:
    """The root of the checkout with this name, if it is on this machine."""
    if not machine:
        return Path(name)
    host, _, root = name.partition(":")
    return Path(root) if host == machine and root else None


def machine_journal(machine: str) -> str:
    """The id of the journal in a machine's own folder if its store is shared, else an empty string."""
    return _digits(b"journal\0" + machine.encode()) if machine else ""


def _place(path: Path, machine: str) -> bytes:
    # No path contains NUL, so paths on different machines cannot collide.
    return (machine.encode() + b"\0" if machine else b"") + os.fsencode(path)


def _project(root: Path, source: str, hashed: bytes, origin: str | None, name: str, machine: str) -> Identity:
    readable = UNPRINTABLE.sub("\ufffd", name)[:_LONGEST_NAME] or str(root)
    return Identity(_digits(hashed), "project", readable, source, origin, root, _digits(_place(root, machine)))


def _digits(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _existing_directory(directory: Path) -> Path:
    try:
        resolved = canonical(directory)
        # Without permission to enter, a repository below would look like no repository.
        can_enter = resolved.is_dir() and os.access(resolved, os.X_OK)
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no directory {str(directory)!r}.", "Check the path.") from error
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of symlinks; ValueError: NUL
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InvalidInput(f"{str(directory)[:200]!r} cannot be used: {reason}.", "Check the path.") from error
    if not can_enter:
        raise InvalidInput(f"{str(directory)!r} is not a directory this user can enter.", "Name a directory.")
    return resolved
