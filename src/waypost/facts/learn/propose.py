"""Candidate facts from one change: one fact for what matters, not one per line."""

from collections.abc import Iterator

from waypost.facts.learn.behaviour import behaviour
from waypost.facts.learn.change_context import ChangeContext
from waypost.facts.learn.dependencies import dependency_facts, is_routine, setting_facts
from waypost.facts.learn.files import introduction, moved_definitions, new_files
from waypost.facts.learn.fixes import fix
from waypost.facts.learn.interfaces import changed_signatures, new_definitions, removed_definitions, renamed_definitions
from waypost.facts.learn.skip_reasons import LITTLE, ROUTINE, skip_reason
from waypost.model.candidate import Candidate

MOST = 4  # per commit
LEAST = 0.55  # confidence; less is not worth a review


def propose(context: ChangeContext) -> tuple[tuple[Candidate, ...], str]:
    """What a colleague would note about a change, the most certain first, and the reason if that is nothing.

    The change is untrusted input. The candidates are clean, bounded, and refer to the change only.
    """
    reason = skip_reason(context)
    if reason:
        return (), reason
    proposals = [candidate for candidate in _all(context) if candidate.confidence >= LEAST and candidate.text]
    if not proposals:
        return (), ROUTINE if is_routine(context) else LITTLE
    proposals.sort(key=lambda candidate: -candidate.confidence)
    return tuple(proposals[:MOST]), ""


def _all(context: ChangeContext) -> Iterator[Candidate]:
    page = introduction(context)
    if page is not None:
        yield page
    yield from dependency_facts(context)
    yield from setting_facts(context)
    if not context.sources:
        return
    signatures, renaming = list(changed_signatures(context)), renamed_definitions(context)
    main_fact = _main_fact(context)
    if main_fact is not None and main_fact.topic.startswith("change:"):
        breaking = {ref for candidate in signatures if candidate.level == 1 for ref in candidate.refs}
        is_quoted = any("From “" in candidate.text for candidate in signatures)
        if renaming is not None or is_quoted or breaking & set(main_fact.refs):
            main_fact = None  # the same in less precise words
    covered = set(main_fact.refs) if main_fact is not None and main_fact.kind != "fix" else set()
    yield from (candidate for candidate in (main_fact, renaming) if candidate is not None)
    yield from (candidate for candidate in signatures if not covered & set(candidate.refs))
    removal = removed_definitions(context)
    if removal is not None:
        yield removal


def _main_fact(context: ChangeContext) -> Candidate | None:
    """The one fact that describes a commit: a fix, a new file, a move, a new definition, or what it does now."""
    if context.message.kind == "fix":
        return fix(context)
    for finder in (new_files, moved_definitions, new_definitions, behaviour):
        candidate = finder(context)
        if candidate is not None and candidate.confidence >= LEAST:
            return candidate
    return None
