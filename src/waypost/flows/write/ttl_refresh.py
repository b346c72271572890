"""A file changes: memories that wait for that have their time again."""

from collections.abc import Iterable
from datetime import datetime

from waypost.code.files.changed_patterns import ChangedFiles
from waypost.code.git.history import TreeChanges, changed_since, dirty, head, recent_changes
from waypost.facts.ageing import is_lively, renewed
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.store.fact_protocol import LifetimeRow
from waypost.store.protocol import Reader


def refresh_for(space: OpenSpace, paths: Iterable[str]) -> int:
    """These files of the tree were made, edited or deleted: memories that wait for that have their whole time again.
    Returns how many. What was archived or deleted at its end does not come back by it."""
    changed = list(paths)
    if not changed:
        return 0
    with space.store.read() as reader:
        rows = refreshable(reader, space.clock())
    files = ChangedFiles(changed if rows else ())
    meant = [row.memory_id for row in rows if files.any_meant(row.refresh)]
    if not meant:
        return 0
    with space.store.write() as writer:
        now = space.clock()
        states = writer.states(meant)
        alive = [one for one in meant if one in states and states[one].refresh and is_lively(states[one], now)]
        for memory_id in alive:
            writer.set_state(memory_id, **renewed(states[memory_id], now))
    return len(alive)


def refreshable(reader: Reader, now: datetime) -> list[LifetimeRow]:
    """Lifetimes that a changed file can restart."""
    waiting = reader.lifetimes(refreshed=True)
    return [row for row in waiting if row.expires_at > now or row.on_expire == "stale"]


def refresh_after_git(space: OpenSpace) -> int:
    """The same for a tree that nobody indexes: git tells what was committed or checked out since the last time."""
    root, key = tree_of(space), f"refreshed_commit:{space.identity.checkout_id}"
    with space.store.read() as reader:
        waiting, since = bool(refreshable(reader, space.clock())), reader.meta(key)
    commit = head(root).commit if waiting else ""
    if not commit or commit == since:
        return 0
    found = _names(changed_since(root, since)) if since else set(recent_changes(root, commits=1))
    done = refresh_for(space, sorted(found - _names(dirty(root))))  # what is in no commit may lie there for long
    with space.store.write() as writer:
        writer.set_meta(key, commit)
    return done


def _names(changes: TreeChanges) -> set[str]:
    return {*changes.changed, *changes.deleted, *changes.renamed, *changes.renamed.values()}
