"""Which level and kind a fact has that came without: by its words, in English, German and Russian.

A level says how far a fact reaches: 0 the project, 1 a domain, 2 a module, 3 a piece of code. Level 0 is always loaded,
and dear: only what clearly speaks of the whole gets it. What is unclear is of its domain (1), as other facts are.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from waypost.text.language import language_of

PROJECT, DOMAIN, MODULE, CODE = range(4)
_READ = 600  # characters: what a fact is about it says at its beginning
_LEAST_NAME = 4  # letters of a domain's name that can be told from an ordinary word
_CALL = re.compile(r"[^\W\d]\w{0,80}\(\)|[A-Za-z_]\w{0,80}(?:\.|::|#)[A-Za-z_]\w{0,80}\(")
_LINES = re.compile(r"#L\d|(?<!\w)(?:lines?|zeilen?|строк[аеи]?)\s{1,3}\d", re.IGNORECASE)
_FILE = re.compile(
    r"(?<![\w/.-])(?:[\w.-]{1,60}/){0,12}[\w-]{1,60}\.(?:py|pyi|js|jsx|mjs|ts|tsx|go|rs|java|kt|cs|php|rb|c|h|cc|cpp|hpp|swift|"
    r"scala|sql|sh|toml|ya?ml|json|md|vue|svelte|html|css)(?![\w/])"
)
_IDENTIFIER = re.compile(r"`[^`\n]{1,80}`|[a-z0-9]_[a-z0-9]|[a-z][A-Z]|(?<!\w)[A-Z][a-z0-9]{1,40}[A-Z]\w{0,40}")
_OPENS_WITH_NAME = re.compile(r"`[^`\n]{1,80}`|[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,10}(?![\w/.-])")


def level_of(text: str, *, points_at_lines: bool = False, points_at_file: bool = False) -> int:
    """The level of a fact. That it points at lines or at a file is known from elsewhere, if at all."""
    text, words = text[:_READ], _words(text)
    names_file = _FILE.search(text) is not None
    names_code = _CALL.search(text) or _LINES.search(text) or (words["code"].search(text) and _IDENTIFIER.search(text))
    if points_at_lines or names_code or (_OPENS_WITH_NAME.match(text) and not names_file):
        return CODE
    if words["subject"].match(text.lstrip("#*-> \t\n")) and not names_file:
        return PROJECT
    if points_at_file or names_file or words["module"].search(text):
        return MODULE
    if words["project"].search(text) and not words["domain"].search(text):
        return PROJECT
    return DOMAIN


def kind_of(text: str) -> str:
    """`decision`, `constraint` or `fact`."""
    text, words = text[:_READ], _words(text)
    return next((kind for kind in ("decision", "constraint") if words[kind].search(text)), "fact")


def domain_of(text: str, names: Iterable[str]) -> str:
    """The one of these domains that the text names; empty when it names none or several."""
    said = f" {' '.join(_WORD.findall(text[:_READ].casefold()))} "
    found = {name for name in names if len(name) >= _LEAST_NAME and f" {_plain(name)} " in said}
    whole = [name for name in found if not any(_plain(name) in _plain(other) for other in found - {name})]
    return whole[0] if len(whole) == 1 else ""


_WORD = re.compile(r"\w+")


@cache
def _plain(name: str) -> str:
    return " ".join(_WORD.findall(name.casefold()))


def _words(text: str) -> Mapping[str, re.Pattern[str]]:
    """The lists of the text's language; technical terms stay English in every one."""
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
    each = (re.escape(word).replace(r"\*", r"\w{0,20}").replace(r"\ ", r"\s{1,3}") for word in longest_first)
    return re.compile(rf"(?<!\w)(?:{'|'.join(each)})(?!\w)", re.IGNORECASE)
