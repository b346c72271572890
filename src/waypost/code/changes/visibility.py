"""Which definitions are public, by the rules of the language (visibility.toml)."""

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from waypost.code.source import Parsed, Symbol

_WORD = re.compile(r"#|[\w$]+(?:\(\w+\))?")
_EXPORT = re.compile(r"^[ \t]{0,8}export\s", re.MULTILINE)
_LISTED = re.compile(
    r"^[ \t]{0,8}(?:export[ \t]+(?:type[ \t]+)?|(?:module\.)?exports[ \t]*=[ \t]*)\{([^{}]{0,20000})\}", re.MULTILINE
)
_DEFAULT = re.compile(r"^[ \t]{0,8}export[ \t]+(?:default|=)[ \t]+([\w$]{1,200})", re.MULTILINE)
_ASSIGNED = re.compile(r"\bexports(?:\.([\w$]{1,200}))?[ \t]*=[ \t]*(?:new[ \t]+)?([\w$]{1,200})?")
_CHAIN = re.compile(r"\b([\w$]{1,200})[ \t]*=[ \t]*(?:(?:module\.)?exports[ \t]*=[ \t]*){1,3}")
_NAME = re.compile(r"[\w$]{1,200}")
_MOST_SECTIONS = 50  # sections above a member that are checked
_TRAIT_IMPL = re.compile(r"\s*(?:unsafe\s+)?impl\b[^{;]{0,400}\bfor\b")
_IMPL = re.compile(r"\s*(?:unsafe\s+)?impl\b")


@dataclass(frozen=True, slots=True)
class _Rule:
    names: str
    needs: frozenset[str]
    forbids: frozenset[str]
    open: frozenset[str]
    sections: frozenset[str]
    closed: frozenset[str]
    exports: bool


@cache
def _rule(language: str) -> _Rule:
    table: dict[str, dict[str, Any]] = tomllib.loads(
        files("waypost.code.changes").joinpath("visibility.toml").read_text(encoding="utf-8")
    )
    entry = table.get(language, table["default"])
    entry = table[entry["like"]] if "like" in entry else entry
    words = {key: frozenset(entry.get(key, ())) for key in ("needs", "forbids", "open", "sections", "closed")}
    return _Rule(names=entry.get("names", ""), exports=entry.get("exports", False), **words)


class Visibility:
    """Visibility of the symbols of one file."""

    def __init__(self, parsed: Parsed, lines: Sequence[str]) -> None:
        self._parsed, self._lines = parsed, lines
        self._rule = _rule(parsed.language)
        self._known: dict[int, bool] = {}

    def is_public(self, place: int) -> bool:
        """Whether code outside the file (in Go, the package) can use the symbol and everything around it."""
        enclosing: int | None = place
        around: list[int] = []
        while enclosing is not None and enclosing not in self._known:
            around.append(enclosing)
            enclosing = self._parsed.symbols[enclosing].parent  # always an earlier one, so this ends
        above = enclosing is None or self._known[enclosing]
        for index in reversed(around):
            above = self._known[index] = above and self._is_visible(self._parsed.symbols[index])
        return self._known[place]

    def is_exported(self, symbol: Symbol) -> bool:
        """Whether the definition itself says `export`."""
        first = self._line(symbol.lines.start)
        return self._rule.exports and symbol.parent is None and first.lstrip().startswith("export ")

    def _is_visible(self, symbol: Symbol) -> bool:
        rule, parent = self._rule, symbol.parent
        around = self._parsed.symbols[parent].kind if parent is not None else ""
        if not self._name_is_open(symbol):
            return False
        words = frozenset(_WORD.findall(symbol.signature.partition("(")[0][:300]))
        if "pub(crate)" in symbol.signature or "pub(super)" in symbol.signature or "cfg(test)" in symbol.decorators:
            return False
        if rule.forbids & words:
            return False
        if rule.needs and around not in rule.open and not rule.needs & words:
            return self._is_of_trait(symbol)
        if rule.sections and parent is not None and not self._section_is_open(symbol, around):
            return False
        return not rule.exports or parent is not None or self._is_exported(symbol)

    def _name_is_open(self, symbol: Symbol) -> bool:
        name = symbol.name
        if self._rule.names == "capital":
            return name[:1].isupper() and all(part[:1].isupper() for part in symbol.qualified.split("."))
        if self._rule.names == "underscore":
            is_special = name.startswith("__") and name.endswith("__")
            return is_special or not name.startswith(("_", "#"))
        return not name.startswith("#")

    def _line(self, number: int) -> str:
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def _is_of_trait(self, symbol: Symbol) -> bool:
        """Rust: functions of `impl Trait for Type` are as public as the trait."""
        if self._parsed.language != "rust" or symbol.parent is None:
            return False
        before = bisect_right(self._impl_lines, symbol.first_line) - 1
        return before >= 0 and _TRAIT_IMPL.match(self._line(self._impl_lines[before])[:500]) is not None

    @cached_property
    def _impl_lines(self) -> list[int]:
        return [number for number, line in enumerate(self._lines, start=1) if _IMPL.match(line[:200])]

    @cached_property
    def _section_lines(self) -> list[int]:
        return [number for number, line in enumerate(self._lines, start=1) if line.strip() in self._rule.sections]

    def _section_is_open(self, symbol: Symbol, around: str) -> bool:
        """Whether the nearest `private` or `public:` above the member is public."""
        assert symbol.parent is not None
        first = self._parsed.symbols[symbol.parent].lines.start
        indent = len(self._line(symbol.lines.start)) - len(self._line(symbol.lines.start).lstrip())
        if "self." in symbol.signature[:12]:
            return True  # Ruby: sections do not apply to class methods
        before = bisect_left(self._section_lines, symbol.first_line)
        for number in reversed(self._section_lines[max(0, before - _MOST_SECTIONS) : before]):
            line = self._line(number)
            if number >= first and len(line) - len(line.lstrip()) <= indent:
                return line.strip().startswith("public")
        return around not in self._rule.closed

    def _is_exported(self, symbol: Symbol) -> bool:
        line = self._line(symbol.lines.start).lstrip()
        if line.startswith(("export ", "exports.", "module.exports", "declare ")):
            return True
        if self._line(symbol.lines.start)[:1] in (" ", "\t"):
            return False  # inside an anonymous function: a callback
        return self._exported is None or symbol.qualified.split(".")[0] in self._exported

    @cached_property
    def _exported(self) -> frozenset[str] | None:
        """The exported names, or None if the file exports nothing, such as a script."""
        text = "\n".join(self._lines)
        names: set[str] = set()
        for pattern in (_LISTED, _DEFAULT, _CHAIN):
            for match in pattern.finditer(text):
                names.update(_NAME.findall(match[1]))
        for match in _ASSIGNED.finditer(text):
            names.update(name for name in match.groups() if name)
        return frozenset(names) if names or _EXPORT.search(text) or "exports" in text else None
