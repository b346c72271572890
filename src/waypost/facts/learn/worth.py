"""Whether a message is worth a note: it names something particular, beyond appearance."""

import re
from dataclasses import dataclass
from functools import cache

from waypost.facts.learn.change_context import ChangeContext
from waypost.facts.learn.vocabulary import content_words, vocabulary, word_data, words_in

LEAST = 3  # specific words that make a subject informative
_MORE = 2  # further words required beside one like "improvements"
_SHOWN = re.compile(
    r"\.(?:tsx|jsx|vue|svelte|astro|html?|erb|haml|slim|ejs|hbs|twig|cshtml|razor|xaml|dart|swift|qml|css|s[ac]ss|less)$"
    r"|\.blade\.php$|(?:^|/)(?:components?|pages?|views?|templates?|ui|widgets?|frontend|themes?)/",
    re.I,
)
_IN_PARTICULAR = re.compile(r"`[^`]{1,80}`|\"[^\"]{1,80}\"|(?<![\w#])\d[\w./]{0,20}")
_CODE = re.compile(r"[`_\d]|\w\(|\w[.:]{1,2}\w|[a-z][A-Z]|\b[A-Z]{2,}")
_NEXT = re.compile(r"(?:[,;.] (?:and |also )?|\band (?:also )?|& |\+ )([A-Za-z]{3,14}|don['’]t)(?= \S)")
_WORK = frozenset(
    ("fix", "vague", "refactor", "upkeep", "add", "remove", "rename", "move", "inner", "deprecate", "prevent")
)
_CUES = ("trivial", "condition")
_HINT = 3  # least letters of a folder name that a message may mention


@dataclass(frozen=True, slots=True)
class WorthWords:
    looks: frozenset[str]
    vague: frozenset[str]
    generic: frozenset[str]
    phrases: tuple[str, ...]
    trivial: re.Pattern[str]
    condition: re.Pattern[str]


@cache
def _word_lists() -> WorthWords:
    data = word_data()["worth"]
    trivial, condition = ("|".join(map(re.escape, sorted(data[name], key=len, reverse=True))) for name in _CUES)
    return WorthWords(
        **{name: frozenset(words.split()) for name, words in data.items() if isinstance(words, str)},
        phrases=tuple(data["phrases"]),
        trivial=re.compile(rf"\b(?:{trivial})\b", re.I),
        condition=re.compile(rf"\b(?:{condition})\b|n['’]t\b", re.I),
    )


def particulars(text: str) -> int:
    """How many words, names and numbers are specific."""
    lists = _word_lists()
    specific = [word for word in content_words(text) if not _matches(word, lists.generic)]
    specific = [word for word in specific if not _matches(word, lists.vague)]
    quoted = [quote for quote in _IN_PARTICULAR.findall(text) if not set(words_in(quote)) & set(specific)]
    return len(specific) + len(quoted)


def is_vague(text: str, least: int = LEAST) -> bool:
    """Whether a text says that something was done, but hardly what."""
    lists = _word_lists()
    is_loose = any(_matches(word, lists.vague) for word in words_in(text))
    return particulars(text) < least + (_MORE if is_loose else 0)


def is_enough(context: ChangeContext, text: str) -> bool:
    """Whether a text is informative. Few words need a test, an announcement or a code name in support."""
    if is_vague(text):
        return False
    is_backed = context.has_tests or context.is_announced or _CODE.search(text) is not None
    return is_backed or particulars(text) > LEAST


def is_conditional(text: str) -> bool:
    """Whether a text says when or how it happens."""
    return _word_lists().condition.search(text) is not None


def is_trivial(text: str) -> bool:
    """Whether a fix changes no behaviour: an import, a type, a duplicated call."""
    return _word_lists().trivial.search(text) is not None


def is_about_looks(context: ChangeContext) -> bool:
    """Whether a change of the user interface is only about appearance. A stated reason makes it worth knowing."""
    text = context.message.subject.lower()
    lists = _word_lists()
    mentions_looks = any(_matches(word, lists.looks) for word in words_in(text))
    mentions_looks = mentions_looks or any(phrase in text for phrase in lists.phrases)
    return mentions_looks and not context.message.reason and any(_SHOWN.search(file.path) for file in context.sources)


def first_task(subject: str) -> str:
    """The first of several tasks in a subject, or the whole subject if there is only one."""
    verbs = vocabulary().verbs
    is_past = subject.partition(" ")[0].endswith("ed")  # "Added …, organised …"
    for match in _NEXT.finditer(subject):
        word = match[1].lower()
        verb = verbs.get(word)
        is_order = verb is not None and (verb.base == word or (is_past and word.endswith("ed")))
        if (verb is not None and is_order and verb.kind in _WORK) or (word.endswith("t") and not word.isalpha()):
            return subject[: match.start()].rstrip(" ,;.")
    return subject


def is_list(subject: str) -> bool:
    """Whether a subject lists several tasks."""
    return first_task(subject) != subject


def is_location_specific(context: ChangeContext, place: str) -> bool:
    """Whether a location is specific. A folder is only if the message mentions it."""
    if not place.endswith("/`"):
        return True
    subject_words = {word.rstrip("s") for word in content_words(context.message.subject)}
    folder = place.strip("`/").split("/")[-1].lower()
    return any(part.rstrip("s") in subject_words for part in re.split(r"[-_\W]+", folder) if len(part) >= _HINT)


def _matches(word: str, word_list: frozenset[str]) -> bool:
    return word in word_list or any(word[:length] + "*" in word_list for length in range(3, len(word) + 1))
