"""Answers from the code as it is now: changed files are indexed again before an answer is given."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from waypost.flows.checkouts.treeless import notice_elsewhere
from waypost.flows.index.freshness import MOST_ROUNDS, files_at, pending_index, refresh
from waypost.flows.index.tree_changes import follow_tree
from waypost.flows.open_space import OpenSpace, conclusions_key, need_project
from waypost.store.protocol import Reader

_PENDING = "Relations of recently changed files are still being updated."
_FEW_FILES = 300  # analyzed in less than a second
_NO_INDEX = "No code is indexed here. Run `waypost init`."

Answer = TypeVar("Answer")


def current(space: OpenSpace, read: Callable[[Reader], tuple[Answer, Iterable[str]]]) -> tuple[Answer, tuple[str, ...]]:
    """What `read` returns, and notices. `read` also returns the files that its answer depends on."""
    need_project(space)
    behind = follow_tree(space)
    rounds = 0
    while True:
        with space.store.read() as reader:
            pending = pending_index(space, reader)
            answer, paths = read(reader)
            files = files_at(space, reader, set(paths))
            notices = _notices(space, reader)
        rounds += 1
        if rounds > MOST_ROUNDS or (pending is None and not files.outdated):
            break
        if not (pending() if pending is not None else refresh(space, files)):
            break
    if notices == (_PENDING,) and _analyze_now(space):
        with space.store.read() as reader:
            answer, _ = read(reader)
            notices = _notices(space, reader)
    return answer, (*notice_elsewhere(space), *behind, *notices)


def bring_relations_up_to_date(space: OpenSpace) -> tuple[str, ...]:
    """Update pending relations of a small project. Returns a notice if those of a large one are still pending."""
    with space.store.read() as reader:
        is_pending = bool(reader.meta.get(conclusions_key(space)))
    return (_PENDING,) if is_pending and not _analyze_now(space) else ()


def _analyze_now(space: OpenSpace) -> bool:
    """Update the relations of a small project before the answer. A large one is left to the worker."""
    if not space.identity.has_tree or not space.store.may_write:
        return False
    with space.store.read() as reader:
        if len(reader.code.files(space.identity.checkout_id)) > _FEW_FILES:
            return False
    from waypost.flows.index.project_analysis import analyze_project  # heavy, and only after a change

    return analyze_project(space)


def _notices(space: OpenSpace, reader: Reader) -> tuple[str, ...]:
    if not reader.code.has_any(space.identity.checkout_id):
        return (_NO_INDEX,)
    return (_PENDING,) if reader.meta.get(conclusions_key(space)) else ()
