"""What a subject says that the product does now: "Strip all sequences" is "`strip_ansi` strips all sequences"."""

import hashlib
import re

from waypost.facts.learn.change_context import Scene
from waypost.facts.learn.vocabulary import Verb, content, words, words_of
from waypost.facts.learn.wording import MOST_TEXT, capital, clip, closed, last_part, shown, tells
from waypost.facts.learn.worth import LEAST, is_about_looks, is_enough, is_list, is_placed, particulars
from waypost.model.candidate import Candidate

LARGE = 50  # lines: a refactoring of more may be worth a note
_REWORKED = 0.5
_LEAST_WORDS = 5  # that tell something: of those with fewer, judges called two in five too vague
_MOST_FILES = 10
_SUBJECT_ROOM = 170
_KINDS = frozenset(
    ("", "feature", "remove", "deprecate", "rename", "move", "upkeep")
)  # what others are is told elsewhere
_SUPPORT = re.compile(r"^(?:basic |initial |full |native |built-in |better |proper )?support (?:for|of) ", re.I)
_SUPPORTED = re.compile(r"^(.{3,80}?) support(?: (?:to|for|in|into|on|of) (.{2,120}))?$")
_ARTICLE = re.compile(r"^(?:new|the|a|an|some) ", re.I)
_NOW = re.compile(r"^(?:now|from now on|jetzt|nun|ab jetzt|теперь|отныне) ", re.I)  # a statement, in any language
_LACKING = re.compile(
    r"^missing\b|\b(?:do not|don't|does not|doesn't) have (?:it|them|one)\b| when \w+ing\b|\brebase\b", re.I
)
_FOR = re.compile(r"^(?:for|of) ", re.I)
_PLAIN_NAME = re.compile(r"[\w.-]{2,40}")
_NOT = re.compile(r"^(?:do not|don['’]t|never|no longer) (\w+)", re.I)
_CLAUSE = re.compile(r"(?:[,;] (?:and )?|\band )(?=([a-z]+) )", re.I)
_SIDELINE = frozenset(("upkeep", "vague", "refactor"))
_NOISE = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))


def behaviour(scene: Scene) -> Candidate | None:
    """What the change makes the product do, in the words of its subject."""
    message = scene.message
    least = 3 if message.reason or message.language != "en" else _LEAST_WORDS
    if message.noise in _NOISE or len(scene.sources) > _MOST_FILES or len(content(message.subject)) < least:
        return None
    place, refs = scene.place(1)
    if not refs or not _is_worth(scene, place):
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


def _is_worth(scene: Scene, place: str) -> bool:
    """Whether the subject tells one thing in particular, of a place; where a reason is told, that is worth knowing."""
    message = scene.message
    if is_list(_main_clause(message.subject)) or is_about_looks(scene):
        return False
    return bool(message.reason) or (is_enough(scene, _main_clause(message.subject)) and is_placed(scene, place))


def _worded(scene: Scene, place: str) -> tuple[str, float]:
    """The sentence, "" where the subject tells none, and how sure it is by its form alone."""
    message = scene.message
    if message.kind == "refactor":
        return _reworked(scene, place)
    if message.kind not in _KINDS:
        return "", 0.0
    subject = _main_clause(message.subject)
    negated = _NOT.match(subject)
    if negated:
        return _said(scene, place, f"does not {subject[negated.start(1) :]}"), 0.5
    if message.verb is None:
        return _unbent(scene, subject, place)
    rest = subject.partition(" ")[2].strip()
    return _ordered(scene, message.verb, rest, place) if len(content(rest)) >= 2 else ("", 0.0)


def _ordered(scene: Scene, verb: Verb, rest: str, place: str) -> tuple[str, float]:
    """ "Add x", "Remove x", "Allow x": what is so after the order was followed."""
    message, support = scene.message, _supported(rest)
    does, sure = "", 0.5
    if verb.kind == "deprecate":
        many = " and " in rest or (rest.endswith("s") and not rest.endswith("ss"))
        return f"{capital(rest)} {'are' if many else 'is'} deprecated{_aside(place)}.", 0.7
    if verb.kind == "remove":
        return (f"{capital(support)} is no longer supported{_aside(place)}.", 0.7) if support else ("", 0.0)
    if verb.kind == "add" and not _LACKING.search(rest):
        has = f"implements {rest}" if verb.base == "implement" else f"has {_given(_ARTICLE.sub('', rest))}"
        does = f"supports {support}" if support else has
    elif verb.base == "support":
        does = f"supports {_FOR.sub('', rest)}"
    elif verb.kind in ("plain", "prevent", "settle"):
        does = f"{verb.third} {_bent(rest)}"
    elif verb.kind == "inner" and (scene.is_announced or (message.is_declared and message.kind == "feature")):
        does, sure = f"{verb.third} {_bent(rest)}", 0.45
    return (_said(scene, place, does), sure) if does else ("", 0.0)


def _given(rest: str) -> str:
    """ "a limit to the cart" was added, and is there "for the cart"; "an option to use it" stays."""
    what, to, whom = rest.rpartition(" to ")
    first = whom.partition(" ")[0].lower()
    return f"{what} for {whom}" if to and what and first not in words().bases | {"be", "have"} else rest


def _supported(rest: str) -> str:
    """ "support for x", "x support in y": what is supported."""
    before = _SUPPORT.match(rest)
    if before:
        return rest[before.end() :]
    behind = _SUPPORTED.match(_ARTICLE.sub("", rest))
    return "" if not behind else f"{behind[1]} in {behind[2]}" if behind[2] else behind[1]


def _said(scene: Scene, place: str, does: str) -> str:
    """ "`send` (client.py) retries once" where the message speaks of `send`, else "client retries once (`send` in …)"."""
    main = scene.main(1)
    name = last_part(main[0].symbol.name) if main else ""
    if scene.message.names(name) and not any(name in word for word in does.split()[1:3]):
        name = re.escape(name)
        shorter = re.sub(
            rf",? (?:in|to|for) (?:the )?`?(?:[\w.]{{1,40}}\.)?{name}(?:\(\))?`?(?: (?:function|method|class))?$",
            "",
            does,
        )
        does = shorter if len(content(shorter)) >= 2 else does
        return _with_reason(scene, f"{place} {does}")
    subject = scene.message.scope if _PLAIN_NAME.fullmatch(scene.message.scope) else ""
    path = scene.place(1)[1][0].partition("#")[0]
    subject = subject or scene.layout.module(path) or path
    if does.lower().startswith(f"has {subject.lower()} "):
        return ""  # it has itself
    is_path = subject in words().folders
    subject = shown(path) if is_path else subject
    where = _where(place)
    if is_path and where and where.strip("`").endswith(subject):
        where = where.partition(" in ")[0]
        return _with_reason(scene, f"`{subject}` {does}{f' ({where})' if subject not in where else ''}")
    return _with_reason(scene, f"`{subject}` {does}{_aside(place)}")


def _aside(place: str) -> str:
    return f" ({_where(place)})" if place else ""


def _where(place: str) -> str:
    """A place for parentheses: "`total` (cart.py)" is "`total` in cart.py" there."""
    return place[:-1].replace("` (", "` in ", 1) if place.endswith(")") else place


def _reworked(scene: Scene, place: str) -> tuple[str, float]:
    """A refactoring of over fifty lines that says what for."""
    message = scene.message
    lines = sum(max(file.lines_added, file.lines_removed) for file in scene.sources)
    told = (one for one in message.body if one.partition(" ")[0].lower() not in words().bases)
    why = message.reason or next(told, "")
    if lines <= LARGE or not why:
        return "", 0.0
    text = f"{place} was reworked: “{clip(capital(message.subject), 120)}”. {closed(capital(clip(why, 130)))}"
    return text, _REWORKED + (0.06 if message.reason else 0.0)


def _unbent(scene: Scene, subject: str, place: str) -> tuple[str, float]:
    """A subject that is no English order: kept as it is, behind the place."""
    message = scene.message
    is_foreign = message.language in ("de", "ru") and message.kind in ("feature", "remove", "rename")
    if message.language == "en" and len(content(subject)) <= 3 and not message.scope:
        return "", 0.0
    if not is_foreign and not _NOW.match(subject) and not message.reason:
        return "", 0.0  # a title: it does not say what is so now
    return (_with_reason(scene, f"{place}: {subject}"), 0.5) if place else ("", 0.0)


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
    if reason and len(text) + len(reason) + 8 < MOST_TEXT and tells(reason, *words_of(text)):
        return f"{text} Reason: {closed(capital(reason))}"
    return text


def _support(scene: Scene) -> float:
    """How much speaks for it: announced, tested, asked for; a symbol that the message names and others may use."""
    message, main = scene.message, scene.main(1)
    more = 0.1 if scene.is_announced else 0.0
    more += 0.04 if particulars(message.subject) > LEAST else 0.0
    more += 0.07 if scene.has_tests else 0.0
    more += 0.04 if message.references else 0.0
    more += 0.08 if message.kind == "feature" and message.is_declared else 0.0
    more += 0.08 if any(message.names(last_part(one.symbol.name)) for one in main) else 0.0
    more += 0.04 if any(one.is_offered for one in main) else -0.06
    return more - (0.06 if len(scene.sources) > 4 else 0.0)
