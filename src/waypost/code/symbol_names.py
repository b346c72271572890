"""Names of symbols as people, agents and indexers write them.

`write`, `Store.write`, `store.py#Store.write`, `store.py:12`, `impl Iterator for Store`, and the ends of SCIP symbols such as
`Store#write().` and ``impl#[`Store<T>`][Iterator]next().``: a block of Rust has no name, so its type is meant.
"""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

LONGEST = 1000  # characters of a name
_MOST_NEAR = 5
_NEAR = 0.6  # similarity of names, 0 to 1
_SEPARATOR = re.compile(r"\.|::|#|->|\\|/")
_AT_LINE = re.compile(r"(?s)(.+?):(\d{1,7})(?::\d{1,7})?")
_CALL = re.compile(r"\([^()]{0,200}\)$")
_BLOCK = re.compile(
    r"(?:\S{1,200}\s)?impl(?:<[^<>]{0,200}>)?\s+(?:\S{1,200}\s+for\s+)?&?(?:\w{1,200}::){0,9}(\w{1,200})(?:<.{0,200}>)?"
    r"|(?:\S{1,200}\s)?impl#\[`?&?(?:\w{1,200}::){0,9}(\w{1,200})[^`\]]{0,200}`?\](?:\[[^\]]{0,200}\])?(.{0,400})"
)
_CONSTRUCTORS = {"<constructor>": "constructor", "<init>": "", ".ctor": ""}  # "": named like its type
# Files that are named after their folder.
_UNNAMED_FILES = frozenset({"__init__", "index", "mod", "lib", "main"})


class SymbolName(NamedTuple):
    """A name as written. `parts` come from outside to inside; `path` is empty if none was written."""

    parts: tuple[str, ...]
    path: str = ""
    line: int = 0


def read_symbol_name(text: str) -> SymbolName:
    """Read a name, `path#name` or `path:line`. A path alone is read as parts, too."""
    text = text.strip()
    if block := _BLOCK.fullmatch(text):
        return SymbolName((block[1] or block[2], *_parts(block[3] or "")))
    path, mark, name = text.partition("#")
    if mark and ("/" in path or "." in path) and name:
        return SymbolName(_parts(name), path)
    if match := _AT_LINE.fullmatch(text):
        return SymbolName((), match[1], int(match[2]))
    return SymbolName(_parts(text))


def _parts(name: str) -> tuple[str, ...]:
    name = name.replace("`", "").removesuffix(".")
    parts = [part for part in _SEPARATOR.split(_CALL.sub("", name)) if part]
    if len(parts) > 1 and parts[-1] in _CONSTRUCTORS:
        parts[-1] = _CONSTRUCTORS[parts[-1]] or parts[-2]
    return tuple(parts)


def matches(name: SymbolName, qualified: str, path: str) -> bool:
    """Whether a symbol has this name. Outer parts may be its classes, its file, its folders or its package."""
    own = qualified.split(".")
    wanted = list(name.parts)
    if len(wanted) <= len(own):
        return own[-len(wanted) :] == wanted
    if wanted[-len(own) :] != own:
        return False
    outer = wanted[: -len(own)]
    *folders, file = path.split("/")
    stem = file.split(".", 1)[0]
    places = [[*folders, stem], folders] if stem not in _UNNAMED_FILES else [folders, [*folders, stem]]
    return any(place[-len(outer) :] == outer for place in places)


def nearest_names(wanted: str, names: Iterable[str]) -> list[str]:
    """The names most similar to the wanted one, best first."""
    goal = wanted.lower()
    matcher = SequenceMatcher(b=goal, autojunk=False)
    rated = []
    for name in names:
        last = name.rpartition(".")[2].lower()
        matcher.set_seq1(last)
        if matcher.real_quick_ratio() < _NEAR or matcher.quick_ratio() < _NEAR:
            continue
        likeness = matcher.ratio()
        if likeness >= _NEAR:
            rated.append((-likeness, name))
    return [name for _, name in sorted(rated)[:_MOST_NEAR]]


def unresolved_name(language_family: str, name: str) -> str:
    """The key of `Relations.unresolved`: languages that do not call each other are counted apart."""
    return f"{language_family}:{name}"
