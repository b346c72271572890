"""What a commit message teaches: a fix or a change, quoted, with its place and its reason."""

import re

from waypost.facts.learn.change_context import ChangeContext
from waypost.facts.learn.message import NOT_THE_PRODUCT, is_statement
from waypost.facts.learn.vocabulary import (
    STEM,
    content_words,
    has_cue,
    name_stems,
    subject_key,
)
from waypost.facts.learn.wording import MOST_TEXT, in_quotes
from waypost.facts.learn.worth import (
    LEAST,
    is_about_looks,
    is_conditional,
    is_enough,
    is_list,
    is_location_specific,
    is_trivial,
    particulars,
)
from waypost.model.candidate import Candidate

_LONGEST_SUBJECT = 160  # characters that are quoted; a longer one is a summary of many things
_LARGE = 50  # lines: a smaller refactoring is not worth a note
_FEWEST_WORDS = 2  # content words of any subject
_LEAST_WORDS = 4  # content words of a subject without a stated reason
_MOST_FILES = 10
_NEAR = 2  # sentences in which an error is the one of the subject
_FIRST = 6  # sentences of a body: details and alternatives come later
_CHANGES = frozenset(("", "feature", "remove", "deprecate", "refactor"))
_DEPRECATION = re.compile(r"deprecat", re.I)
_POINTS = re.compile(r"(?:this|that|it|previously|before|prior to|formerly|dies|das|bisher|это|раньше)\b", re.I)
_NOT = re.compile(r"\b(?:not|no longer|missing|without|never|nicht|kein\w*|не|без)\b|n['’]t\b", re.I)


def fix(context: ChangeContext) -> Candidate | None:
    """The fix a commit describes, or None if it does not say what was wrong."""
    message = context.message
    if message.kind != "fix" or not context.sources or not _is_quotable(context):
        return None
    reason = _reason(context, ("cause", "reason", "formerly", "error"))
    if not reason and not _states_error(context):
        return None
    return _candidate(context, "Fixed", reason, topic="fix", kind="fix")


def change(context: ChangeContext) -> Candidate | None:
    """What a commit says it changed, or None if that is not worth a note."""
    message = context.message
    if message.kind not in _CHANGES or not _is_quotable(context) or len(context.sources) > _MOST_FILES:
        return None
    reason = _reason(context, ("reason", "cause", "formerly"))
    if message.kind == "refactor" and (not reason or context.lines_changed <= _LARGE):
        return None
    is_known = context.is_announced or context.has_tests
    is_title = message.verb is None and message.language == "en"  # a title does not say what was done
    if not reason and (is_title or particulars(message.subject) < LEAST):
        return None
    if not reason and not (is_known and _is_about_interface(context) and is_enough(context, message.subject)):
        return None
    return _candidate(context, "Changed", reason, topic="change", kind="fact")


def _is_quotable(context: ChangeContext) -> bool:
    """Whether the subject names one particular thing of the product."""
    message = context.message
    subject = message.subject
    if message.noise in NOT_THE_PRODUCT or len(subject) > _LONGEST_SUBJECT or is_list(subject):
        return False
    is_empty = is_trivial(subject) and not is_conditional(subject)
    is_revert = message.verb is not None and message.verb.base == "revert"
    return (
        not is_empty and not is_revert and not is_about_looks(context) and len(content_words(subject)) >= _FEWEST_WORDS
    )


def _states_error(context: ChangeContext) -> bool:
    """Whether the subject says what went wrong, and a test or an announcement supports it."""
    message = context.message
    subject = message.subject
    is_prevention = message.verb is not None and message.verb.kind == "prevent"
    says = has_cue(subject, "error") or is_conditional(subject) or _NOT.search(subject) is not None
    says = says or is_prevention or message.language != "en"
    is_known = context.is_announced or context.has_tests
    least = _LEAST_WORDS if message.language == "en" else LEAST
    is_particular = particulars(subject) >= LEAST and is_enough(context, subject)
    return says and is_known and is_particular and len(content_words(subject)) >= least


def _is_about_interface(context: ChangeContext) -> bool:
    """Whether the subject names a changed definition that others use, and enough about it."""
    message = context.message
    names_one = any(message.names(changed.last_name) and changed.is_public_api for changed in context.main())
    is_declared = message.kind in ("feature", "deprecate", "remove") and message.is_declared
    return (names_one or is_declared) and len(content_words(message.subject)) >= _LEAST_WORDS


def _reason(context: ChangeContext, cues: tuple[str, ...]) -> str:
    """The first sentence of the body that says why: the best cue decides. "" if none fits whole."""
    message = context.message
    names = " ".join((message.subject, *(changed.name for changed in context.main())))
    about = {*_stems(names), *name_stems(names, longer_than=3)}
    sentences = [line for line in message.body[:_FIRST] if is_statement(line)]
    sentences = [line for line in sentences if _POINTS.match(line) or about & _stems(line)]
    for cue in cues:
        near = sentences[:_NEAR] if cue == "error" else sentences
        sentence = next((line for line in near if has_cue(line, cue) and not has_cue(line, "aside")), "")
        if sentence:
            return sentence
    return ""


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in content_words(text) if len(word) > 3}


def _candidate(context: ChangeContext, lead: str, reason: str, *, topic: str, kind: str) -> Candidate | None:
    message = context.message
    place, refs = context.place()
    if not refs or (not reason and not is_location_specific(context, place)):
        return None
    text = f"{lead}{f' in {place}' if place else ''}: {in_quotes(message.subject)}."
    quoted_reason = f" {in_quotes(reason)}" if reason else ""
    if len(text) + len(quoted_reason) > MOST_TEXT:
        quoted_reason = ""
    return context.candidate(
        text + quoted_reason,
        _confidence(context, bool(quoted_reason)),
        # What is deprecated may be undeprecated later: the last one counts.
        topic=f"deprecation:{refs[0]}"
        if _DEPRECATION.search(message.subject)
        else f"{topic}:{subject_key(message.subject)}",
        refs=refs,
        level=2,
        kind=kind,
        origin="commit_message",
        from_message=True,
        reason=f"The message describes it{', and tests changed with it' if context.has_tests else ''}.",
    )


def _confidence(context: ChangeContext, has_reason: bool) -> float:
    message = context.message
    confidence = 0.55 + (0.12 if has_reason else 0.0)
    confidence += 0.07 if context.has_tests else 0.0
    confidence += 0.06 if context.is_announced else 0.0
    confidence += 0.04 if message.references else 0.0
    confidence += 0.06 if any(message.mentions(changed.last_name) for changed in context.main()) else 0.0
    return confidence - (0.12 if len(context.sources) > 6 else 0.0)
