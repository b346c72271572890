"""Restart lifetimes when a matching file changes."""

from collections.abc import Iterable
from datetime import datetime

from waypost.code.files.changed_patterns import ChangedFiles
from waypost.code.git.history import TreeChanges, changed_since, dirty, head, recent_changes
from waypost.facts.ageing import is_refreshable, renewal_changes
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.store.facts import LifetimeRow
from waypost.store.protocol import Reader


def refresh_for(space: OpenSpace, paths: Iterable[str]) -> int:
    """These files were created, edited or deleted: restart the lifetimes of memories with a matching trigger.

    Returns how many. Archived and deleted memories are not restored.
    """
    changed = list(paths)
    if not changed:
        return 0
    with space.store.read() as reader:
        rows = refreshable(reader, space.clock())
    files = ChangedFiles(changed if rows else ())
    matching = [row.memory_id for row in rows if files.any_meant(row.refresh)]
    if not matching:
        return 0
    with space.store.write() as writer:
        now = space.clock()
        states = writer.memories.states(matching)
        alive = [
            memory_id
            for memory_id in matching
            if memory_id in states and states[memory_id].refresh and is_refreshable(states[memory_id], now)
        ]
        for memory_id in alive:
            writer.memories.set_state(memory_id, **renewal_changes(states[memory_id], now))
    return len(alive)


def refreshable(reader: Reader, now: datetime) -> list[LifetimeRow]:
    """Lifetimes that a changed file can restart."""
    waiting = reader.facts.lifetimes(refreshed=True)
    return [row for row in waiting if row.expires_at > now or row.on_expire == "stale"]


def refresh_after_git(space: OpenSpace) -> int:
    """The same for a repository without an index, by what git says was committed or checked out since."""
    root, key = tree_of(space), f"refreshed_commit:{space.identity.checkout_id}"
    with space.store.read() as reader:
        waiting, since = bool(refreshable(reader, space.clock())), reader.meta.get(key)
    commit = head(root).commit if waiting else ""
    if not commit or commit == since:
        return 0
    paths = _names(changed_since(root, since)) if since else set(recent_changes(root, commits=1))
    done = refresh_for(space, sorted(paths - _names(dirty(root))))  # uncommitted changes may be old
    with space.store.write() as writer:
        writer.meta.set(key, commit)
    return done


def _names(changes: TreeChanges) -> set[str]:
    return {*changes.changed, *changes.deleted, *changes.renamed, *changes.renamed.values()}
