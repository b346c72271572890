"""What a fixing commit teaches: the error, its cause, the remedy, and where it is."""

import hashlib
import re

from waypost.facts.learn.message import Message
from waypost.facts.learn.scene import Scene
from waypost.facts.learn.wording import MOST_TEXT, capital, clip, closed
from waypost.facts.learn.words import content, cue_at, has_cue, words, words_of
from waypost.model.candidate import Candidate

_LEAST_WORDS = 3  # that tell something, in the subject
_NOT_THE_PRODUCT = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))
_FIXED = re.compile(
    r"^(?:fix(?:e[sd])?|correct(?:s|ed)?|repair(?:s|ed)?|resolve[sd]?|solve[sd]?|patch(?:es|ed)?|behebt|behebe|behoben:?|"
    r"repariert?|korrigiert?|beseitigt?|исправлен[аоы]?|исправил[аи]?|исправляет|исправить|починил[аи]?|устранен[аоы]?|"
    r"устранена?|bug ?fix:?|hotfix:?)\s+(?:(?:a|an|the|einen|eine|ein|den|die|das|for|issue|bug|problem|error|проблем[ау]|"
    r"баг|ошибк[ау])\s+)?(?:(?:where|when|with|in which|that|bei dem|при котор\w+)\s+)?",
    re.I,
)
_PREVENTED = re.compile(
    r"^(?:prevent(?:s|ed)?|avoid(?:s|ed)?|don['’]t|do not|never|no longer|stop(?:s|ped)?|verhindert?|vermeidet?|"
    r"предотвращает|предотвратить)\s+",
    re.I,
)
_SPEAKS_OF_WORK = re.compile(r"^(?:this (?:commit|change|patch|pr|fix|pull request)|we|i|also|and|but|so|it)\b", re.I)


def fix(scene: Scene) -> Candidate | None:
    """The fix that a commit is, None where it is none or says too little."""
    message = scene.message
    if message.kind != "fix" or not scene.sources or message.noise in _NOT_THE_PRODUCT:
        return None
    error, remedy = _from_subject(message)
    if len(content(error or remedy)) < _LEAST_WORDS - bool(scene.main(1)) or _is_everyday(message):
        return None
    cause, error, remedy = _from_body(message, error, remedy)
    place, refs = scene.place()
    if not refs:
        return None
    text = _worded(error, cause, remedy, place)
    return scene.candidate(
        text,
        _confidence(scene, error, cause, remedy),
        topic=f"fix:{_key(message.subject)}",
        refs=refs,
        level=2,
        kind="fix",
        origin="commit_message",
        from_message=True,
        reason=f"The message tells of a fix{', and tests changed with it' if scene.has_tests else ''}.",
    )


def _from_subject(message: Message) -> tuple[str, str]:
    """What was wrong and what was done about it, as far as the subject tells either."""
    subject = message.subject
    against = cue_at(subject, "against")
    if against and against[0] > 10:
        return subject[against[1] :].strip(), subject[: against[0]].strip()
    fixed = _FIXED.match(subject)
    if fixed and fixed.end() < len(subject):
        return _by(subject[fixed.end() :])
    if _PREVENTED.match(subject):
        return "", subject
    if message.verb is not None and message.verb.kind != "fix":
        return "", subject
    return (subject, "") if _tells_error(subject) else ("", subject)


def _by(said: str) -> tuple[str, str]:
    """ "the leak by closing it" is an error and a remedy."""
    found = cue_at(said, "by")
    if found and found[0] > 8:
        rest = said[found[1] :].strip()
        if rest.split(" ", 1)[0].endswith("ing") or not rest.isascii():
            return said[: found[0]].strip(" ,"), rest
    return said, ""


def _tells_error(text: str) -> bool:
    return has_cue(text, "error") or words_of(text)[:1] != []


def _from_body(message: Message, error: str, remedy: str) -> tuple[str, str, str]:
    """The cause, and error and remedy where the subject has only the other."""
    said = [one for one in message.body[:12] if not _is_about_work(one)]
    cause = next((one for one in said if has_cue(one, "cause")), "")
    if not remedy:
        remedy = next((one for one in said if one != cause and has_cue(one, "remedy")), "")
    if not error:
        error = next((one for one in said if one not in (cause, remedy) and has_cue(one, "error")), "")
        if not error and cause and has_cue(cause, "error"):
            error, cause = cause, ""
    return cause, error, remedy


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


def _worded(error: str, cause: str, remedy: str, place: str) -> str:
    room = MOST_TEXT - len(place) - 30
    shares = (0.42, 0.34, 0.34) if cause else (0.55, 0, 0.5)
    parts = []
    if error:
        parts.append(f"Error: {closed(capital(clip(error, int(room * shares[0]))))}")
    if cause:
        parts.append(f"Cause: {closed(capital(clip(cause, int(room * shares[1]))))}")
    if remedy:
        bare = _SPEAKS_OF_WORK.sub("", remedy).strip(" ,") if _SPEAKS_OF_WORK.match(remedy) else remedy
        parts.append(f"Fix: {closed(clip(bare, int(room * shares[2])))[:-1]}, in {place}.")
    else:
        parts.append(f"Fixed in {place}.")
    return " ".join(parts)


def _confidence(scene: Scene, error: str, cause: str, remedy: str) -> float:
    """How sure it is that this is a fix worth knowing: declared, explained, tested, found in few places."""
    message = scene.message
    told = 0.5 + 0.05 * min(3, len(content(error or remedy)) - 2)
    told += 0.08 if cause else 0.0
    told += 0.04 if error and remedy else 0.0
    told += 0.08 if scene.has_tests else 0.0
    told += 0.05 if message.references else 0.0
    told += 0.05 if any(message.mentions(one.symbol.name.rpartition(".")[2]) for one in scene.main()) else 0.0
    return told - (0.15 if len(scene.sources) > 6 else 0.0)


def _key(subject: str) -> str:
    """One for all spellings of a subject, so that a fix that was carried to another branch is the same."""
    return hashlib.blake2b(" ".join(words_of(subject)).encode(), digest_size=6).hexdigest()
