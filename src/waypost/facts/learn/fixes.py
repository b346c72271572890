"""What a fixing commit teaches: the error, its cause, the remedy, and where it is."""

import hashlib
import re
from dataclasses import replace
from itertools import pairwise

from waypost.facts.learn.message import Message
from waypost.facts.learn.scene import Scene
from waypost.facts.learn.wording import (
    MOST_TEXT,
    SUBORDINATE,
    capital,
    clause_of,
    clean,
    clip,
    closed,
    is_nameable,
    last_part,
    shown,
)
from waypost.facts.learn.words import content, cue_at, has_cue, words, words_of
from waypost.facts.learn.worth import (
    LEAST,
    first_work,
    is_about_looks,
    is_claim,
    is_conditional,
    is_placed,
    is_trivial,
    is_vague,
    particulars,
)
from waypost.model.candidate import Candidate
from waypost.model.change import MODIFIED, DependencyChange, FileChange
from waypost.text.identifiers import identifier_parts

_LEAST_WORDS = 3  # that tell something, in the subject
_NEVER = 1_000
_NOT = re.compile(r"\bnot\b", re.I)
_MISSING = re.compile(r"\bmissing\b", re.I)
_FIRST = 5  # sentences of a body: what is wrong is said first, how and why not otherwise comes later
_NOT_THE_PRODUCT = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))
_FIXED = re.compile(
    r"^(?:fix(?:e[sd])?|correct(?:s|ed)?|repair(?:s|ed)?|resolve[sd]?|solve[sd]?|patch(?:es|ed)?|behebt|behebe|behoben:?|"
    r"repariert?|korrigiert?|beseitigt?|исправлен[аоы]?|исправил[аи]?|исправляет|исправить|починил[аи]?|устранен[аоы]?|"
    r"устранена?|bug ?fix:?|hotfix:?)\s+(?:(?:a|an|the|einen|eine|ein|den|die|das|for|issue|bug|problem|error)\s+)?(?:(?:where|when|with|in|in which|that|bei dem|при котор\w+)\s+)?",
    re.I,
)
_PREVENTED = re.compile(
    r"^(?:prevent(?:s|ed)?|avoid(?:s|ed)?|verhindert?|vermeidet?|"
    r"предотвращает|предотвратить)\s+",
    re.I,
)
_LABEL = re.compile(r"^(?:root )?(?:cause|reason|problem|issue|ursache|grund|причина|проблема)\s?: ", re.I)
_FROM = re.compile(r" from (\w{2,20}ing)\b")  # "prevent it from closing": it closing was the error
_TO_DO = re.compile(r"^(.{3,80}?)( not)? (?:to|so (?:that )?it) (\w{2,14})\b", re.I)
_POINTS = frozenset(
    (
        "this",
        "that",
        "these",
        "those",
        "they",
        "it",
        "its",
        "both",
        "such",
        "one",
        "here",
        "he",
        "we",
        "i",
        "also",
        "and",
        "but",
        "so",
        "instead",
        "however",
        "diese",
        "dies",
        "das",
        "это",
        "они",
        "он",
    )
)
_LEADS_TO = re.compile(
    r"^(?:this|that|which|it) (?:caused|causes|would cause|leads to|led to|resulted in|results in|means(?: that)?|meant(?: that)?) ",
    re.I,
)
_BEFORE_THIS = re.compile(r"^(?:previously|before|formerly|currently|now),? (?:this|it|that|they|these|we)\b", re.I)
_WAS = re.compile(r"\b(?:was|were|had|wasn|weren|want|would|should|could|used to)\b", re.I)
_HAPPENS = re.compile(
    r"^(?:this|it|that) (?:happens|happened|is|was) (?:because|since|due to(?: the fact that)?)\s+(?:of )?", re.I
)
_SPEAKS_OF_WORK = re.compile(
    r"^(?:the fix (?:is to|is|was to)?|(?:this|the) (?:commit|change|patch|pr|fix|pull request)|we|i|also|and|but|so|it)\b,? (?:now )?",
    re.I,
)


def fix(scene: Scene) -> Candidate | None:
    """The fix that a commit is, None where it is none or says too little."""
    message = scene.message
    if message.kind != "fix" or not scene.sources or message.noise in _NOT_THE_PRODUCT:
        return None
    message = replace(message, subject=first_work(message.subject))
    error, remedy = _from_subject(message)
    told, is_stated = content(error or remedy), bool(remedy)
    names = _stems(" ".join(last_part(one.symbol.name) for one in scene.main()))
    cause, error, remedy = _from_body(message, error, remedy, names)
    if len(told) < _least(message, cause) or _is_everyday(message):
        return None
    place, refs = scene.place()
    if not refs or not _is_worth(scene, message, error, cause, remedy):
        return None
    where, newer = f"in {place}", _newer(scene)
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


def _is_worth(scene: Scene, message: Message, error: str, cause: str, remedy: str) -> bool:
    """Whether something behaved wrongly and the words say what; a cause that is told is always worth knowing."""
    if cause:
        return True
    subject = message.subject
    is_nothing = (is_trivial(scene.message.subject) and not is_conditional(subject)) or is_about_looks(scene)
    is_nothing = is_nothing or (message.verb is not None and message.verb.base == "revert")
    if is_nothing or is_vague(f"{error} {remedy}") or particulars(subject) < LEAST:
        return False
    if message.verb is not None and message.verb.kind == "add":
        return bool(error) or _MISSING.search(subject) is not None  # else it is something new
    if remedy:
        return not is_claim(remedy) or bool(error)
    if _is_told(error, message) or is_conditional(error):
        return True
    return scene.has_tests and particulars(error) > LEAST  # only the name of what was wrong


def _is_told(error: str, message: Message) -> bool:
    """Whether the words say what went wrong, and not only what with."""
    is_said = has_cue(error, "error") or has_cue(error, "formerly") or _NOT.search(error) is not None
    return is_said or _is_sentence(error) or message.language != "en"


def _newer(scene: Scene) -> tuple[str, tuple[str, ...]] | None:
    """The newer dependency that is the remedy: the message speaks of it, and of no definition that changed."""
    if any(scene.message.names(last_part(one.symbol.name)) for one in scene.main()):
        return None
    spoken = _stems(scene.message.subject)
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


def _least(message: Message, cause: str) -> int:
    """How many words must tell something: the fewer, the more is said of what was wrong."""
    if has_cue(message.subject, "error") or cause or message.language != "en":
        return _LEAST_WORDS - 1
    if message.verb is not None and message.verb.kind in ("vague", "refactor"):
        return _NEVER  # that nothing was wrong, or that nobody says what
    return _LEAST_WORDS + (2 if message.verb is None else 0)


def _from_subject(message: Message) -> tuple[str, str]:
    """What was wrong and what was done about it, as far as the subject tells either."""
    subject = message.subject
    against = cue_at(subject, "against")
    if against and against[0] > 10:
        return subject[against[1] :].strip(), subject[: against[0]].strip()
    fixed = _FIXED.match(subject)
    if fixed and fixed.end() < len(subject):
        return _by(subject[fixed.end() :]) if not _does(subject[fixed.end() :]) else ("", _made(subject[fixed.end() :]))
    prevented = _PREVENTED.match(subject)
    if prevented and prevented.end() < len(subject) and (has_cue(subject, "error") or message.language != "en"):
        return _by(_FROM.sub(r" \1", subject[prevented.end() :], count=1))
    return ("", subject) if _states(message) or not has_cue(subject, "error") else (subject, "")


def _does(said: str) -> re.Match[str] | None:
    """ "the adapter to keep its order": what it is to do, not what was wrong."""
    found = _TO_DO.match(said)
    return found if found and found[3].lower() in words().bases and not has_cue(said, "error") else None


def _made(said: str) -> str:
    found = _does(said)
    return f"make {found[1]}{found[2] or ''} {found[3]}{said[found.end() :]}" if found else said


def _states(message: Message) -> bool:
    """Whether a subject says what is done or what holds now, rather than what was wrong."""
    known, said = words(), message.subject.split()[:4]
    if message.verb is not None and message.verb.kind != "fix":
        return True
    if said[:1] and said[0].lower() in ("don't", "don’t", "do", "never", "no", "only", "always"):
        return True
    for before, word in pairwise(said):
        verb = known.verbs.get(word.lower())
        if verb is not None and word.lower() == verb.third and not has_cue(word, "error"):
            return verb.base not in known.nouns or before.endswith((")", "`"))  # "routes" may be many of them
    return False


def _by(said: str) -> tuple[str, str]:
    """ "the leak by closing it" is an error and a remedy."""
    found = cue_at(said, "by")
    if found and found[0] > 8:
        rest = said[found[1] :].strip()
        if rest.split(" ", 1)[0].endswith("ing") or not rest.isascii():
            return said[: found[0]].strip(" ,"), rest
    return said, ""


def _from_body(message: Message, error: str, remedy: str, names: set[str]) -> tuple[str, str, str]:
    """The cause, and error and remedy where the subject has only the other."""
    about = _stems(message.subject) | names
    said = [one for one in message.body[:_FIRST] if not _is_about_work(one)]
    telling = [one for one in said if not _is_order(one) and _stands_alone(one) and not has_cue(one, "remedy")]
    telling = [one for one in telling if not has_cue(one, "aside")]
    near = [one for one in telling if _LEADS_TO.match(one) or _HAPPENS.match(one) or about & _stems(one)]
    cause = next((one for one in near if has_cue(one, "cause")), "")
    cause = cause or next((one for one in near[:2] if has_cue(one, "formerly")), "")
    if not remedy:
        remedy = next((one for one in said if one != cause and _is_remedy(one)), "")
    if not error:
        error = next((one for one in near[:1] if one != cause and has_cue(one, "error")), "")
        if not error and cause and has_cue(cause, "error"):
            error, cause = cause, ""
    return cause, _LEADS_TO.sub("", error), remedy


def _is_remedy(sentence: str) -> bool:
    """Whether a sentence says what was done: not what one wanted, nor how it was before."""
    first = sentence.split(" ", 1)[0].lower()
    return has_cue(sentence, "remedy") and first not in SUBORDINATE and not _WAS.search(sentence)


def _stems(text: str) -> set[str]:
    """What two sentences share when they speak of the same, without endings."""
    return {word[:5] for word in content(text) if len(word) > 3}


def _stands_alone(sentence: str) -> bool:
    """Whether a sentence can be read without the one before it."""
    if _HAPPENS.match(sentence) or _LEADS_TO.match(sentence):
        return True
    return not _BEFORE_THIS.match(sentence) and sentence.split(" ", 1)[0].lower().strip(",'\"") not in _POINTS


def _is_order(sentence: str) -> bool:
    """Whether a sentence tells of work: "Add a check", "Adds a check"."""
    first = sentence.partition(" ")[0].lower()
    return first in words().bases or first in words().thirds


def _is_sentence(text: str) -> bool:
    return any(word.lower() in words().thirds for word in text.split()[1:5])


def _is_about_work(sentence: str) -> bool:
    known = words().noise
    return any(known.get(word) in _NOT_THE_PRODUCT for word in words_of(sentence)) or sentence.endswith(":")


def _is_everyday(message: Message) -> bool:
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


def _worded(error: str, cause: str, remedy: str, where: str, *, is_stated: bool, message: Message) -> str:
    """`is_stated`: the remedy is the subject's, and stays; else the error is."""
    is_order = message.verb is not None or bool(_FIXED.match(message.subject))
    end = f"Fixed {where}."
    room = MOST_TEXT - len(end) - 12
    if is_stated:
        # What is no order may be what was wrong, or what holds now: "Fixed" is true of both.
        end = f"{'Fix' if is_order else 'Fixed'}: {clip(_bare(remedy), min(room, 140)).rstrip('.')}, {where}."
        room = MOST_TEXT - len(end) - 12
    parts = []
    if error:
        is_told = _is_told(error, message)
        said = clause_of(error, min(room, 170)) if is_stated else clip(error, min(room, 190))
        if said:
            parts.append(closed(f"Error: {capital(said)}" if is_told else f"Error in {said}"))
            room -= len(parts[0]) + 1
    because = clause_of(_LABEL.sub("", _HAPPENS.sub("", cause)), min(room, 150)) if cause else ""
    if because:
        parts.append(f"Cause: {closed(capital(because))}")
        room -= len(parts[-1]) + 1
    if remedy and not is_stated:
        done = clause_of(_bare(remedy), room)
        end = f"Fix: {done.rstrip('.')}, {where}." if done else end
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
