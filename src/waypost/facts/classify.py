"""Classifying facts that came without a level and kind, by their words in English, German and Russian.

A level says how far a fact reaches: 0 the project, 1 a domain, 2 a module, 3 a piece of code. Level 0 is always loaded,
so only text that clearly speaks of the whole project gets it. Unclear facts get their domain (1), like most facts.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from waypost.text.language import language_of

PROJECT, DOMAIN, MODULE, CODE = range(4)
_READ = 600  # characters: a fact names its subject at the beginning
_LEAST_NAME = 4  # letters of a domain name that is distinct from an ordinary word
_CALL = re.compile(r"[^\W\d]\w{0,80}\(\)|[A-Za-z_]\w{0,80}(?:\.|::|#)[A-Za-z_]\w{0,80}\(")
_LINES = re.compile(r"#L\d|(?<!\w)(?:lines?|zeilen?|строк[аеи]?)\s{1,3}\d", re.I)
_FILE = re.compile(
    r"(?<![\w/.-])(?:[\w.-]{1,60}/){0,12}[\w-]{1,60}\.(?:py|pyi|js|jsx|mjs|ts|tsx|go|rs|java|kt|cs|php|rb|c|h|cc|cpp|hpp|swift|"
    r"scala|sql|sh|toml|ya?ml|json|md|vue|svelte|html|css)(?![\w/])"
)
_IDENTIFIER = re.compile(r"`[^`\n]{1,80}`|[a-z0-9]_[a-z0-9]|[a-z][A-Z]|(?<!\w)[A-Z][a-z0-9]{1,40}[A-Z]\w{0,40}")
_OPENS_WITH_NAME = re.compile(r"`[^`\n]{1,80}`|[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,10}(?![\w/.-])")


def level_of(text: str, *, points_at_lines: bool = False, points_at_file: bool = False) -> int:
    """The level of a fact. The caller may know that it points at lines or at a file."""
    text, lists = text[:_READ], _word_lists(text)
    names_file = _FILE.search(text) is not None
    names_code = _CALL.search(text) or _LINES.search(text) or (lists["code"].search(text) and _IDENTIFIER.search(text))
    if points_at_lines or names_code or (_OPENS_WITH_NAME.match(text) and not names_file):
        return CODE
    if lists["subject"].match(text.lstrip("#*-> \t\n")) and not names_file:
        return PROJECT
    if points_at_file or names_file or lists["module"].search(text):
        return MODULE
    if lists["project"].search(text) and not lists["domain"].search(text):
        return PROJECT
    return DOMAIN


def kind_of(text: str) -> str:
    """`decision`, `constraint` or `fact`."""
    text, lists = text[:_READ], _word_lists(text)
    return next((kind for kind in ("decision", "constraint") if lists[kind].search(text)), "fact")


def domain_of(text: str, names: Iterable[str]) -> str:
    """The only one of these domains that the text names, or an empty string."""
    text_words = f" {' '.join(_WORD.findall(text[:_READ].casefold()))} "
    named = {name for name in names if len(name) >= _LEAST_NAME and f" {_normal_name(name)} " in text_words}
    whole = [name for name in named if not any(_normal_name(name) in _normal_name(other) for other in named - {name})]
    return whole[0] if len(whole) == 1 else ""


_WORD = re.compile(r"\w+")


@cache
def _normal_name(name: str) -> str:
    return " ".join(_WORD.findall(name.casefold()))


def _word_lists(text: str) -> Mapping[str, re.Pattern[str]]:
    """The word lists of the text's language. Technical terms stay English in all of them."""
    language = language_of(text)
    return _patterns(language if language in ("de", "ru") else "en")


@cache
def _patterns(language: str) -> Mapping[str, re.Pattern[str]]:
    table = tomllib.loads(files("waypost.facts").joinpath("data/classify.toml").read_text(encoding="utf-8"))
    lists = {name: list(words) for name, words in table[language].items()}
    if language != "en":
        for name in ("project", "domain", "module", "code"):
            lists[name] += table["en"][name]
    return {name: _pattern(words) for name, words in lists.items()}


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    alternatives = (re.escape(word).replace(r"\*", r"\w{0,20}").replace(r"\ ", r"\s{1,3}") for word in longest_first)
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.I)
