"""The outline of a file: what relations need of it, small enough to be kept for every file.

It says which names the file defines, what it imports, calls and derives from, and what its variables hold where one
line tells. `Outline.to_json` and `from_json` give plain lists, for a store.
"""

import re
from dataclasses import dataclass
from sys import intern  # of all files of a tree most names are the same
from typing import Any

from waypost.code.resolve.bindings import bindings_of
from waypost.code.source import Parsed

_HEAD = re.compile(r"[$@]{0,2}\w+")
OUTLINE_FORMAT = 1  # raised when stored outlines must be made again


@dataclass(frozen=True, slots=True)
class Defined:
    """A symbol of the file."""

    name: str
    qualified: str
    kind: str
    parent: int  # place in `Outline.symbols`, or -1
    start: int  # first line of the definition
    end: int
    returns: str = ""
    bases: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brought:
    """An import, as in `waypost.code.source.Import`."""

    module: str
    name: str
    alias: str
    line: int


@dataclass(frozen=True, slots=True)
class Use:
    """A call. `owner` is the place of the calling symbol, or -1."""

    owner: int
    receiver: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable, parameter or field of `owner` (-1: the file), and the expression that tells what it holds.

    `Store()` stands for a value of that class, `make()` for what a function returns.
    """

    owner: int
    name: str
    holds: str


@dataclass(frozen=True, slots=True)
class Outline:
    language: str
    package: str = ""
    symbols: tuple[Defined, ...] = ()
    imports: tuple[Brought, ...] = ()
    uses: tuple[Use, ...] = ()
    bindings: tuple[Binding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Lists and strings only; `from_json` reads them again."""
        return {
            "format": OUTLINE_FORMAT,
            "language": self.language,
            "package": self.package,
            "symbols": [
                [
                    *(one.name, one.qualified, one.kind, one.parent, one.start, one.end, one.returns),
                    *(list(one.bases), list(one.parameters)),
                ]
                for one in self.symbols
            ],
            "imports": [[one.module, one.name, one.alias, one.line] for one in self.imports],
            "uses": [[one.owner, one.receiver, one.name, one.line] for one in self.uses],
            "bindings": [[one.owner, one.name, one.holds] for one in self.bindings],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Outline":
        """The outline that `to_json` wrote; one of another format is empty and must be made again."""
        if data.get("format") != OUTLINE_FORMAT:
            return cls(str(data.get("language", "")))
        return cls(
            language=data["language"],
            package=data["package"],
            symbols=tuple(
                Defined(
                    *(intern(name), qualified, intern(kind), parent, start, end, intern(returns)),
                    bases=tuple(map(intern, bases)),
                    parameters=tuple(map(intern, parameters)),
                )
                for name, qualified, kind, parent, start, end, returns, bases, parameters in data["symbols"]
            ),
            imports=tuple(
                Brought(intern(m), intern(name), intern(alias), line) for m, name, alias, line in data["imports"]
            ),
            uses=tuple(
                Use(owner, intern(receiver), intern(name), line) for owner, receiver, name, line in data["uses"]
            ),
            bindings=tuple(Binding(*row) for row in data["bindings"]),
        )


def outline(parsed: Parsed, text: str = "") -> Outline:
    """The outline of a parsed file. With its text, it also knows what variables hold."""
    symbols = tuple(
        Defined(
            name=symbol.name,
            qualified=symbol.qualified,
            kind=symbol.kind,
            parent=-1 if symbol.parent is None else symbol.parent,
            start=symbol.lines.start,
            end=symbol.lines.end,
            bases=symbol.bases,
            returns=symbol.returns or "",
            parameters=symbol.parameters,
        )
        for symbol in parsed.symbols
    )
    uses = _uses(parsed)
    heads = (_HEAD.match(use.receiver or use.name) for use in uses)
    asked = frozenset(head[0] for head in heads if head)
    return Outline(
        language=parsed.language,
        package=parsed.package,
        symbols=symbols,
        imports=tuple(Brought(one.module, one.name, one.alias, one.line) for one in parsed.imports),
        uses=tuple(uses),
        bindings=tuple(Binding(*row) for row in bindings_of(parsed, text, asked)),
    )


def _uses(parsed: Parsed) -> list[Use]:
    """Every call once for each symbol: the first line on which it stands."""
    uses: dict[tuple[int, str, str], Use] = {}
    for owner, calls in [(-1, parsed.calls), *((place, symbol.calls) for place, symbol in enumerate(parsed.symbols))]:
        for call in calls:
            uses.setdefault((owner, call.receiver, call.name), Use(owner, call.receiver, call.name, call.line))
    return list(uses.values())
