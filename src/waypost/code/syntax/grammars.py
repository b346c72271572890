"""Grammars and queries, loaded once on demand."""

import importlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query

_QUERIES = Path(__file__).parents[1] / "queries"
_INHERITS = "; inherits:"
_BESIDE_SYMBOLS = frozenset({"call", "doc", "import", "package", "string"})  # roles that no symbol's lines depend on
_CAPTURE = re.compile(r"(?<![\w\"])@([a-z_.]+)")
_PREDICATE = re.compile(r"\(#[^\n]{0,300}\)|;[^\n]*")

# Language → module of the grammar and its function.
_PLAIN = ("python", "javascript", "go", "rust", "java", "ruby", "c", "cpp", "kotlin", "sql")
_GRAMMARS = {name: (f"tree_sitter_{name}", "language") for name in _PLAIN} | {
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "php": ("tree_sitter_php", "language_php"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "shell": ("tree_sitter_bash", "language"),
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one query pattern matches."""

    role: str  # "call", "comment", "definition", "import", or the name of its only capture
    definition: str = ""  # the definition's capture: "definition.class", "definition"
    kind: str = ""  # the part after "definition."; empty if the pattern only adds to a definition


@dataclass(frozen=True, slots=True)
class Grammar:
    language: "Language"
    query: "Query"
    patterns: tuple[Pattern, ...]


def has_grammar(language: str) -> bool:
    return language in _GRAMMARS


def grammar_names() -> tuple[str, ...]:
    return tuple(_GRAMMARS)


@cache
def grammar(language: str, outline: bool = False) -> Grammar:
    """The grammar of a language and its query; for an `outline`, what finds symbols. Loading takes milliseconds, once."""
    from tree_sitter import Query

    loaded = syntax_of(language)
    text = f"{query_text(language)}\n(ERROR) @error\n"
    query = Query(loaded, text)
    source = text.encode()
    patterns = tuple(
        _pattern(source[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)].decode())
        for index in range(query.pattern_count)
    )
    for index, pattern in enumerate(patterns if outline else ()):
        if pattern.role in _BESIDE_SYMBOLS:
            query.disable_pattern(index)
    return Grammar(loaded, query, patterns)


@cache
def syntax_of(language: str) -> "Language":
    """What parses the language, without a query."""
    from tree_sitter import Language

    module, function = _GRAMMARS[language]
    return Language(getattr(importlib.import_module(module), function)())


def query_text(language: str) -> str:
    """The query of a language after those it inherits from (`; inherits: a, b` on its first line)."""
    text = (_QUERIES / f"{language}.scm").read_text("utf-8")
    first = text.partition("\n")[0]
    if not first.startswith(_INHERITS):
        return text
    names = first.removeprefix(_INHERITS).split(",")
    return "\n".join([*(query_text(name.strip()) for name in names), text])


def _pattern(source: str) -> Pattern:
    names = _CAPTURE.findall(_PREDICATE.sub("", source))
    for name in names:
        if name == "definition" or name.startswith("definition."):
            return Pattern("definition", name, name.removeprefix("definition").removeprefix("."))
    return Pattern(names[0].partition(".")[0] if names else "")
