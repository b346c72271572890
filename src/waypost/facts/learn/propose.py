"""Candidate facts from one change: one fact for what matters, not one per line."""

from collections.abc import Iterator

from waypost.facts.learn.change_context import ChangeContext
from waypost.facts.learn.commit_facts import change, fix
from waypost.facts.learn.dependencies import dependency_facts, is_routine, setting_facts
from waypost.facts.learn.files import introduction, moved_definitions, new_files
from waypost.facts.learn.interfaces import changed_signatures, new_definitions, removed_definitions, renamed_definitions
from waypost.facts.learn.skip_reasons import LITTLE, ROUTINE, skip_reason
from waypost.facts.learn.wording import in_quotes
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
    dependencies = list(dependency_facts(context))
    yield from dependencies
    yield from setting_facts(context)
    if not context.sources:
        return
    renaming, removal = renamed_definitions(context), removed_definitions(context)
    signatures = list(changed_signatures(context))
    main_fact = _main_fact(context)
    quoting = [candidate for candidate in (renaming, removal, *signatures) if candidate is not None]
    subject = in_quotes(context.message.subject)
    if main_fact is not None and any(subject in candidate.text for candidate in (*quoting, *dependencies)):
        main_fact = None if main_fact.text.endswith(f"{subject}.") else main_fact  # the others say it too
    yield from (candidate for candidate in (main_fact, *quoting) if candidate is not None)


def _main_fact(context: ChangeContext) -> Candidate | None:
    """The one fact that describes a commit: a fix, a move, what it changed, a new file or a new definition."""
    if context.message.kind == "fix":
        return fix(context)
    for finder in (moved_definitions, change, new_files, new_definitions):
        candidate = finder(context)
        if candidate is not None and candidate.confidence >= LEAST:
            return candidate
    return None
