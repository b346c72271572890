"""What the product does now, from a commit subject: "Strip all sequences" is "`strip_ansi` strips all sequences"."""

import re

from waypost.facts.learn.change_context import ChangeContext
from waypost.facts.learn.vocabulary import Verb, content_words, subject_key, vocabulary, words_in
from waypost.facts.learn.wording import (
    MOST_TEXT,
    clip,
    says_more_than,
    short_path,
    upper_first,
    with_full_stop,
)
from waypost.facts.learn.worth import LEAST, is_about_looks, is_enough, is_list, is_location_specific, particulars
from waypost.model.candidate import Candidate

LARGE = 50  # lines: a larger refactoring may be worth a note
_REWORKED = 0.5
_LEAST_WORDS = 5  # content words: reviewers called two in five of the shorter ones too vague
_MOST_FILES = 10
_SUBJECT_ROOM = 170
_KINDS = frozenset(
    ("", "feature", "remove", "deprecate", "rename", "move", "upkeep")
)  # other kinds have their own facts
_SUPPORT = re.compile(r"^(?:basic |initial |full |native |built-in |better |proper )?support (?:for|of) ", re.I)
_SUPPORTED = re.compile(r"^(.{3,80}?) support(?: (?:to|for|in|into|on|of) (.{2,120}))?$")
_ARTICLE = re.compile(r"^(?:new|the|a|an|some) ", re.I)
_NOW = re.compile(r"^(?:now|from now on|jetzt|nun|ab jetzt|теперь|отныне) ", re.I)  # marks a statement
_LACKING = re.compile(
    r"^missing\b|\b(?:do not|don't|does not|doesn't) have (?:it|them|one)\b| when \w+ing\b|\brebase\b", re.I
)
_FOR = re.compile(r"^(?:for|of) ", re.I)
_PLAIN_NAME = re.compile(r"[\w.-]{2,40}")
_NOT = re.compile(r"^(?:do not|don['’]t|never|no longer) (\w+)", re.I)
_CLAUSE = re.compile(r"(?:[,;] (?:and )?|\band )(?=([a-z]+) )", re.I)
_SIDELINE = frozenset(("upkeep", "vague", "refactor"))
_NOISE = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))


def behaviour(context: ChangeContext) -> Candidate | None:
    """What the change makes the product do, in the words of its subject."""
    message = context.message
    least = 3 if message.reason or message.language != "en" else _LEAST_WORDS
    if message.noise in _NOISE or len(context.sources) > _MOST_FILES or len(content_words(message.subject)) < least:
        return None
    place, refs = context.place(1)
    if not refs or not _is_worth(context, place):
        return None
    text, confidence = _text_and_confidence(context, place)
    if not text:
        return None
    return context.candidate(
        text,
        confidence + _bonus(context),
        topic=f"change:{subject_key(message.subject)}",
        refs=refs,
        level=2,
        origin="commit_message",
        from_message=True,
        reason="The message says what the change does.",
    )


def _is_worth(context: ChangeContext, place: str) -> bool:
    """Whether the subject states one particular thing with a location. A stated reason is always worth knowing."""
    message = context.message
    if is_list(_main_clause(message.subject)) or is_about_looks(context):
        return False
    if message.reason:
        return True
    return is_enough(context, _main_clause(message.subject)) and is_location_specific(context, place)


def _text_and_confidence(context: ChangeContext, place: str) -> tuple[str, float]:
    """The sentence (empty if the subject gives none), and its confidence by form alone."""
    message = context.message
    if message.kind == "refactor":
        return _refactoring(context, place)
    if message.kind not in _KINDS:
        return "", 0.0
    subject = _main_clause(message.subject)
    negated = _NOT.match(subject)
    if negated:
        return _sentence(context, place, f"does not {subject[negated.start(1) :]}"), 0.5
    if message.verb is None:
        return _statement(context, subject, place)
    rest = subject.partition(" ")[2].strip()
    return _after_order(context, message.verb, rest, place) if len(content_words(rest)) >= 2 else ("", 0.0)


def _after_order(context: ChangeContext, verb: Verb, rest: str, place: str) -> tuple[str, float]:
    """What holds after the order was followed: "Add x", "Remove x", "Allow x"."""
    message, supported = context.message, _supported_thing(rest)
    does, sure = "", 0.5
    if verb.kind == "deprecate":
        many = " and " in rest or (rest.endswith("s") and not rest.endswith("ss"))
        return f"{upper_first(rest)} {'are' if many else 'is'} deprecated{_in_parentheses(place)}.", 0.7
    if verb.kind == "remove":
        text = f"{upper_first(supported)} is no longer supported{_in_parentheses(place)}." if supported else ""
        return text, 0.7 if text else 0.0
    if verb.kind == "add" and not _LACKING.search(rest):
        has = f"implements {rest}" if verb.base == "implement" else f"has {_with_beneficiary(_ARTICLE.sub('', rest))}"
        does = f"supports {supported}" if supported else has
    elif verb.base == "support":
        does = f"supports {_FOR.sub('', rest)}"
    elif verb.kind in ("plain", "prevent", "settle"):
        does = f"{verb.third} {_in_third_person(rest)}"
    elif verb.kind == "inner" and (context.is_announced or (message.is_declared and message.kind == "feature")):
        does, sure = f"{verb.third} {_in_third_person(rest)}", 0.45
    return (_sentence(context, place, does), sure) if does else ("", 0.0)


def _with_beneficiary(rest: str) -> str:
    """ "a limit to the cart" becomes "a limit for the cart"; "an option to use it" stays."""
    what, to, whom = rest.rpartition(" to ")
    first = whom.partition(" ")[0].lower()
    return f"{what} for {whom}" if to and what and first not in vocabulary().bases | {"be", "have"} else rest


def _supported_thing(rest: str) -> str:
    """What is supported, in "support for x" or "x support in y"."""
    prefix = _SUPPORT.match(rest)
    if prefix:
        return rest[prefix.end() :]
    suffix = _SUPPORTED.match(_ARTICLE.sub("", rest))
    return "" if not suffix else f"{suffix[1]} in {suffix[2]}" if suffix[2] else suffix[1]


def _sentence(context: ChangeContext, place: str, does: str) -> str:
    """ "`send` (client.py) retries once" if the message names `send`, else "client retries once (`send` in …)"."""
    main = context.main(1)
    name = main[0].last_name if main else ""
    if context.message.names(name) and not any(name in word for word in does.split()[1:3]):
        name = re.escape(name)
        end = rf",? (?:in|to|for) (?:the )?`?(?:[\w.]{{1,40}}\.)?{name}(?:\(\))?`?(?: (?:function|method|class))?$"
        shortened = re.sub(end, "", does)
        does = shortened if len(content_words(shortened)) >= 2 else does
        return _with_reason(context, f"{place} {does}")
    subject = context.message.scope if _PLAIN_NAME.fullmatch(context.message.scope) else ""
    path = context.place(1)[1][0].partition("#")[0]
    subject = subject or context.layout.module(path) or path
    if does.lower().startswith(f"has {subject.lower()} "):
        return ""  # it would say that a thing has itself
    is_path = subject in vocabulary().folders
    subject = short_path(path) if is_path else subject
    where = _where(place)
    if is_path and where and where.strip("`").endswith(subject):
        where = where.partition(" in ")[0]
        return _with_reason(context, f"`{subject}` {does}{f' ({where})' if subject not in where else ''}")
    return _with_reason(context, f"`{subject}` {does}{_in_parentheses(place)}")


def _in_parentheses(place: str) -> str:
    return f" ({_where(place)})" if place else ""


def _where(place: str) -> str:
    """A location for use in parentheses: "`total` (cart.py)" becomes "`total` in cart.py"."""
    return place[:-1].replace("` (", "` in ", 1) if place.endswith(")") else place


def _refactoring(context: ChangeContext, place: str) -> tuple[str, float]:
    message = context.message
    bases = vocabulary().bases
    why = message.reason or next((line for line in message.body if line.partition(" ")[0].lower() not in bases), "")
    if context.lines_changed <= LARGE or not why:
        return "", 0.0
    text = f"{place} was reworked: “{clip(upper_first(message.subject), 120)}”. {with_full_stop(upper_first(clip(why, 130)))}"
    return text, _REWORKED + (0.06 if message.reason else 0.0)


def _statement(context: ChangeContext, subject: str, place: str) -> tuple[str, float]:
    """A subject that is not an English order, kept as it is after the location."""
    message = context.message
    is_foreign = message.language in ("de", "ru") and message.kind in ("feature", "remove", "rename")
    if message.language == "en" and len(content_words(subject)) <= 3 and not message.scope:
        return "", 0.0
    if not is_foreign and not _NOW.match(subject) and not message.reason:
        return "", 0.0  # a title does not say what holds now
    return (_with_reason(context, f"{place}: {subject}"), 0.5) if place else ("", 0.0)


def _main_clause(subject: str) -> str:
    """The subject without "and document its limits", ", fix lint": only what the product does counts."""
    lists = vocabulary()
    for clause in _CLAUSE.finditer(subject):
        verb = lists.verbs.get(clause[1].lower())
        if verb is not None and verb.base == clause[1].lower() and (verb.kind in _SIDELINE or verb.kind == "fix"):
            return subject[: clause.start()].rstrip(" ,;")
    return subject


def _in_third_person(rest: str) -> str:
    """The text with the verbs of further clauses in the third person, too."""
    lists = vocabulary()

    def bend(match: re.Match[str]) -> str:
        verb: Verb | None = lists.verbs.get(match[2])
        return match[1] + (verb.third if verb is not None and verb.base == match[2] else match[2])

    return re.sub(r"((?:[,;] (?:and )?|\band ))([a-z]{2,14})(?= (?:a|an|the|it|its|all|`))", bend, rest)


def _with_reason(context: ChangeContext, text: str) -> str:
    text = with_full_stop(clip(text, _SUBJECT_ROOM + 80))
    reason = context.message.reason
    if reason and len(text) + len(reason) + 8 < MOST_TEXT and says_more_than(reason, *words_in(text)):
        return f"{text} Reason: {with_full_stop(upper_first(reason))}"
    return text


def _bonus(context: ChangeContext) -> float:
    """Confidence from context: announced, tested, requested, and a public symbol that the message names."""
    message, main = context.message, context.main(1)
    bonus = 0.1 if context.is_announced else 0.0
    bonus += 0.04 if particulars(message.subject) > LEAST else 0.0
    bonus += 0.07 if context.has_tests else 0.0
    bonus += 0.04 if message.references else 0.0
    bonus += 0.08 if message.kind == "feature" and message.is_declared else 0.0
    bonus += 0.08 if any(message.names(changed.last_name) for changed in main) else 0.0
    bonus += 0.04 if any(changed.is_public_api for changed in main) else -0.06
    return bonus - (0.06 if len(context.sources) > 4 else 0.0)
