"""What a fixing commit teaches: the error, its cause, the remedy, and where it is."""

import hashlib
import re
from dataclasses import replace

from waypost.facts.learn.change_context import Scene
from waypost.facts.learn.fix_message import FIXED, HAPPENS, NOT_THE_PRODUCT, from_body, from_subject, is_sentence, stems
from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.vocabulary import content, has_cue, words_of
from waypost.facts.learn.wording import (
    MOST_TEXT,
    capital,
    clause_of,
    clean,
    clip,
    closed,
    is_nameable,
    last_part,
    shown,
)
from waypost.facts.learn.worth import (
    LEAST,
    first_work,
    is_about_looks,
    is_claim,
    is_conditional,
    is_enough,
    is_placed,
    is_trivial,
    particulars,
)
from waypost.model.candidate import Candidate
from waypost.model.change import MODIFIED, DependencyChange, FileChange
from waypost.text.identifiers import identifier_parts

_LEAST_WORDS = 3  # that tell something, in the subject
_NEVER = 1_000
_NOT = re.compile(r"\bnot\b", re.I)
_MISSING = re.compile(r"\bmissing\b", re.I)
_LABEL = re.compile(r"^(?:root )?(?:cause|reason|problem|issue|ursache|grund|причина|проблема)\s?: ", re.I)
_SPEAKS_OF_WORK = re.compile(
    r"^(?:the fix (?:is to|is|was to)?|(?:this|the) (?:commit|change|patch|pr|fix|pull request)|we|i|also|and|but|so|it)\b,? (?:now )?",
    re.I,
)


def fix(scene: Scene) -> Candidate | None:
    """The fix that a commit is, None where it is none or says too little."""
    message = scene.message
    if message.kind != "fix" or not scene.sources or message.noise in NOT_THE_PRODUCT:
        return None
    message = replace(message, subject=first_work(message.subject))
    error, remedy = from_subject(message)
    told, is_stated = content(error or remedy), bool(remedy)
    names = stems(" ".join(last_part(one.symbol.name) for one in scene.main()))
    cause, error, remedy = from_body(message, error, remedy, names)
    if len(told) < _least(message, cause) or _is_everyday(message):
        return None
    place, refs = scene.place()
    if not refs or not _is_worth(scene, message, error, cause, remedy):
        return None
    where, newer = f"in {place}" if place else "", _newer(scene)
    if newer is not None:
        where, refs = newer
    elif not cause and not is_placed(scene, place):
        return None
    text = _worded(error, cause, remedy, where, is_stated=is_stated, message=message)
    return scene.candidate(
        text,
        _confidence(scene, error, cause, remedy),
        topic=f"fix:{_key(scene.message.subject)}",
        refs=refs,
        level=2,
        kind="fix",
        origin="commit_message",
        from_message=True,
        reason=f"The message tells of a fix{', and tests changed with it' if scene.has_tests else ''}.",
    )


def _is_worth(scene: Scene, message: CommitMessage, error: str, cause: str, remedy: str) -> bool:
    """Whether something behaved wrongly and the words say what; a cause that is told is always worth knowing."""
    if cause:
        return True
    subject = message.subject
    is_nothing = (is_trivial(scene.message.subject) and not is_conditional(subject)) or is_about_looks(scene)
    is_nothing = is_nothing or (message.verb is not None and message.verb.base == "revert")
    if is_nothing or not is_enough(scene, f"{error} {remedy}") or particulars(subject) < LEAST:
        return False
    if message.verb is not None and message.verb.kind == "add":
        return bool(error) or _MISSING.search(subject) is not None  # else it is something new
    if remedy:
        return not is_claim(remedy) or bool(error)
    if _is_told(error, message) or is_conditional(error):
        return True
    return scene.has_tests and particulars(error) > LEAST  # only the name of what was wrong


def _is_told(error: str, message: CommitMessage) -> bool:
    """Whether the words say what went wrong, and not only what with."""
    is_said = has_cue(error, "error") or has_cue(error, "formerly") or _NOT.search(error) is not None
    return is_said or is_sentence(error) or message.language != "en"


def _newer(scene: Scene) -> tuple[str, tuple[str, ...]] | None:
    """The newer dependency that is the remedy: the message speaks of it, and of no definition that changed."""
    if any(scene.message.names(last_part(one.symbol.name)) for one in scene.main()):
        return None
    spoken = stems(scene.message.subject)
    found: list[tuple[int, FileChange, DependencyChange]] = []
    for file in scene.change.files:
        for one in file.dependencies:
            named = {part.lower()[:5] for part in identifier_parts(re.sub(r"\W+", "_", one.name)) if len(part) > 3}
            if one.change == MODIFIED and named & spoken and is_nameable(one.name, 80) and one.group != "language":
                found.append((len(named & spoken), file, one))
    if not found:
        return None
    _, file, one = max(found, key=lambda each: each[0])
    before, wanted = clean(one.wanted_before, 60), clean(one.wanted, 60)
    told = f"with `{one.name}` {wanted}{f' (before: {before})' if before else ''}, {shown(file.path)}"
    return told, (file.path,)


def _least(message: CommitMessage, cause: str) -> int:
    """How many words must tell something: the fewer, the more is said of what was wrong."""
    if cause or message.language != "en":
        return _LEAST_WORDS - 1
    if has_cue(message.subject, "error"):
        is_bare = not is_sentence(message.subject) and not is_conditional(message.subject)
        is_short = len(content(message.subject)) <= _LEAST_WORDS  # "chart crash": of which, when?
        return _NEVER if is_bare and is_short else _LEAST_WORDS - 1
    if message.verb is not None and message.verb.kind in ("vague", "refactor"):
        return _NEVER  # that nothing was wrong, or that nobody says what
    return _LEAST_WORDS + 2


def _is_everyday(message: CommitMessage) -> bool:
    """ "Fix build", "fix warnings": nothing that anybody meets again."""
    return set(content(message.subject)) <= {
        "build",
        "builds",
        "warning",
        "warnings",
        "error",
        "errors",
        "compile",
        "regression",
    }


def _worded(error: str, cause: str, remedy: str, where: str, *, is_stated: bool, message: CommitMessage) -> str:
    """`is_stated`: the remedy is the subject's, and stays; else the error is."""
    is_order = message.verb is not None or bool(FIXED.match(message.subject))
    end = f"Fixed {where}".rstrip() + "."
    there = f", {where}" if where else ""
    room = MOST_TEXT - len(end) - 12
    if is_stated:
        # What is no order may be what was wrong, or what holds now: "Fixed" is true of both.
        lead = "" if FIXED.match(remedy) else "Fix: " if is_order else "Fixed: "
        end = f"{lead}{clip(_bare(remedy), min(room, 140)).rstrip('.')}{there}."
        room = MOST_TEXT - len(end) - 12
    parts = []
    if error:
        is_told = _is_told(error, message)
        said = clause_of(error, min(room, 170)) if is_stated else clip(error, min(room, 190))
        if said:
            parts.append(closed(f"Error: {capital(said)}" if is_told else f"Error in {said}"))
            room -= len(parts[0]) + 1
    because = clause_of(_LABEL.sub("", HAPPENS.sub("", cause)), min(room, 150)) if cause else ""
    if because:
        parts.append(f"Cause: {closed(capital(because))}")
        room -= len(parts[-1]) + 1
    if remedy and not is_stated:
        done = clause_of(_bare(remedy), room)
        end = f"Fix: {done.rstrip('.')}{there}." if done else end
    return " ".join((*parts, end))


def _bare(remedy: str) -> str:
    return _SPEAKS_OF_WORK.sub("", remedy).strip(" ,")


def _confidence(scene: Scene, error: str, cause: str, remedy: str) -> float:
    """How sure it is that this is a fix worth knowing: declared, explained, tested, announced, found in few places."""
    message = scene.message
    told = 0.47 + 0.04 * min(4, len(content(error or remedy)) - 2)
    told += (0.08 if has_cue(cause, "cause") else 0.04) if cause else 0.0
    told += 0.02 if message.is_declared else 0.0
    told += 0.03 if error and remedy else 0.0
    told += 0.07 if scene.has_tests else 0.0
    told += 0.05 if scene.is_announced else 0.0
    told += 0.04 if message.references else 0.0
    told += 0.05 if any(message.mentions(last_part(one.symbol.name)) for one in scene.main()) else 0.0
    return told - (0.15 if len(scene.sources) > 6 else 0.0)


def _key(subject: str) -> str:
    """One for all spellings of a subject, so that a fix that was carried to another branch is the same."""
    return hashlib.blake2b(" ".join(words_of(subject)).encode(), digest_size=6).hexdigest()
