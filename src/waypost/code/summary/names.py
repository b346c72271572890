"""Code names in plain words: `get_user_by_id` gets a user by id, `HTMLParser` parses HTML."""

import re
from functools import lru_cache

from waypost.code.summary.lexicon import words
from waypost.text.identifiers import identifier_parts

_LONGEST_NAME = 120  # characters that are read
_MOST_WORDS = 12
_CODE_WORD = re.compile(r"\w+")
_INTERFACE = re.compile(r"I[A-Z][a-z]")  # `IRouter` is a router
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_VERB_BEGINNINGS = ("un", "re", "de", "dis")
_VERB_ENDINGS = ("ify", "ize", "ise")
_HISSING = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = tuple("aeiou")
_SOUNDS_LIKE_YOU = ("uni", "use", "user", "url", "uti", "utf", "uri", "uuid", "one")
_SPELLED_WITH_VOWEL = frozenset("AEFHILMNORSX")  # letters whose names begin with a vowel: an HTML page, an SQL query
_READ_AS_WORD = frozenset({"SAML", "SIM", "RAM", "LAN", "REST", "SOAP", "NAT", "MIME", "HEX"})


@lru_cache(maxsize=20_000)
def plain_words(name: str) -> tuple[str, ...]:
    """The words of a name, with abbreviations expanded and acronyms in capitals."""
    return tuple(_in_full(word) for word in raw_words(name))


@lru_cache(maxsize=20_000)
def raw_words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, unexpanded. `BCrypt` is one word."""
    parts = [part for run in _CODE_WORD.findall(name[:_LONGEST_NAME]) for part in identifier_parts(run)]
    if _INTERFACE.match(name) and parts[0] == "I":
        parts = parts[1:]
    parts_joined: list[str] = []
    for part in parts[:_MOST_WORDS]:
        joined = _join_pair(parts_joined[-1], part.lower()) if parts_joined else ""
        if joined:
            parts_joined[-1] = joined
        else:
            parts_joined.append(part.lower())
    return tuple(parts_joined)


def _join_pair(before: str, word: str) -> str:
    """Two parts of a name that form one word, such as `BCrypt` or `utf8`; otherwise ""."""
    if word.isdecimal() and before in words().numbered:
        return before + word
    return words().pairs.get(f"{before} {word}", "")


def phrase(name: str) -> str:
    """`userTable` → "user table"."""
    return " ".join(plain_words(name))


@lru_cache(maxsize=20_000)
def is_verb(word: str) -> bool:
    verbs = words().verbs
    if word in words().not_verbs:
        return False
    if word in verbs or (len(word) > 5 and word.endswith(_VERB_ENDINGS)):
        return True
    return any(word.startswith(first) and word[len(first) :] in verbs for first in _VERB_BEGINNINGS)


@lru_cache(maxsize=20_000)
def verb_of(name: str) -> str:
    """The verb at the start of a name, in its base form, or ""."""
    raw = raw_words(name)
    if not raw or raw[-1] in words().after_nouns:  # `login_required`
        return ""
    nouns = words().rather_nouns - words().verbs_before_nouns
    if raw[0] in nouns and len(raw) > 1 and raw[-1] in words().noun_heads:
        return ""
    for word in (words().abbreviations.get(raw[0], raw[0]), raw[0]):
        if is_verb(word):
            return word
    return ""


def third_person(verb: str) -> str:
    """ "gets", "tries", "logs in"."""
    verb, _, more = words().two_words.get(verb, verb).partition(" ")
    return f"{_third_person(verb)} {more}".rstrip()


def _third_person(verb: str) -> str:
    if verb in {"do", "go", "undo", "redo", "echo", "veto"} or verb.endswith(_HISSING):
        return verb + "es"
    if _CONSONANT_Y.search(verb):
        return verb[:-1] + "ies"
    return verb + "s"


def with_article(noun: str, *, new: bool = False) -> str:
    """The noun phrase with "a" or "the" if it takes one: "the user", "users", "all files"."""
    lexicon = words()
    first, last = noun.split(" ", 1)[0], noun.rsplit(" ", 1)[-1]
    if not noun or first in lexicon.no_article or first in lexicon.prepositions or first.isdecimal():
        return noun
    if new:
        return noun if _is_plural(last) or last.lower() in lexicon.mass_nouns else f"{_a(first)} {noun}"
    return noun if _is_plural(last) else f"the {noun}"


def action(name: str, *, finite: bool = True) -> str:
    """The action in a name that begins with a verb: "gets a user by id", or "get user by id" if not finite."""
    verb = verb_of(name)
    if not verb:
        return ""
    rest = [word for word in plain_words(name)[1:] if word != "async"]
    if verb == "do" and rest and is_verb(rest[0]):  # `doFilter` filters
        verb, rest = rest[0], rest[1:]
    if rest and rest[-1].isdecimal() and len(rest) == 1:  # `assert1`
        rest = []
    if not finite:
        return " ".join([words().two_words.get(verb, verb), *rest])
    return " ".join([third_person(verb), *_rest_with_articles(verb, rest)])


def _rest_with_articles(verb: str, rest: list[str]) -> list[str]:
    """The words after the verb: the object gets an article, a second verb its ending."""
    lexicon = words()
    if not rest:
        return []
    if rest[0] in lexicon.conjunctions and len(rest) > 1:
        second = third_person(rest[1]) if is_verb(rest[1]) else rest[1]
        return [rest[0], second, *_rest_with_articles(rest[1], rest[2:])] if is_verb(rest[1]) else rest
    end = next((place for place, word in enumerate(rest) if word in lexicon.prepositions), len(rest))
    if end == 0:
        return rest
    if end == 1 and rest[0].endswith("ed") and len(rest[0]) > 4:  # `clear_expired`
        return ["what is", *rest]
    new = verb in lexicon.makes_new or rest[end : end + 1] == ["by"]
    return [with_article(" ".join(rest[:end]), new=new), *rest[end:]]


def _in_full(word: str) -> str:
    lexicon = words()
    full = lexicon.abbreviations.get(word)
    if full is not None:
        return full
    if word in lexicon.acronyms:
        return word.upper() if not word.endswith("s") or len(word) <= 3 or word == "https" else word[:-1].upper() + "s"
    return word


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) and not word.isupper()


def _a(word: str) -> str:
    if word.isupper() and len(word) > 1:
        return "an" if word[0] in _SPELLED_WITH_VOWEL and word not in _READ_AS_WORD else "a"
    lower = word.lower()
    return "an" if lower.startswith(_VOWELS) and not lower.startswith(_SOUNDS_LIKE_YOU) else "a"


def first_few(items: list[str], most: int) -> list[str]:
    """The first items, and how many more there are."""
    return items if len(items) <= most else [*items[:most], f"{len(items) - most} more"]


def listing(items: list[str]) -> str:
    """In a sentence: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1]))) if items else ""
