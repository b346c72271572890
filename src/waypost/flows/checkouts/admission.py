"""Which checkouts a memory opens for: those that it knows, and those that share history with one of them.

The id of a memory follows from the remote `origin`, which any folder can set. So a folder that is seen for the first time
must hold a commit that a known checkout has too, be a worktree of one, or be confirmed by a person (`waypost adopt`).
"""

import json
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from waypost.errors import StoreCorrupt, UnknownCheckout
from waypost.flows.admin.finding import DATABASE
from waypost.flows.checkouts.shared_history import Commits, commits_at, why_apart
from waypost.flows.open_space import OpenSpace, indexed_commit_of
from waypost.model.audit import AuditEntry
from waypost.model.memory import Caller
from waypost.space.identity import Identity, path_id, tree_here, tree_name
from waypost.store.protocol import Reader, Store, Writer
from waypost.store.salvaged import CHECKOUTS_LOST

_ROOTS, _HEADS = "history_roots", "history_heads"  # commits that the checkouts of a memory were seen with
_FOLDER = "checkout_folder:"  # the number of a checkout's folder on its disk, which stays when it is moved
_MOST_ROOTS, _MOST_HEADS = 100, 100
_FIRST_LOOK = 2.0  # seconds; what takes longer is done when the tree is indexed


def is_admitted(reader: Reader, identity: Identity, machine: str) -> bool:
    """Whether this memory opens for this checkout without a look at its history."""
    if identity.root is None or identity.space_id == path_id(identity.root, machine):
        return True  # nothing but its own path names it
    known = reader.checkouts()
    if identity.checkout_id in known or was_admitted(reader, identity):
        return True
    return not known and not are_checkouts_lost(reader)


def was_admitted(reader: Reader, identity: Identity) -> bool:
    """Whether the memory opened for this checkout before, as is noted beside the list of checkouts too."""
    return bool(identity.checkout_id and reader.meta(_FOLDER + identity.checkout_id))


def are_checkouts_lost(reader: Reader) -> bool:
    """Whether damage took away checkouts that the memory knew: that it knows none does not make it a new one then."""
    return "checkouts" in reader.damage() or bool(reader.meta(CHECKOUTS_LOST))


def why_refused(reader: Reader, identity: Identity, machine: str) -> str | None:
    """None where the memory opens for this checkout; else why it does not, for people."""
    if is_admitted(reader, identity, machine) or identity.root is None:
        return None
    return why_apart(identity.root, known_commits(reader), siblings(reader, machine))


def need_admission(reader: Reader, identity: Identity, machine: str) -> None:
    """Raise UnknownCheckout where the memory does not open for this checkout: then nothing may be read or written."""
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
    """Let this checkout in and remember it. Raises UnknownCheckout: then nothing may be read or written. `look` is what to do
    when it is new; it comes before it is remembered, so that it is done again if the process is killed on the way."""
    identity, machine = space.identity, space.settings.shared_machine
    if identity.root is None:
        return
    with space.store.read() as reader:
        if identity.checkout_id in reader.checkouts():
            return
        need_admission(reader, identity, machine)
        if "checkouts" in reader.damage():
            return  # nothing can be noted
    look(space)
    if space.store.may_write:
        commits = commits_at(identity.root, seconds=_FIRST_LOOK)
        with space.store.write() as writer:
            writer.add_checkout(identity.checkout_id, tree_name(identity.root, machine), space.clock())
            _note_commits(writer, identity, commits)


def confirm(store: Store, identity: Identity, machine: str, caller: Caller, at: datetime) -> None:
    """A person says that this checkout belongs to the memory."""
    if identity.root is None:
        return
    commits = commits_at(identity.root)
    word = {"owners_word": True} if caller.owners_word else {}
    with store.write() as writer:
        writer.add_checkout(identity.checkout_id, tree_name(identity.root, machine), at)
        _note_commits(writer, identity, commits)
        details = {"checkout": identity.checkout_id, **word}
        writer.add_audit(AuditEntry(at, "adopt", None, caller.source, caller.actor, details))


def note_history(space: OpenSpace) -> None:
    """Remember which commits this checkout has now, so that others are known by them even after it is gone."""
    if space.identity.root is None or not space.store.may_write:
        return
    with space.store.read() as reader:
        has_roots, folder = bool(reader.meta(_ROOTS)), reader.meta(_FOLDER + space.identity.checkout_id)
        heads = _listed(reader.meta(_HEADS))
    from waypost.code.git.history import head  # by a look at git's files, mostly

    now = head(space.identity.root).commit
    if has_roots and folder == _folder_number(space.identity.root) and (not now or now in heads):
        return
    commits = Commits(head=now) if has_roots else commits_at(space.identity.root)
    with space.store.write() as writer:
        _note_commits(writer, space.identity, commits)


def known_commits(reader: Reader) -> list[str]:
    """Newest first: what is near the tip of a clone is found soonest."""
    indexed = [reader.meta(indexed_commit_of(checkout)) or "" for checkout in reader.checkouts()]
    found = [*reversed(_listed(reader.meta(_HEADS))), *indexed, *_listed(reader.meta(_ROOTS))]
    return list(dict.fromkeys(one for one in found if one))


def siblings(reader: Reader, machine: str) -> list[Path]:
    """The known checkouts that are on this machine."""
    found = (tree_here(told, machine) for told in reversed(reader.checkouts().values()))
    return [root for root in found if root is not None and root.is_dir()]


def was_moved_to(reader: Reader, root: Path, machine: str) -> bool:
    """Whether this folder is a checkout of the memory that was elsewhere before."""
    number = _folder_number(root)
    for checkout, told in reader.checkouts().items():
        before = tree_here(told, machine)
        if before is not None and not before.exists() and number and reader.meta(_FOLDER + checkout) == number:
            return True
    return False


def _note_commits(writer: Writer, identity: Identity, commits: Commits) -> None:
    _add(writer, _ROOTS, commits.roots, _MOST_ROOTS)
    _add(writer, _HEADS, (commits.head,) if commits.head else (), _MOST_HEADS)
    if identity.root is not None and (number := _folder_number(identity.root)):
        writer.set_meta(_FOLDER + identity.checkout_id, number)


def _add(writer: Writer, key: str, commits: Sequence[str], most: int) -> None:
    known = _listed(writer.meta(key))
    now = list(dict.fromkeys([*known, *commits]))[-most:]
    if now != known:
        writer.set_meta(key, json.dumps(now))


def _listed(value: str | None) -> list[str]:
    return list(json.loads(value)) if value else []


def _folder_number(root: Path) -> str:
    try:
        found = os.stat(root)
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}" if found.st_ino else ""
