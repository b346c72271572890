"""Which checkouts a memory opens for: known ones, and those that share history with one.

The id of a memory comes from the remote `origin`, which any folder can set. So a new folder must prove that it belongs.
It has a commit of a known checkout, is a worktree of one, or a person confirms it (`waypost adopt`).
"""

import json
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from waypost.errors import StoreCorrupt, UnknownCheckout
from waypost.flows.checkouts.shared_history import Commits, commits_at, why_apart
from waypost.flows.findings import DATABASE
from waypost.flows.open_space import OpenSpace, indexed_commit_of
from waypost.model.memory import AuditEntry, Caller
from waypost.space.identity import Identity, path_id, tree_here, tree_name
from waypost.store.protocol import Reader, Store, Writer
from waypost.store.salvaged import CHECKOUTS_LOST

_ROOTS, _HEADS = "history_roots", "history_heads"  # commits seen in the checkouts of a memory
_FOLDER = "checkout_folder:"  # device and inode of a checkout's folder, which stay when it is moved
_MOST_ROOTS, _MOST_HEADS = 100, 100
_FIRST_LOOK = 2.0  # seconds; indexing does what takes longer


def is_admitted(reader: Reader, identity: Identity, machine: str) -> bool:
    """Whether this memory opens for this checkout without looking at its history."""
    if identity.root is None or identity.space_id == path_id(identity.root, machine):
        return True  # its id comes from its own path
    checkouts = reader.code.checkouts()
    if identity.checkout_id in checkouts or was_admitted(reader, identity):
        return True
    return not checkouts and not are_checkouts_lost(reader)


def was_admitted(reader: Reader, identity: Identity) -> bool:
    """Whether the memory opened for this checkout before, by a second note beside the list of checkouts."""
    return bool(identity.checkout_id and reader.meta.get(_FOLDER + identity.checkout_id))


def are_checkouts_lost(reader: Reader) -> bool:
    """Whether damage lost known checkouts. Then an empty list does not mean a new memory."""
    return "checkouts" in reader.damage() or bool(reader.meta.get(CHECKOUTS_LOST))


def why_refused(reader: Reader, identity: Identity, machine: str) -> str | None:
    """Why the memory does not open for this checkout, or None if it does."""
    if is_admitted(reader, identity, machine) or identity.root is None:
        return None
    return why_apart(identity.root, known_commits(reader), siblings(reader, machine))


def need_admission(reader: Reader, identity: Identity, machine: str) -> None:
    """Raise UnknownCheckout if the memory does not open for this checkout: then nothing may be read or written."""
    reason = why_refused(reader, identity, machine)
    if reason is not None and "checkouts" in reader.damage():
        raise StoreCorrupt(
            f"The database of {identity.name!r} is damaged, so it cannot be seen whether {identity.root} belongs to it: {reason}.",
            f"Nothing was read or written. {DATABASE.remedy}",
        )
    if reason is not None:
        raise UnknownCheckout(
            f"The memory of {identity.name!r} does not open for {identity.root}: {reason}.",
            "Nothing was read or written. If this folder belongs to the project, run `waypost adopt` there, at a terminal.",
        )


def admit(space: OpenSpace, look: Callable[[OpenSpace], object]) -> None:
    """Admit this checkout and store it. Raises UnknownCheckout: then nothing may be read or written.

    `look` runs for a new checkout before it is stored, so that it runs again if the process is killed.
    """
    identity, machine = space.identity, space.settings.shared_machine
    if identity.root is None:
        return
    with space.store.read() as reader:
        if identity.checkout_id in reader.code.checkouts():
            return
        need_admission(reader, identity, machine)
        if "checkouts" in reader.damage():
            return  # nothing can be stored
    look(space)
    if space.store.may_write:
        commits = commits_at(identity.root, seconds=_FIRST_LOOK)
        with space.store.write() as writer:
            writer.code.add_checkout(identity.checkout_id, tree_name(identity.root, machine), space.clock())
            _note_commits(writer, identity, commits)


def confirm(store: Store, identity: Identity, machine: str, caller: Caller, at: datetime) -> None:
    """A person confirms that this checkout belongs to the memory."""
    if identity.root is None:
        return
    commits = commits_at(identity.root)
    word = {"owners_word": True} if caller.owners_word else {}
    with store.write() as writer:
        writer.code.add_checkout(identity.checkout_id, tree_name(identity.root, machine), at)
        _note_commits(writer, identity, commits)
        details = {"checkout": identity.checkout_id, **word}
        writer.audit.add(AuditEntry(at, "adopt", None, caller.source, caller.actor, details))


def note_history(space: OpenSpace) -> None:
    """Store the current commits of this checkout, so that others are recognised even after it is gone."""
    if space.identity.root is None or not space.store.may_write:
        return
    with space.store.read() as reader:
        has_roots, folder = bool(reader.meta.get(_ROOTS)), reader.meta.get(_FOLDER + space.identity.checkout_id)
        heads = stored_list(reader.meta.get(_HEADS))
    from waypost.code.git.history import head  # only for indexing

    now = head(space.identity.root).commit
    if has_roots and folder == _folder_number(space.identity.root) and (not now or now in heads):
        return
    commits = Commits(head=now) if has_roots else commits_at(space.identity.root)
    with space.store.write() as writer:
        _note_commits(writer, space.identity, commits)


def known_commits(reader: Reader) -> list[str]:
    """Commits of known checkouts, newest first: those are found soonest in a clone."""
    indexed = [reader.meta.get(indexed_commit_of(checkout)) or "" for checkout in reader.code.checkouts()]
    commits = [*reversed(stored_list(reader.meta.get(_HEADS))), *indexed, *stored_list(reader.meta.get(_ROOTS))]
    return list(dict.fromkeys(commit for commit in commits if commit))


def siblings(reader: Reader, machine: str) -> list[Path]:
    """Known checkouts on this machine."""
    roots = (tree_here(name, machine) for name in reversed(reader.code.checkouts().values()))
    return [root for root in roots if root is not None and root.is_dir()]


def was_moved_to(reader: Reader, root: Path, machine: str) -> bool:
    """Whether this folder is a known checkout that was moved here."""
    number = _folder_number(root)
    for checkout, name in reader.code.checkouts().items():
        before = tree_here(name, machine)
        if before is not None and not before.exists() and number and reader.meta.get(_FOLDER + checkout) == number:
            return True
    return False


def _note_commits(writer: Writer, identity: Identity, commits: Commits) -> None:
    _add(writer, _ROOTS, commits.roots, _MOST_ROOTS)
    _add(writer, _HEADS, (commits.head,) if commits.head else (), _MOST_HEADS)
    if identity.root is not None and (number := _folder_number(identity.root)):
        writer.meta.set(_FOLDER + identity.checkout_id, number)


def _add(writer: Writer, key: str, commits: Sequence[str], most: int) -> None:
    commits_before = stored_list(writer.meta.get(key))
    commits_now = list(dict.fromkeys([*commits_before, *commits]))[-most:]
    if commits_now != commits_before:
        writer.meta.set(key, json.dumps(commits_now))


def stored_list(value: str | None) -> list[str]:
    return list(json.loads(value)) if value else []


def _folder_number(root: Path) -> str:
    try:
        state = os.stat(root)
    except OSError:
        return ""
    return f"{state.st_dev}:{state.st_ino}" if state.st_ino else ""
