"""What a fixing commit teaches: the error, its cause, the remedy, and its location."""

import re
from dataclasses import replace

from waypost.facts.learn.change_context import ChangeContext
from waypost.facts.learn.fix_message import FIXED, HAPPENS, NOT_THE_PRODUCT, from_body, from_subject, is_sentence, stems
from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.vocabulary import content_words, has_cue, name_stems, subject_key
from waypost.facts.learn.wording import (
    MOST_TEXT,
    clause_of,
    clean,
    clip,
    is_nameable,
    short_path,
    upper_first,
    with_full_stop,
)
from waypost.facts.learn.worth import (
    LEAST,
    first_task,
    is_about_looks,
    is_claim,
    is_conditional,
    is_enough,
    is_location_specific,
    is_trivial,
    particulars,
)
from waypost.model.candidate import Candidate
from waypost.model.change import MODIFIED, DependencyChange, FileChange

_LEAST_WORDS = 3  # content words in the subject
_NEVER = 1_000
_NOT = re.compile(r"\bnot\b", re.I)
_MISSING = re.compile(r"\bmissing\b", re.I)
_LABEL = re.compile(r"^(?:root )?(?:cause|reason|problem|issue|ursache|grund|причина|проблема)\s?: ", re.I)
_SPEAKS_OF_WORK = re.compile(
    r"^(?:the fix (?:is to|is|was to)?|(?:this|the) (?:commit|change|patch|pr|fix|pull request)|we|i|also|and|but|so|it)\b,? (?:now )?",
    re.I,
)


def fix(context: ChangeContext) -> Candidate | None:
    """The fix a commit describes, or None if it describes none clearly."""
    message = context.message
    if message.kind != "fix" or not context.sources or message.noise in NOT_THE_PRODUCT:
        return None
    message = replace(message, subject=first_task(message.subject))
    error, remedy = from_subject(message)
    informative, is_stated = content_words(error or remedy), bool(remedy)
    names = stems(" ".join(changed.last_name for changed in context.main()))
    cause, error, remedy = from_body(message, error, remedy, names)
    if len(informative) < _least(message, cause) or _is_routine_fix(message):
        return None
    place, refs = context.place()
    if not refs or not _is_worth_noting(context, message, error, cause, remedy):
        return None
    where, dependency = f"in {place}" if place else "", _updated_dependency(context)
    if dependency is not None:
        where, refs = dependency
    elif not cause and not is_location_specific(context, place):
        return None
    text = _fact_text(error, cause, remedy, where, is_stated=is_stated, message=message)
    return context.candidate(
        text,
        _confidence(context, error, cause, remedy),
        topic=f"fix:{subject_key(context.message.subject)}",
        refs=refs,
        level=2,
        kind="fix",
        origin="commit_message",
        from_message=True,
        reason=f"The message describes a fix{', and tests changed with it' if context.has_tests else ''}.",
    )


def _is_worth_noting(context: ChangeContext, message: CommitMessage, error: str, cause: str, remedy: str) -> bool:
    """Whether something misbehaved and the text says what. A stated cause is always worth knowing."""
    if cause:
        return True
    subject = message.subject
    is_nothing = (is_trivial(context.message.subject) and not is_conditional(subject)) or is_about_looks(context)
    is_nothing = is_nothing or (message.verb is not None and message.verb.base == "revert")
    if is_nothing or not is_enough(context, f"{error} {remedy}") or particulars(subject) < LEAST:
        return False
    if message.verb is not None and message.verb.kind == "add":
        return bool(error) or _MISSING.search(subject) is not None  # otherwise it is a new feature
    if remedy:
        return not is_claim(remedy) or bool(error)
    if _states_error(error, message) or is_conditional(error):
        return True
    return context.has_tests and particulars(error) > LEAST  # it only names what was wrong


def _states_error(error: str, message: CommitMessage) -> bool:
    """Whether the text says what went wrong, not only with what."""
    has_error_cue = has_cue(error, "error") or has_cue(error, "formerly") or _NOT.search(error) is not None
    return has_error_cue or is_sentence(error) or message.language != "en"


def _updated_dependency(context: ChangeContext) -> tuple[str, tuple[str, ...]] | None:
    """The updated dependency that is the remedy: the message names it, and no changed definition."""
    if any(context.message.names(changed.last_name) for changed in context.main()):
        return None
    subject_stems = stems(context.message.subject)
    matches: list[tuple[int, FileChange, DependencyChange]] = []
    for file in context.change.files:
        for dependency in file.dependencies:
            shared = name_stems(dependency.name, longer_than=3) & subject_stems
            is_update = dependency.change == MODIFIED and dependency.group != "language"
            if is_update and shared and is_nameable(dependency.name, 80):
                matches.append((len(shared), file, dependency))
    if not matches:
        return None
    _, file, best = max(matches, key=lambda match: match[0])
    before, wanted = clean(best.wanted_before, 60), clean(best.wanted, 60)
    location = f"with `{best.name}` {wanted}{f' (before: {before})' if before else ''}, {short_path(file.path)}"
    return location, (file.path,)


def _least(message: CommitMessage, cause: str) -> int:
    """The least number of content words: the more is said about the error, the fewer are needed."""
    if cause or message.language != "en":
        return _LEAST_WORDS - 1
    if has_cue(message.subject, "error"):
        is_bare = not is_sentence(message.subject) and not is_conditional(message.subject)
        is_short = len(content_words(message.subject)) <= _LEAST_WORDS  # "chart crash": of which, when?
        return _NEVER if is_bare and is_short else _LEAST_WORDS - 1
    if message.verb is not None and message.verb.kind in ("vague", "refactor"):
        return _NEVER  # nothing was wrong, or nobody says what
    return _LEAST_WORDS + 2


def _is_routine_fix(message: CommitMessage) -> bool:
    """Matches "Fix build", "fix warnings": nothing that anybody meets again."""
    return set(content_words(message.subject)) <= {
        "build", "builds", "warning", "warnings", "error", "errors", "compile", "regression",
    }  # fmt: skip


def _fact_text(error: str, cause: str, remedy: str, where: str, *, is_stated: bool, message: CommitMessage) -> str:
    """The text of the fact. `is_stated`: the subject is the remedy; otherwise it is the error."""
    is_order = message.verb is not None or bool(FIXED.match(message.subject))
    end = f"Fixed {where}".rstrip() + "."
    there = f", {where}" if where else ""
    room = MOST_TEXT - len(end) - 12
    if is_stated:
        # A subject that is no order may be the error or the new state: "Fixed" fits both.
        lead = "" if FIXED.match(remedy) else "Fix: " if is_order else "Fixed: "
        end = f"{lead}{clip(_without_lead(remedy), min(room, 140)).rstrip('.')}{there}."
        room = MOST_TEXT - len(end) - 12
    parts = []
    if error:
        states_error = _states_error(error, message)
        clause = clause_of(error, min(room, 170)) if is_stated else clip(error, min(room, 190))
        if clause:
            parts.append(with_full_stop(f"Error: {upper_first(clause)}" if states_error else f"Error in {clause}"))
            room -= len(parts[0]) + 1
    because = clause_of(_LABEL.sub("", HAPPENS.sub("", cause)), min(room, 150)) if cause else ""
    if because:
        parts.append(f"Cause: {with_full_stop(upper_first(because))}")
        room -= len(parts[-1]) + 1
    if remedy and not is_stated:
        remedy_clause = clause_of(_without_lead(remedy), room)
        end = f"Fix: {remedy_clause.rstrip('.')}{there}." if remedy_clause else end
    return " ".join((*parts, end))


def _without_lead(remedy: str) -> str:
    return _SPEAKS_OF_WORK.sub("", remedy).strip(" ,")


def _confidence(context: ChangeContext, error: str, cause: str, remedy: str) -> float:
    """How certain it is that this is a fix worth knowing: declared, explained, tested, announced, in few places."""
    message = context.message
    confidence = 0.47 + 0.04 * min(4, len(content_words(error or remedy)) - 2)
    confidence += (0.08 if has_cue(cause, "cause") else 0.04) if cause else 0.0
    confidence += 0.02 if message.is_declared else 0.0
    confidence += 0.03 if error and remedy else 0.0
    confidence += 0.07 if context.has_tests else 0.0
    confidence += 0.05 if context.is_announced else 0.0
    confidence += 0.04 if message.references else 0.0
    confidence += 0.05 if any(message.mentions(changed.last_name) for changed in context.main()) else 0.0
    return confidence - (0.15 if len(context.sources) > 6 else 0.0)
