"""What a subject says that the product does now: "Strip all sequences" is "`strip_ansi` strips all sequences"."""

import hashlib
import re

from waypost.facts.learn.scene import Scene
from waypost.facts.learn.wording import capital, clip, closed, small, tells
from waypost.facts.learn.words import Verb, content, words, words_of
from waypost.model.candidate import Candidate

LARGE = 50  # lines: a refactoring of more is worth a note
_LEAST_WORDS = 3
_MOST_FILES = 10
_SUBJECT_ROOM = 170
_SUPPORT = re.compile(r"^(?:basic |initial |full |native |built-in |better |proper )?support (?:for|of) ", re.I)
_INTO = re.compile(r"^(.{3,120}?) (?:to|in|into|for|on) (`[^`]{1,60}`|[\w.]{2,60}(?:\(\))?)$")
_NOT = re.compile(r"^(?:do not|don['’]t|never|no longer) (\w+)", re.I)
_CLAUSE = re.compile(r"(?:[,;] (?:and )?|\band )(?=([a-z]+) )", re.I)
_SIDELINE = frozenset(("upkeep", "vague", "refactor"))
_NOISE = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))


def behaviour(scene: Scene) -> Candidate | None:
    """What the change makes the product do, in the words of its subject."""
    message = scene.message
    if message.noise in _NOISE or not scene.sources or len(content(message.subject)) < _LEAST_WORDS:
        return None
    place, refs = scene.place()
    if not refs or len(scene.sources) > _MOST_FILES:
        return None
    text, confidence = _worded(scene, place)
    if not text:
        return None
    return scene.candidate(
        text,
        confidence + _support(scene),
        topic=f"change:{hashlib.blake2b(' '.join(words_of(message.subject)).encode(), digest_size=6).hexdigest()}",
        refs=refs,
        level=2,
        origin="commit_message",
        from_message=True,
        reason="The message tells what the change does.",
    )


def _worded(scene: Scene, place: str) -> tuple[str, float]:
    """The sentence, "" where the subject tells none, and how sure it is by its form alone."""
    message = scene.message
    subject = _main_clause(message.subject)
    negated = _NOT.match(subject)
    if negated:
        return _with_reason(scene, f"{place} does not {subject[negated.start(1) :]}"), 0.55
    if message.verb is None:
        return _unbent(scene, subject, place)
    rest = subject.partition(" ")[2].strip()
    return _ordered(scene, message.verb, rest, place) if len(content(rest)) >= 2 else ("", 0.0)


def _ordered(scene: Scene, verb: Verb, rest: str, place: str) -> tuple[str, float]:
    """ "Add x", "Remove x", "Allow x": what is so after the order was followed."""
    if verb.kind == "add":
        return _with_reason(scene, _added(rest, place)), 0.65 if _SUPPORT.match(rest) else 0.6
    if verb.kind == "deprecate":
        return f"{capital(rest)} is deprecated ({place}).", 0.7
    if verb.kind == "remove":
        return _removed(rest, place)
    if verb.kind in ("plain", "prevent"):
        return _with_reason(scene, f"{place} {verb.third} {_bent(rest)}"), 0.55
    return "", 0.0


def _added(rest: str, place: str) -> str:
    support = _SUPPORT.match(rest)
    if support:
        return f"{place} supports {rest[support.end() :]}"
    rest = re.sub(r"^(?:new|the|a|an|some) ", "", rest, flags=re.I)
    return f"{place} has {small(rest)}"


def _removed(rest: str, place: str) -> tuple[str, float]:
    support = _SUPPORT.match(rest)
    if support:
        return f"{closed(capital(rest[support.end() :]))[:-1]} is no longer supported ({place}).", 0.75
    return "", 0.0


def _unbent(scene: Scene, subject: str, place: str) -> tuple[str, float]:
    """A subject that is no English order: kept as it is, behind the place."""
    message = scene.message
    is_feature = message.kind == "feature"
    if not is_feature and not (message.language in ("de", "ru") and message.kind in ("feature", "remove", "rename")):
        return "", 0.0
    return _with_reason(scene, f"{place}: {subject}"), 0.5


def _main_clause(subject: str) -> str:
    """Without "and document its limits", ", fix lint": only what the product does counts."""
    known = words()
    for found in _CLAUSE.finditer(subject):
        verb = known.verbs.get(found[1].lower())
        if verb is not None and verb.base == found[1].lower() and (verb.kind in _SIDELINE or verb.kind == "fix"):
            return subject[: found.start()].rstrip(" ,;")
    return subject


def _bent(rest: str) -> str:
    """The verbs of further clauses in the third person, too."""
    known = words()

    def bend(found: re.Match[str]) -> str:
        verb: Verb | None = known.verbs.get(found[2])
        return found[1] + (verb.third if verb is not None and verb.base == found[2] else found[2])

    return re.sub(r"((?:[,;] (?:and )?|\band ))([a-z]{2,14})(?= (?:a|an|the|it|its|all|`))", bend, rest)


def _with_reason(scene: Scene, text: str) -> str:
    text = closed(clip(text, _SUBJECT_ROOM + 80))
    reason = scene.message.reason
    if reason and len(text) + len(reason) + 8 < 300 and tells(reason, *words_of(text)):
        return f"{text} Reason: {closed(capital(reason))}"
    return text


def _support(scene: Scene) -> float:
    """How much speaks for it: tests, tickets, a symbol that the message names and others may use."""
    message, main = scene.message, scene.main()
    more = 0.06 if scene.has_tests else 0.0
    more += 0.05 if message.references else 0.0
    more += 0.05 if message.kind == "feature" and message.is_declared else 0.0
    more += 0.08 if any(message.names(one.symbol.name.rpartition(".")[2]) for one in main) else 0.0
    more += 0.04 if any(one.is_offered for one in main) else -0.08
    return more - (0.08 if len(scene.sources) > 4 else 0.0)
