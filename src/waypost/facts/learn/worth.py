"""Whether what a message says is worth a note: it names something in particular, and not how it looks."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from waypost.facts.learn.change_context import Scene
from waypost.facts.learn.vocabulary import content, words, words_of

LEAST = 3  # words in particular, from which on a subject tells something
_MORE = 2  # are wanted beside a word like "improvements"
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
_HINT = 3  # letters: the least for a name of a folder that a message may speak of


@dataclass(frozen=True, slots=True)
class MessageWorth:
    looks: frozenset[str]
    vague: frozenset[str]
    generic: frozenset[str]
    claims: frozenset[str]
    phrases: tuple[str, ...]
    trivial: re.Pattern[str]
    condition: re.Pattern[str]


@cache
def _worth() -> MessageWorth:
    told: Mapping[str, Mapping[str, str | list[str]]] = tomllib.loads(
        files("waypost.facts.learn").joinpath("data", "words.toml").read_text(encoding="utf-8")
    )
    lists = {name: frozenset(listed.split()) for name, listed in told["worth"].items() if isinstance(listed, str)}
    cues = {name: listed for name, listed in told["worth"].items() if isinstance(listed, list)}
    trivial = "|".join(map(re.escape, sorted(cues["trivial"], key=len, reverse=True)))
    condition = "|".join(map(re.escape, sorted(cues["condition"], key=len, reverse=True)))
    return MessageWorth(
        **lists,
        phrases=tuple(cues["phrases"]),
        trivial=re.compile(rf"\b(?:{trivial})\b", re.I),
        condition=re.compile(rf"\b(?:{condition})\b|n['’]t\b", re.I),
    )


def particulars(text: str) -> int:
    """How many words, names and numbers say something that does not fit everywhere."""
    known = _worth()
    told = [word for word in content(text) if not _is_in(word, known.generic) and not _is_in(word, known.vague)]
    quoted = [one for one in _IN_PARTICULAR.findall(text) if not set(words_of(one)) & set(told)]
    return len(told) + len(quoted)


def is_vague(text: str, least: int = LEAST) -> bool:
    """Whether a text says that something was done, and hardly what."""
    known = _worth()
    is_loose = any(_is_in(word, known.vague) for word in words_of(text))
    return particulars(text) < least + (_MORE if is_loose else 0)


def is_enough(scene: Scene, text: str) -> bool:
    """Whether a text tells something: just enough words must be backed by a test, an announcement or a name of code."""
    if is_vague(text):
        return False
    is_backed = scene.has_tests or scene.is_announced or _CODE.search(text) is not None
    return is_backed or particulars(text) > LEAST


def is_claim(text: str) -> bool:
    """ "correctly strip the values": how it ought to be, and not what was wrong."""
    return next(iter(words_of(text)), "") in _worth().claims


def is_conditional(text: str) -> bool:
    """Whether a text says when or how it happens."""
    return _worth().condition.search(text) is not None


def is_trivial(text: str) -> bool:
    """Whether nothing behaves otherwise after such a fix: an import, a type, a call that was there twice."""
    return _worth().trivial.search(text) is not None


def is_about_looks(scene: Scene) -> bool:
    """Whether a change of what is on a screen is about how it looks there; a reason makes it worth knowing."""
    text = scene.message.subject.lower()
    known = _worth()
    speaks = any(_is_in(word, known.looks) for word in words_of(text)) or any(one in text for one in known.phrases)
    return speaks and not scene.message.reason and any(_SHOWN.search(file.path) for file in scene.sources)


def first_work(subject: str) -> str:
    """The first of several pieces of work that a subject tells one after the other; the whole, where it is one."""
    verbs = words().verbs
    is_past = subject.partition(" ")[0].endswith("ed")  # "Added …, organised …"
    for found in _NEXT.finditer(subject):
        word = found[1].lower()
        verb = verbs.get(word)
        is_order = verb is not None and (verb.base == word or (is_past and word.endswith("ed")))
        if (verb is not None and is_order and verb.kind in _WORK) or (word.endswith("t") and not word.isalpha()):
            return subject[: found.start()].rstrip(" ,;.")
    return subject


def is_list(subject: str) -> bool:
    """Whether a subject tells several pieces of work."""
    return first_work(subject) != subject


def is_placed(scene: Scene, place: str) -> bool:
    """Whether a place says where: a folder does only where the message speaks of it."""
    if not place.endswith("/`"):
        return True
    spoken = {word.rstrip("s") for word in content(scene.message.subject)}
    folder = place.strip("`/").split("/")[-1].lower()
    return any(part.rstrip("s") in spoken for part in re.split(r"[-_\W]+", folder) if len(part) >= _HINT)


def _is_in(word: str, listed: frozenset[str]) -> bool:
    return word in listed or any(word[:length] + "*" in listed for length in range(3, len(word) + 1))
