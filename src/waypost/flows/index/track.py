"""Keep the index up to date while somebody works: one file at a time, or everything a task changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from waypost.code.files.skip import unsafe_name
from waypost.code.files.walk import walk
from waypost.code.git.history import changed_since, head
from waypost.errors import InvalidInput
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.index.build import Indexed, index_paths, index_tree
from waypost.flows.index.patterns import stored_patterns
from waypost.flows.index.project_analysis import analyze_project
from waypost.flows.links.about import stale
from waypost.flows.open_space import OpenSpace, indexed_commit_key, learn_since_key, learned_commit_key, tree_of
from waypost.flows.write.remember import remember
from waypost.flows.write.ttl_refresh import refresh_after_git
from waypost.model.draft import Draft, check_text
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.model.reference import CodeReference
from waypost.space.place import safe_relative_path

ACTIONS = ("edit", "create", "delete", "rename")
_NEVER_WATCHED = {"node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
_MOST_ABSENT_NAMED = 5
_MOST_FILES_NAMED = 20  # with what was done: enough to find it by, few enough to read


def update(space: OpenSpace, paths: Sequence[str]) -> Indexed:
    """Index these files now. The worker updates what depends on the whole tree."""
    done = index_paths(space, _inside(space, paths))
    space.start_worker(space)
    return done


def track(space: OpenSpace, paths: Sequence[str], action: str = "edit") -> None:
    """Queue changed files for the worker; the caller does not wait."""
    if action not in ACTIONS:
        raise InvalidInput(f"There is no action {action[:40]!r}.", f"Actions: {', '.join(ACTIONS)}.")
    chosen = _inside(space, paths)
    with space.store.write() as writer:
        writer.code.track(space.identity.checkout_id, chosen)
    space.start_worker(space)


def index_tracked(space: OpenSpace, *, limit: int | None = None) -> int:
    """Index the queued files. Returns how many there were."""
    if not space.identity.has_tree:
        return 0
    with space.store.read() as reader:
        waiting = reader.code.tracked(space.identity.checkout_id)[:limit]
    if waiting:
        index_paths(space, waiting)
    return len(waiting)


def git_changed(space: OpenSpace) -> None:
    """After a commit, a merge, a rebase or a checkout: read what changed if the tree is indexed, and judge where memories
    point. Several at once do it once."""
    root, checkout = tree_of(space), space.identity.checkout_id
    with space.store.read() as reader:
        is_indexed, since = reader.code.has_any(checkout), reader.meta.get(indexed_commit_key(space)) or ""
    if is_indexed:
        changes = changed_since(root, since)
        paths = (*changes.changed, *changes.deleted, *changes.renamed, *changes.renamed.values())
        with space.store.write() as writer:
            writer.code.track(checkout, [path for path in paths if unsafe_name(path) is None])
            if changes.complete:
                writer.meta.set(indexed_commit_key(space), head(root).commit)
    else:
        refresh_after_git(space)
    _owe_learning(space, since)
    stale(space)
    space.start_worker(space)


def _owe_learning(space: OpenSpace, since: str) -> None:
    """New commits may teach something: the worker is to read those since it learned last, else since this one, else the
    last. The index is no measure: it may have met a commit before the hook did."""
    newest = head(tree_of(space)).commit
    if newest and "commit" in space.settings.learn_on:
        with space.store.write() as writer:
            if not writer.meta.get(learn_since_key(space)):
                learned_commit = writer.meta.get(learned_commit_key(space)) or since or f"{newest}~1"
                writer.meta.set(learn_since_key(space), learned_commit)


def finish(space: OpenSpace, description: str, files: Sequence[str] | None, caller: Caller) -> Receipt:
    """Bring what a task changed into the index in one go, and remember that it was done."""
    task = check_text(description, "description")
    if files is None:
        patterns = stored_patterns(space)
        chosen = index_tree(space, include=patterns.include, exclude=patterns.exclude).changed
    else:
        chosen = _inside(space, files)
        index_paths(space, chosen)
    analyze_project(space)
    tree = TreeNow(space)
    there = [path for path in chosen if tree.has_file(path)]
    absent = [path for path in chosen if path not in there]
    draft = Draft.of(
        {
            "text": f"Task completed: {task}",
            "kind": "learning",
            "tags": {"files_changed": str(len(chosen))} | ({"files_deleted": str(len(absent))} if absent else {}),
        }
    )
    named = tuple(CodeReference(path) for path in there[:_MOST_FILES_NAMED])
    receipt = next(remember(space, [replace(draft, refs=named)], caller, direct=True))
    return replace(receipt, notices=(*receipt.notices, *_absent_notices(absent)))


def _absent_notices(paths: Sequence[str]) -> tuple[str, ...]:
    """Notices about deleted files, folders and links: no memory can point at these."""
    if not paths:
        return ()
    names = ", ".join(paths[:_MOST_ABSENT_NAMED]) + (", …" if len(paths) > _MOST_ABSENT_NAMED else "")
    return (f"These files are deleted or can't be read, so nothing points there: {names}.",)


def ignores(space: OpenSpace) -> Callable[[str], bool]:
    """Which folders need not be watched: those that a walk skips now, and some by name, whenever they come."""
    patterns = stored_patterns(space)
    entries = walk(tree_of(space), include=patterns.include, exclude=patterns.exclude, explain=True)
    folders = {entry.path for entry in entries if entry.skipped and entry.path.endswith("/")}

    def ignored(path: str) -> bool:
        return path.endswith("/") and (path in folders or path.rstrip("/").rpartition("/")[2] in _NEVER_WATCHED)

    return ignored


def _inside(space: OpenSpace, paths: Sequence[str]) -> list[str]:
    root = tree_of(space)
    return list(dict.fromkeys(safe_relative_path(root, path) for path in paths))
