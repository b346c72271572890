"""Learn in the background: from new commits after a git hook, and from files saved while `watch` runs.

The setting `learn.on` says which. The worker does it, so nobody waits.
"""

from collections.abc import Sequence

from waypost.code.changes.commits import commits, file_as_new
from waypost.code.changes.read import change_set
from waypost.code.git.history import head, is_ancestor
from waypost.errors import WaypostError
from waypost.flows.facts.candidates import EXTRACTOR, take
from waypost.flows.learn.changes import propose
from waypost.flows.open_space import OpenSpace, learn_since_key, learned_commit_key, tree_of
from waypost.model.change import ADDED, ChangeSet, FileChange

_MOST_COMMITS = 50
_MOST_FILES = 50


def learn_pending(space: OpenSpace) -> int:
    """Learn from commits that are pending. Returns how many candidates they gave.

    Skipped for another branch or rewritten history: such commits are not new work.
    """
    if not space.identity.has_tree:
        return 0
    with space.store.read() as reader:
        since = reader.meta.get(learn_since_key(space)) or ""
    if not since:
        return 0
    with space.store.write() as writer:  # first: an unreadable commit must not block the worker forever
        writer.meta.set(learn_since_key(space), "")
    now = head(tree_of(space)).commit
    decided = (
        take(space, propose(space, changes).candidates, EXTRACTOR)
        if (changes := _new_changes(space, since, now))
        else ()
    )
    with space.store.write() as writer:  # last: after a kill, the next commit brings it again
        writer.meta.set(learned_commit_key(space), now)
    return len(decided)


def _new_changes(space: OpenSpace, since: str, now: str) -> list[ChangeSet]:
    root = tree_of(space)
    try:
        if not is_ancestor(root, since, now):
            return []
        return [change_set(raw) for raw in commits(root, f"{since}..{now}", limit=_MOST_COMMITS)]
    except WaypostError:  # git is gone or its history is broken: nothing to learn from
        return []


def learn_saved(space: OpenSpace, paths: Sequence[str]) -> int:
    """Learn from saved files. Returns how many candidates they gave."""
    if not {"readme", "new_file", "save"}.intersection(space.settings.learn_on):
        return 0
    change_sets = [change for path in paths[:_MOST_FILES] for change in _change_of(space, path)]
    wanted = [change_set for change_set in change_sets if any(_is_wanted(space, file) for file in change_set.files)]
    return len(take(space, propose(space, wanted, origin="file_change").candidates, EXTRACTOR)) if wanted else 0


def _change_of(space: OpenSpace, path: str) -> list[ChangeSet]:
    try:
        return [change_set(file_as_new(tree_of(space), path))]
    except WaypostError:  # it is gone by now
        return []


def _is_wanted(space: OpenSpace, file: FileChange) -> bool:
    on = space.settings.learn_on
    if "/" not in file.path and file.path.casefold().startswith("readme"):
        return "readme" in on
    return ("new_file" if file.change == ADDED else "save") in on
