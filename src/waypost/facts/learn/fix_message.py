"""What the message of a fix says: the error, its cause and the remedy."""

import re
from itertools import pairwise

from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.vocabulary import content_words, cue_at, has_cue, vocabulary, words_in
from waypost.facts.learn.wording import SUBORDINATE

NOT_THE_PRODUCT = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))
_FIRST = 5  # sentences of a body: the error is stated first, details and alternatives later
FIXED = re.compile(
    r"^(?:fix(?:e[sd])?|correct(?:s|ed)?|repair(?:s|ed)?|resolve[sd]?|solve[sd]?|patch(?:es|ed)?|behebt|behebe|behoben:?|"
    r"repariert?|korrigiert?|beseitigt?|исправлен[аоы]?|исправил[аи]?|исправляет|исправить|починил[аи]?|устранен[аоы]?|"
    r"устранена?|bug ?fix:?|hotfix:?)\s+(?:(?:a|an|the|einen|eine|ein|den|die|das|for)\s+)?(?:(?:issue|bug|problem|error)\s+(?=where|when|with|in\b|that))?(?:(?:where|when|with|in|in which|that|bei dem|при котор\w+)\s+)?",
    re.I,
)
_PREVENTED = re.compile(
    r"^(?:prevent(?:s|ed)?|avoid(?:s|ed)?|verhindert?|vermeidet?|предотвращает|предотвратить)\s+", re.I
)
_FROM = re.compile(r" from (\w{2,20}ing)\b")  # "prevent it from closing": the error was that it closed
_TO_DO = re.compile(r"^(.{3,80}?)( not)? (?:to|so (?:that )?it) (\w{2,14})\b", re.I)
_POINTS = frozenset((
    "this", "that", "these", "those", "they", "it", "its", "both", "such", "one", "here", "he", "we", "i", "also",
    "and", "but", "so", "instead", "however", "diese", "dies", "das", "это", "они", "он",
))  # fmt: skip
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
    """The error and the remedy, as far as the subject states either."""
    subject = message.subject
    against = cue_at(subject, "against")
    if against and against[0] > 10:
        return subject[against[1] :].strip(), subject[: against[0]].strip()
    fix = FIXED.match(subject)
    if fix and fix.end() < len(subject):
        rest = subject[fix.end() :]
        # Text that cannot name an error stays in its author's words.
        return ("", subject) if _NO_THING.match(rest) or _states_task(rest) else _split_by(rest)
    prevention = _PREVENTED.match(subject)
    if prevention and prevention.end() < len(subject) and (has_cue(subject, "error") or message.language != "en"):
        return _split_by(_FROM.sub(r" \1", subject[prevention.end() :], count=1))
    states = _states_result(message) or _LIKE_AN_ORDER.match(subject) is not None or not has_cue(subject, "error")
    return ("", subject) if states else (subject, "")


def _states_task(text: str) -> re.Match[str] | None:
    """Matches "the adapter to keep its order": what a thing must do, not what was wrong."""
    match = _TO_DO.match(text)
    return match if match and match[3].lower() in vocabulary().bases and not has_cue(text, "error") else None


def _states_result(message: CommitMessage) -> bool:
    """Whether a subject says what is done or what holds now, rather than what was wrong."""
    lists, first_words = vocabulary(), message.subject.split()[:4]
    if message.verb is not None and message.verb.kind != "fix":
        return True
    if first_words[:1] and first_words[0].lower() in ("don't", "don’t", "do", "never", "no", "only", "always"):
        return True
    for before, word in pairwise(first_words):
        verb = lists.verbs.get(word.lower())
        if verb is not None and word.lower() == verb.third and not has_cue(word, "error"):
            return verb.base not in lists.nouns or before.endswith((")", "`"))  # "routes" may be many of them
    return False


def _split_by(text: str) -> tuple[str, str]:
    """Splits "the leak by closing it" into error and remedy."""
    cue = cue_at(text, "by")
    if cue and cue[0] > 8:
        rest = text[cue[1] :].strip()
        if rest.split(" ", 1)[0].endswith("ing") or not rest.isascii():
            return text[: cue[0]].strip(" ,"), rest
    return text, ""


def from_body(message: CommitMessage, error: str, remedy: str, names: set[str]) -> tuple[str, str, str]:
    """The cause, and the error or remedy if the subject has only the other."""
    about = stems(message.subject) | names
    sentences = [line for line in message.body[:_FIRST] if not _is_about_work(line)]
    statements = [line for line in sentences if not _is_imperative(line) and _stands_alone(line)]
    statements = [line for line in statements if not has_cue(line, "remedy") and not has_cue(line, "aside")]
    near = [line for line in statements if _LEADS_TO.match(line) or HAPPENS.match(line) or about & stems(line)]
    cause = next((line for line in near if has_cue(line, "cause")), "")
    cause = cause or next((line for line in near[:2] if has_cue(line, "formerly")), "")
    if not remedy:
        remedy = next((line for line in sentences if line != cause and _is_remedy(line)), "")
    if not error:
        error = next((line for line in near[:1] if line != cause and has_cue(line, "error")), "")
        if not error and cause and has_cue(cause, "error"):
            error, cause = cause, ""
    return cause, _LEADS_TO.sub("", error), remedy


def _is_remedy(sentence: str) -> bool:
    """Whether a sentence says what was done, not what was wanted or how it was before."""
    first = sentence.split(" ", 1)[0].lower()
    return has_cue(sentence, "remedy") and first not in SUBORDINATE and not _WAS.search(sentence)


def stems(text: str) -> set[str]:
    """Word stems, for comparing what two sentences are about."""
    return {word[:5] for word in content_words(text) if len(word) > 3}


def _stands_alone(sentence: str) -> bool:
    if HAPPENS.match(sentence) or _LEADS_TO.match(sentence):
        return True
    return not _BEFORE_THIS.match(sentence) and sentence.split(" ", 1)[0].lower().strip(",'\"") not in _POINTS


def _is_imperative(sentence: str) -> bool:
    """Whether a sentence describes work: "Add a check", "Adds a check"."""
    first = sentence.partition(" ")[0].lower()
    return first in vocabulary().bases or first in vocabulary().thirds


def is_sentence(text: str) -> bool:
    return any(word.lower() in vocabulary().thirds for word in text.split()[1:5])


def _is_about_work(sentence: str) -> bool:
    noise = vocabulary().noise
    return any(noise.get(word) in NOT_THE_PRODUCT for word in words_in(sentence)) or sentence.endswith(":")
