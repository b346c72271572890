"""What the message of a fix tells: what was wrong, why, and what was done about it."""

import re
from itertools import pairwise

from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.vocabulary import content, cue_at, has_cue, words, words_of
from waypost.facts.learn.wording import SUBORDINATE

NOT_THE_PRODUCT = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))
_FIRST = 5  # sentences of a body: what is wrong is said first, how and why not otherwise comes later
FIXED = re.compile(
    r"^(?:fix(?:e[sd])?|correct(?:s|ed)?|repair(?:s|ed)?|resolve[sd]?|solve[sd]?|patch(?:es|ed)?|behebt|behebe|behoben:?|"
    r"repariert?|korrigiert?|beseitigt?|исправлен[аоы]?|исправил[аи]?|исправляет|исправить|починил[аи]?|устранен[аоы]?|"
    r"устранена?|bug ?fix:?|hotfix:?)\s+(?:(?:a|an|the|einen|eine|ein|den|die|das|for)\s+)?(?:(?:issue|bug|problem|error)\s+(?=where|when|with|in\b|that))?(?:(?:where|when|with|in|in which|that|bei dem|при котор\w+)\s+)?",
    re.I,
)
_PREVENTED = re.compile(
    r"^(?:prevent(?:s|ed)?|avoid(?:s|ed)?|verhindert?|vermeidet?|"
    r"предотвращает|предотвратить)\s+",
    re.I,
)
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
_NO_THING = re.compile(r"(?:to|up|for|by|so|as|all|some|it|this|errors?|warnings?)\b", re.I)  # "Fix to allow …"
_LIKE_AN_ORDER = re.compile(
    r"(?:\w{3,20}ly\b|\w{3,20}(?:ate|ize|ise|ify) [a-z`])"
)  # "Elevate …", "Gracefully handle …"
HAPPENS = re.compile(
    r"^(?:this|it|that) (?:happens|happened|is|was) (?:because|since|due to(?: the fact that)?)\s+(?:of )?", re.I
)


def from_subject(message: CommitMessage) -> tuple[str, str]:
    """What was wrong and what was done about it, as far as the subject tells either."""
    subject = message.subject
    against = cue_at(subject, "against")
    if against and against[0] > 10:
        return subject[against[1] :].strip(), subject[: against[0]].strip()
    fixed = FIXED.match(subject)
    if fixed and fixed.end() < len(subject):
        rest = subject[fixed.end() :]
        # What is no thing that could be wrong stays in the words of its author.
        return ("", subject) if _NO_THING.match(rest) or _does(rest) else _by(rest)
    prevented = _PREVENTED.match(subject)
    if prevented and prevented.end() < len(subject) and (has_cue(subject, "error") or message.language != "en"):
        return _by(_FROM.sub(r" \1", subject[prevented.end() :], count=1))
    states = _states(message) or _LIKE_AN_ORDER.match(subject) is not None or not has_cue(subject, "error")
    return ("", subject) if states else (subject, "")


def _does(said: str) -> re.Match[str] | None:
    """ "the adapter to keep its order": what it is to do, not what was wrong."""
    found = _TO_DO.match(said)
    return found if found and found[3].lower() in words().bases and not has_cue(said, "error") else None


def _states(message: CommitMessage) -> bool:
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


def from_body(message: CommitMessage, error: str, remedy: str, names: set[str]) -> tuple[str, str, str]:
    """The cause, and error and remedy where the subject has only the other."""
    about = stems(message.subject) | names
    said = [one for one in message.body[:_FIRST] if not _is_about_work(one)]
    telling = [one for one in said if not _is_order(one) and _stands_alone(one) and not has_cue(one, "remedy")]
    telling = [one for one in telling if not has_cue(one, "aside")]
    near = [one for one in telling if _LEADS_TO.match(one) or HAPPENS.match(one) or about & stems(one)]
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


def stems(text: str) -> set[str]:
    """What two sentences share when they speak of the same, without endings."""
    return {word[:5] for word in content(text) if len(word) > 3}


def _stands_alone(sentence: str) -> bool:
    """Whether a sentence can be read without the one before it."""
    if HAPPENS.match(sentence) or _LEADS_TO.match(sentence):
        return True
    return not _BEFORE_THIS.match(sentence) and sentence.split(" ", 1)[0].lower().strip(",'\"") not in _POINTS


def _is_order(sentence: str) -> bool:
    """Whether a sentence tells of work: "Add a check", "Adds a check"."""
    first = sentence.partition(" ")[0].lower()
    return first in words().bases or first in words().thirds


def is_sentence(text: str) -> bool:
    return any(word.lower() in words().thirds for word in text.split()[1:5])


def _is_about_work(sentence: str) -> bool:
    known = words().noise
    return any(known.get(word) in NOT_THE_PRODUCT for word in words_of(sentence)) or sentence.endswith(":")
