"""Parse one word of a text as a file path or as a qualified name.

    read_path("src/a.py#L3-L9")     # path src/a.py, lines 3 to 9
    read_path("a.py::Case::test")   # path a.py, name test, qualifier (Case,)
    read_name("App\\\\Models\\\\User") # name User, qualifier (App, Models)

Words have at most `LONGEST` characters, so that every pattern stays fast.
"""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from waypost.errors import InvalidInput
from waypost.model.reference import LineRange
from waypost.refs.links.word_lists import link_words

LONGEST = 300
_MOST_PARTS = 12

_IDENTIFIER = r"[A-Za-z_$][\w$]*"
_NAME = re.compile(rf"(?P<mark>[@&*]?){_IDENTIFIER}(?:(?:::|->|\?\.|\.|#|\\|:){_IDENTIFIER})*[!?]?")
_SEPARATOR = re.compile(r"::|->|\?\.|\.|#|\\|:")
_LINES = re.compile(r"(?:#L?|:L?)(\d{1,8})(?:C\d{1,5})?(?:[-–]L?(\d{1,8})(?:C\d{1,5})?|:\d{1,6}(?:-\d{1,6})?)?:?$")
_MEMBER = re.compile(rf"(?:::|:|#)({_IDENTIFIER}(?:(?:::|\.|#){_IDENTIFIER}){{0,20}})$")
_SEGMENT = re.compile(r"[\w.$@~+ ,()\[\]{}!-]+")
_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")
_LEADING_DOTS = re.compile(r"(?:\.{1,3}/|…/)+")
_SHAPES = (
    ("dunder", re.compile(r"__\w+__")),
    ("constant", re.compile(r"_*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+_*")),
    ("snake", re.compile(r"_*[A-Za-z][A-Za-z0-9]*+_+[A-Za-z0-9]\w*")),
    ("private", re.compile(r"_+[A-Za-z]\w+")),
    ("camel", re.compile(r"[a-z][a-z0-9]*[A-Z]\w*")),
    ("pascal", re.compile(r"(?:[A-Z][a-z0-9]+[A-Z]|[A-Z]{2,}[0-9]*[a-rt-z]|[A-Z]{2,}s[a-z])\w*")),
)


class NameReading(NamedTuple):
    name: str  # last part; for a file, the file name
    qualifier: tuple[str, ...] = ()
    path: str = ""  # with `/`
    lines: LineRange | None = None
    mark: str = ""  # prefix of the name: @, &, *


@lru_cache(maxsize=4096)
def shape_of(name: str) -> str:
    """The naming style of a word, such as "snake"; "" for a plain word of prose."""
    name = name.lstrip("$")
    return next((shape for shape, pattern in _SHAPES if pattern.fullmatch(name)), "")


def read_path(word: str) -> NameReading | None:
    """The file that a word names, with lines or a symbol after it. None if it names no file."""
    if "." not in word and "/" not in word and "\\" not in word and word.lower() not in link_words()["files"]:
        return None
    word = word[:LONGEST]
    if word.startswith("file:"):
        word = _from_uri(word)
    lines = None
    match = _LINES.search(word)
    if match is not None:
        lines, word = _lines(match), word[: match.start()]
    member: tuple[str, ...] = ()
    path = _file(word)
    if path is None and (inside := _MEMBER.search(word)) is not None:
        path = _file(word[: inside.start()])
        member = tuple(_SEPARATOR.split(inside[1]))
    if path is None:
        return None
    if member:
        return NameReading(member[-1], member[:-1], path, lines)
    return NameReading(path.rsplit("/", 1)[-1], (), path, lines)


def read_name(word: str) -> NameReading | None:
    """A name and its qualifier. None if no language allows such a name."""
    word = word.rstrip("()")[:LONGEST]
    match = _NAME.fullmatch(word)
    if match is None:
        return None
    parts = _SEPARATOR.split(word.lstrip("@&*").rstrip("!?"))[-_MOST_PARTS:]
    if not all(part.strip("_$") for part in parts):
        return None
    return None if _is_address(parts, word) else NameReading(parts[-1], tuple(parts[:-1]), mark=match["mark"])


def as_name(reading: NameReading) -> NameReading | None:
    """`response.json` read as a member, for when no such file exists."""
    return read_name(reading.path) if "/" not in reading.path else None


def _from_uri(word: str) -> str:
    rest = unquote(word.removeprefix("file:"))
    return "/" + rest.lstrip("/") if rest.startswith("//") else rest


def _lines(match: re.Match[str]) -> LineRange | None:
    start = int(match[1])
    try:
        return LineRange(start, max(start, int(match[2] or start)))
    except InvalidInput:
        return None


def _file(word: str) -> str | None:
    """The path, with `/`, if its last part is a file name."""
    words = link_words()
    path = _DRIVE.sub("", word).replace("\\", "/")
    path = path[dots.end() :] if (dots := _LEADING_DOTS.match(path)) else path
    segments = [segment for segment in path.split("/") if segment]
    if not segments or "*" in path or not all(_SEGMENT.fullmatch(segment) for segment in segments):
        return None
    name = segments[-1]
    stem, dot, ending = name.rpartition(".")
    if name.lower() in words["product_files"] or (len(path) < 4 and len(ending) < 2):  # d.h
        return None
    is_file = (bool(dot) and ending.lower() in words["extensions"] and any(map(str.isalnum, stem))) or (
        name.lower() in words["files"]
        and (len(segments) > 1 or name.startswith(".") or "." in name or name[:1].isupper())
    )
    is_host = len(segments) > 1 and "." in segments[0] and segments[0].rpartition(".")[2].lower() in words["domains"]
    return path if is_file and not is_host else None


def _is_address(parts: list[str], word: str) -> bool:
    """Whether this is a domain, a product such as Node.js, or an abbreviation such as z.B."""
    if len(parts) == 1:
        return False
    if ".".join(parts).lower() in link_words()["product_files"]:
        return True
    is_domain = parts[-1] in link_words()["domains"] and word.islower() and "_" not in word and parts[0] != "self"
    return is_domain or all(len(part) == 1 for part in parts)
