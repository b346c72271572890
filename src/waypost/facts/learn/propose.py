"""Candidates out of one change: one fact for what matters of it, not one for each line."""

from collections.abc import Iterator

from waypost.facts.domains import Layout
from waypost.facts.learn.behaviour import behaviour
from waypost.facts.learn.change_context import Scene, Still
from waypost.facts.learn.dependencies import is_routine, needs, settings
from waypost.facts.learn.files import introduction, moved, new_files
from waypost.facts.learn.fixes import fix
from waypost.facts.learn.interfaces import added, changed, gone, renamed
from waypost.facts.learn.skip_reasons import LITTLE, ROUTINE, why_skip
from waypost.model.candidate import Candidate
from waypost.model.change import ChangeSet

MOST = 4  # of one commit
LEAST = 0.55  # below, nobody would thank us for asking


def candidates(change: ChangeSet, layout: Layout, *, still: Still | None = None) -> tuple[Candidate, ...]:
    """What a colleague would note down about a change, the surest first; often nothing.

    `still` tells of a path and a symbol ("" for the file itself) whether it is there today: nothing is said of what is
    not. The values of the change are hostile; those of the candidates are clean, bounded, and refer to the change only.
    """
    return propose(Scene.of(change, layout, still))[0]


def propose(scene: Scene) -> tuple[tuple[Candidate, ...], str]:
    """The candidates; where there are none, why."""
    reason = why_skip(scene)
    if reason:
        return (), reason
    found = [one for one in _all(scene) if one.confidence >= LEAST and one.text]
    if not found:
        return (), ROUTINE if is_routine(scene) else LITTLE
    found.sort(key=lambda one: -one.confidence)
    return tuple(found[:MOST]), ""


def _all(scene: Scene) -> Iterator[Candidate]:
    page = introduction(scene)
    if page is not None:
        yield page
    yield from needs(scene)
    yield from settings(scene)
    if not scene.sources:
        return
    signatures, other_name, story = list(changed(scene)), renamed(scene), _story(scene)
    if story is not None and story.topic.startswith("change:"):
        breaking = {ref for one in signatures if one.level == 1 for ref in one.refs}
        is_quoted = any("From “" in one.text for one in signatures)
        if other_name is not None or is_quoted or breaking & set(story.refs):
            story = None  # the same in words that say less
    told = set(story.refs) if story is not None and story.kind != "fix" else set()
    yield from (one for one in (story, other_name) if one is not None)
    yield from (one for one in signatures if not told & set(one.refs))
    went = gone(scene)
    if went is not None:
        yield went


def _story(scene: Scene) -> Candidate | None:
    """The one fact that says what a commit is: a fix, a new file, a move, something new to use, or what it does now."""
    if scene.message.kind == "fix":
        return fix(scene)
    for tell in (new_files, moved, added, behaviour):
        found = tell(scene)
        if found is not None and found.confidence >= LEAST:
            return found
    return None
