"""What to do with each node kind of a grammar when building a shape. The tables are in ignored_syntax.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from waypost.model.shape import LIST, word_code
from waypost.model.shape import PREFIX as PREFIX_MARK

_DATA = Path(__file__).with_name("ignored_syntax.toml")

# Actions for a node.
PLAIN, DROP, NOTE, CLEAR, ALONE, COMMA, SIGN, BAR, STRING, JOINED, CONTENT, PREFIX, NUMBER, LOWER, WORDS, STATEMENT = (
    range(16)
)
LOOSE = 16  # a string next to strings that contain code
MACRO = 17  # a text without syntax that can end with a comment
_SIGNS = {",": COMMA, ";": SIGN, "|": BAR}
_LISTED = (("drop", DROP), ("clear", CLEAR), ("alone", ALONE), ("numbers", NUMBER), ("lower", LOWER), ("macros", MACRO))
_BY_NAME = {"concatenated_string": JOINED, "string_start": PREFIX, "string_end": DROP, "jsx_text": WORDS}
_CONTENTS = frozenset({"string_content", "string_fragment", "heredoc_content", "heredoc_body", "template_chars"})


@dataclass(frozen=True, slots=True)
class ShapePlan:
    """Actions by the number of a node kind. Unparsed text has a number that is in no table."""

    actions: dict[int, int]
    codes: tuple[int, ...]  # of the mark for a node of this kind
    keep: dict[int, frozenset[int]]  # children that count, by kind of parent
    omit: dict[int, frozenset[int]]
    only: dict[int, frozenset[int]]  # kinds without a mark if their only child is one of these
    final: frozenset[int]  # signs after these do not count
    pairs: frozenset[int]  # kinds whose first child is a key that may be quoted
    wraps: frozenset[int]  # codes of marks around a definition and its decorators
    imports: frozenset[int]  # codes of marks whose order does not count
    annotations: dict[int, frozenset[int]]  # children that do not count, by kind of parent
    valued: frozenset[int]  # kinds whose annotation counts if they have no value
    functions: frozenset[int]
    signatures: frozenset[int]
    docs: bool
    quotes: bool


@cache
def plan_for(language: str, typed: bool = False) -> ShapePlan:
    """The plan of a language; type annotations count only if `typed`."""
    from waypost.code.syntax.grammars import syntax_of

    kinds = syntax_of(language)
    rules = rules_of(language, typed)
    names = [kinds.node_kind_for_id(number) or "" for number in range(kinds.node_kind_count)]
    named = [bool(kinds.node_kind_is_named(number)) for number in range(kinds.node_kind_count)]
    numbers: dict[str, set[int]] = {}
    for number, name in enumerate(names):
        numbers.setdefault(name, set()).add(number)

    def listed(key: str) -> frozenset[int]:
        return frozenset(number for name in rules.get(key, ()) for number in numbers.get(name, ()))

    same: dict[str, str] = rules.get("same", {})
    return ShapePlan(
        actions={number: _action(name, named[number], rules) for number, name in enumerate(names)},
        codes=tuple(
            _mark_code(same.get(name, name))
            | LIST * (name in rules.get("lists", ()))
            | PREFIX_MARK * (name in rules.get("prefixes", ()))
            for name in names
        ),
        keep=_children(rules.get("keep", {}), numbers),
        omit=_children(rules.get("omit", {}), numbers),
        only=_children(rules.get("only", {}), numbers),
        final=listed("final"),
        pairs=frozenset(numbers.get("pair", ()) if rules.get("quotes") and not rules.get("docs") else ()),
        wraps=frozenset(_mark_code(name) for name in rules.get("wraps", ())),
        imports=frozenset(_mark_code(name) for name in rules.get("imports", ())),
        annotations=_children(rules.get("annotations", {}), numbers),
        valued=listed("valued"),
        functions=listed("functions"),
        signatures=listed("signatures"),
        docs=bool(rules.get("docs")),
        quotes=bool(rules.get("quotes")),
    )


def rules_of(language: str, typed: bool = False) -> dict[str, Any]:
    """The rules of a language, including inherited and common ones."""
    tables = _tables()
    rules: dict[str, Any] = {}

    def merge(table: dict[str, Any]) -> None:
        for key, value in table.items():
            before = rules.get(key)
            if key == "untyped":
                if not typed:
                    merge(value)
            elif isinstance(value, list):
                rules[key] = [*(before or ()), *value]
            elif isinstance(value, dict):
                rules[key] = {**(before or {}), **value}
            else:
                rules[key] = value

    chain = [language]
    while (above := tables.get(chain[-1], {}).get("like")) and len(chain) < 5:
        chain.append(above)
    for name in ["any", *reversed(chain)]:
        merge(tables.get(name, {}))
    return rules


def _mark_code(name: str) -> int:
    return word_code(b"\0" + name.encode())


def _action(name: str, named: bool, rules: dict[str, Any]) -> int:
    if not named:
        return DROP if name in rules["signs"] else _SIGNS.get(name, PLAIN)
    if name.endswith("comment"):
        return NOTE
    for key, action in _LISTED:
        if name in rules.get(key, ()):
            return action
    if name.startswith(rules.get("keywords", "\0")):
        return LOWER
    if rules.get("docs") and name == "expression_statement":
        return STATEMENT
    return _string_action(name)


def _string_action(name: str) -> int:
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in _CONTENTS or name.endswith(("_string_content", "_literal_content")):
        return CONTENT
    return STRING if "string" in name and not name.endswith(("array", "type", "fragment")) else PLAIN


def _children(table: dict[str, list[str]], numbers: dict[str, set[int]]) -> dict[int, frozenset[int]]:
    return {
        parent: frozenset(number for child in children for number in numbers.get(child, ()))
        for name, children in table.items()
        for parent in numbers.get(name, ())
    }


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
