"""A file with its symbols indexed, so that describing one needs no search."""

import re
from collections import defaultdict

from waypost.code.source import Parsed, SourceFile, Symbol

_READ = 20_000  # characters of one symbol that are read
_READ_ON_ONE_LINE = 2000  # of a symbol that shares its line with others


def stem_of(path: str) -> str:
    """The file's name without its ending."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name.lstrip(".")


class SummaryView:
    """The lines of a file by number, and the symbols inside each symbol."""

    def __init__(self, source: SourceFile, parsed: Parsed) -> None:
        self.source = source
        self.parsed = parsed
        self._starts = [0, *(sign.end() for sign in re.finditer("\n", source.text)), len(source.text)]
        self._inside: defaultdict[int, list[Symbol]] = defaultdict(list)
        self._places: dict[tuple[int, str], int] = {}
        self._named: dict[str, Symbol] = {}
        for place, symbol in enumerate(parsed.symbols):
            self._places.setdefault((symbol.first_line, symbol.qualified), place)
            self._named.setdefault(symbol.name, symbol)
            if symbol.parent is not None:
                self._inside[symbol.parent].append(symbol)

    def text_of(self, symbol: Symbol) -> str:
        """Its code, or the beginning of it."""
        last = len(self._starts) - 1
        start, end = (self._starts[min(line, last)] for line in (symbol.lines.start - 1, symbol.lines.end))
        most = _READ if symbol.lines.end > symbol.lines.start else _READ_ON_ONE_LINE
        return self.source.text[start : min(end, start + most)]

    def inside(self, symbol: Symbol) -> list[Symbol]:
        """Its direct children."""
        place = self._places.get((symbol.first_line, symbol.qualified))
        return self._inside[place] if place is not None else []

    def named(self, name: str) -> Symbol | None:
        """The first symbol of this name."""
        return self._named.get(name)

    @property
    def top(self) -> list[Symbol]:
        """The symbols at top level or in a namespace."""
        symbols = self.parsed.symbols
        return [
            symbol
            for symbol in symbols
            if symbol.parent is None or (symbols[symbol.parent].kind == "module" and symbol.kind != "module")
        ]
