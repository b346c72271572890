"""The outline of a file: what resolving relations needs, small enough to store for every file.

It has the definitions, imports, calls and base classes, and what variables contain where one line says it.
`Outline.to_json` and `from_json` convert to plain lists for storage.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from operator import attrgetter
from sys import intern  # most names recur across files
from typing import Any

from waypost.code.resolve.bindings import bindings_of, parameter_types
from waypost.code.resolve.families import family, lookup_rules
from waypost.code.source import FUNCTIONS, Implementation, Mention, Parsed
from waypost.code.syntax.arguments import VARIABLE

_HEAD = re.compile(r"[$@]{0,2}\w+")
_SYMBOL_ROW = attrgetter("name", "qualified", "kind", "parent", "start", "end", "returns", "bases", "parameters")
_IMPORT_ROW = attrgetter("module", "name", "alias", "line")
_BINDING_ROW = attrgetter("owner", "name", "holds")
OUTLINE_FORMAT = 2  # increase it when stored outlines must be rebuilt


@dataclass(frozen=True, slots=True)
class OutlineSymbol:
    name: str
    qualified: str
    kind: str
    parent: int  # index in `Outline.symbols`, or -1
    start: int  # first line of the definition
    end: int
    returns: str = ""
    bases: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # of its parameters, if it is overloaded


@dataclass(frozen=True, slots=True)
class OutlineImport:
    """An import, as in `waypost.code.source.Import`."""

    module: str
    name: str
    alias: str
    line: int


@dataclass(frozen=True, slots=True)
class Use:
    """A call, or another mention of a name. `owner` is the index of the symbol that contains it, or -1."""

    owner: int
    receiver: str
    name: str
    lines: tuple[int, ...]  # every line with this use, in order
    is_call: bool = True
    arguments: int = -1  # as in `waypost.code.source.Call`
    kinds: str = ""  # as there


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable, parameter or field of `owner` (-1: the file), and an expression for its value.

    `Store()` stands for an instance of that class, `make()` for what a function returns.
    """

    owner: int
    name: str
    holds: str


@dataclass(frozen=True, slots=True)
class Outline:
    language: str
    package: str = ""
    symbols: tuple[OutlineSymbol, ...] = ()
    imports: tuple[OutlineImport, ...] = ()
    uses: tuple[Use, ...] = ()
    bindings: tuple[Binding, ...] = ()
    implementations: tuple[Implementation, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON rows in the order of the fields. `from_json` reads them."""
        return {
            "format": OUTLINE_FORMAT,
            "language": self.language,
            "package": self.package,
            "symbols": list(map(_SYMBOL_ROW, self.symbols)),
            "imports": list(map(_IMPORT_ROW, self.imports)),
            "uses": [[use.owner, use.receiver, use.name, *use.lines] for use in self.uses if use.is_call],
            "arguments": _without_end([use.arguments for use in self.uses if use.is_call], -1),
            "kinds": _without_end([use.kinds for use in self.uses if use.is_call], ""),
            "types": [[number, *symbol.types] for number, symbol in enumerate(self.symbols) if symbol.types],
            "mentions": [[use.owner, use.receiver, use.name, *use.lines] for use in self.uses if not use.is_call],
            "bindings": list(map(_BINDING_ROW, self.bindings)),
            "implementations": list(self.implementations),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Outline":
        """Read what `to_json` wrote. An outline of another format is empty and must be rebuilt."""
        if data.get("format") != OUTLINE_FORMAT:
            return cls(str(data.get("language", "")))
        types = {number: tuple(map(intern, kinds)) for number, *kinds in data["types"]}
        return cls(
            language=data["language"],
            package=data["package"],
            symbols=tuple(
                OutlineSymbol(
                    *(intern(name), qualified, intern(kind), parent, start, end, intern(returns)),
                    bases=tuple(map(intern, bases)),
                    parameters=tuple(map(intern, parameters)),
                    types=types.get(number, ()),
                )
                for number, (name, qualified, kind, parent, start, end, returns, bases, parameters) in enumerate(
                    data["symbols"]
                )
            ),
            imports=tuple(
                OutlineImport(intern(m), intern(name), intern(alias), line) for m, name, alias, line in data["imports"]
            ),
            uses=(
                *(
                    Use(owner, intern(receiver), intern(name), tuple(lines), arguments=arguments, kinds=intern(kinds))
                    for (owner, receiver, name, *lines), arguments, kinds in zip(
                        data["uses"],
                        chain(data["arguments"], repeat(-1)),
                        chain(data["kinds"], repeat("")),
                        strict=False,
                    )
                ),
                *(
                    Use(owner, intern(receiver), intern(name), tuple(lines), is_call=False)
                    for owner, receiver, name, *lines in data["mentions"]
                ),
            ),
            bindings=tuple(Binding(*row) for row in data["bindings"]),
            implementations=tuple(Implementation(*row) for row in data["implementations"]),
        )


def _without_end(values: list[Any], unknown: object) -> list[Any]:
    """Facts about arguments without unknown ones at the end: most languages have no others."""
    while values and values[-1] == unknown:
        values.pop()
    return values


def outline(parsed: Parsed, text: str = "") -> Outline:
    """The outline of a parsed file. What variables contain is included only with `text`."""
    names = Counter((symbol.qualified, symbol.kind) for symbol in parsed.symbols)
    symbols = tuple(
        OutlineSymbol(
            name=symbol.name,
            qualified=symbol.qualified,
            kind=symbol.kind,
            parent=-1 if symbol.parent is None else symbol.parent,
            start=symbol.lines.start,
            end=symbol.lines.end,
            bases=symbol.bases,
            returns=symbol.returns or "",
            parameters=symbol.parameters,
            types=parameter_types(parsed.language, symbol) if names[symbol.qualified, symbol.kind] > 1 else (),
        )
        for symbol in parsed.symbols
    )
    mentions = [mention for mention in parsed.mentions if not mention.on_object]
    on_objects = [mention for mention in parsed.mentions if mention.on_object]
    bound = list(bindings_of(parsed, text, _variables(_uses(parsed, mentions)) | _objects(on_objects)))
    uses = _uses(parsed, [*mentions, *_of_known_types(parsed, on_objects, bound)])
    superfluous = _objects(on_objects) - _variables(uses)
    return Outline(
        language=parsed.language,
        package=parsed.package,
        symbols=symbols,
        imports=tuple(
            OutlineImport(imported.module, imported.name, imported.alias, imported.line) for imported in parsed.imports
        ),
        uses=tuple(uses),
        bindings=tuple(Binding(owner, name, holds) for owner, name, holds in bound if holds or name not in superfluous),
        implementations=parsed.implementations,
    )


def _variables(uses: Iterable[Use]) -> frozenset[str]:
    """The variables whose content decides what is used."""
    heads = (_HEAD.match(use.receiver or use.name) for use in uses)
    names = frozenset(head[0] for head in heads if head)
    return names | {kind[1:] for use in uses for kind in use.kinds.split(",") if kind.startswith(VARIABLE)}


def _objects(mentions: Iterable[Mention]) -> frozenset[str]:
    """The variables and fields whose members are mentioned: of `self.config.port`, `self` and `config`."""
    return frozenset(step for mention in mentions for step in (*mention.receiver.split(".", 2)[:2], mention.name))


def _of_known_types(
    parsed: Parsed, mentions: Iterable[Mention], bound: Iterable[tuple[int, str, str]]
) -> Iterator[Mention]:
    """The mentions of members of objects whose type the file shows, without its own fields."""
    bindings = {(owner, name): holds for owner, name, holds in bound}
    members = {symbol.name for symbol in parsed.symbols if symbol.kind in ("method", "property", "constant")}
    own = lookup_rules(family(parsed.language)).own
    for mention in mentions:
        head, _, rest = mention.receiver.partition(".")
        scope = mention.owner
        if head in own:
            field = rest.partition(".")[0] or mention.name
            while scope >= 0 and parsed.symbols[scope].kind in FUNCTIONS:
                above = parsed.symbols[scope].parent
                scope = -1 if above is None else above
            holds = bindings.get((scope, field))
            if holds if rest else holds is None or mention.name in members:
                yield mention
            continue
        while scope >= 0 and (scope, head) not in bindings:
            above = parsed.symbols[scope].parent
            scope = -1 if above is None else above
        if bindings.get((scope, head)):
            yield mention


def _uses(parsed: Parsed, read: Iterable[Mention]) -> list[Use]:
    """Every call and mention once per symbol, with its lines. A mention on the line of such a call is part of it."""
    uses: dict[tuple[int, str, str, int, str], dict[int, None]] = {}
    for owner, calls in [(-1, parsed.calls), *((place, symbol.calls) for place, symbol in enumerate(parsed.symbols))]:
        for call in calls:
            uses.setdefault((owner, call.receiver, call.name, call.arguments, call.kinds), {})[call.line] = None
    called = {(owner, name, line) for (owner, _, name, *_), lines in uses.items() for line in lines}
    mentions: dict[tuple[int, str, str], dict[int, None]] = {}
    for owner, receiver, name, line, _ in read:
        if (owner, name, line) not in called:
            mentions.setdefault((owner, receiver, name), {})[line] = None
    return [
        *(Use(*key[:3], tuple(lines), arguments=key[3], kinds=key[4]) for key, lines in uses.items()),
        *(Use(*key, tuple(lines), is_call=False) for key, lines in mentions.items()),
    ]
