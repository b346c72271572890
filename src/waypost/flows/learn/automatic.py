"""Learning without being asked: from new commits after a git hook, and from files that were saved while somebody watches.

Which of these happens is a setting (`learn.on`). All of it is done by the space's worker, never while anybody waits.
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


def learn_owed(space: OpenSpace) -> int:
    """Learn from the commits since learning was owed. Returns how many candidates they gave.

    Only where they were made on top of what was there: another branch that was checked out is no news, nor is a history
    that was written anew.
    """
    if not space.identity.has_tree:
        return 0
    with space.store.read() as reader:
        since = reader.meta.get(learn_since_key(space)) or ""
    if not since:
        return 0
    with space.store.write() as writer:  # first: a commit that cannot be read must not keep the worker from its work
        writer.meta.set(learn_since_key(space), "")
    now = head(tree_of(space)).commit
    found = take(space, propose(space, changes).candidates, EXTRACTOR) if (changes := _news(space, since, now)) else ()
    with space.store.write() as writer:  # last: whoever is killed on the way learns it after the next commit
        writer.meta.set(learned_commit_key(space), now)
    return len(found)


def _news(space: OpenSpace, since: str, now: str) -> list[ChangeSet]:
    root = tree_of(space)
    try:
        if not is_ancestor(root, since, now):
            return []
        return [change_set(raw) for raw in commits(root, f"{since}..{now}", limit=_MOST_COMMITS)]
    except WaypostError:  # git is gone or its history is broken: there is nothing to learn from, and nobody to tell
        return []


def learn_saved(space: OpenSpace, paths: Sequence[str]) -> int:
    """Learn from files that were saved. Returns how many candidates they gave."""
    if not {"readme", "new_file", "save"}.intersection(space.settings.learn_on):
        return 0
    found = [change for path in paths[:_MOST_FILES] for change in _saved(space, path)]
    wanted = [one for one in found if any(_is_wanted(space, file) for file in one.files)]
    return len(take(space, propose(space, wanted, origin="file_change").candidates, EXTRACTOR)) if wanted else 0


def _saved(space: OpenSpace, path: str) -> list[ChangeSet]:
    try:
        return [change_set(file_as_new(tree_of(space), path))]
    except WaypostError:  # it is gone again
        return []


def _is_wanted(space: OpenSpace, file: FileChange) -> bool:
    on = space.settings.learn_on
    if "/" not in file.path and file.path.casefold().startswith("readme"):
        return "readme" in on
    return ("new_file" if file.change == ADDED else "save") in on
