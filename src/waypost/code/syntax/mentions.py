"""Names in code that are not called: types, functions passed as values, constants.

Only names that may be symbols of the repository are read: those of the file, imported ones and, where a package shares
its names between files, capitalised ones. Comments, quoted text, imports, bases and the names of definitions are not.
"""

import re
from collections.abc import Iterator, Sequence

from waypost.code.resolve.families import family
from waypost.code.source import Import, Mention, Symbol
from waypost.code.syntax.captures import SyntaxCaptures
from waypost.code.syntax.nesting import NestedSymbol, innermost_symbols

MOST_MENTIONS = 20_000  # of one file
_PATH = re.compile(rb"(?<![\w$.@:>\\])([A-Za-z_][\w$]*+)(?:(?:\.|::)[A-Za-z_][\w$]*)*+")
_DECORATED = re.compile(rb"(?<=@)([A-Za-z_][\w$]*+)(?:\.[A-Za-z_][\w$]*)*+")
_AFTER = re.compile(rb"[ \t]*(\(|!\(|!\[|!\{|:(?!:)|=(?![=>])|<-)?")
_SEPARATOR = re.compile(r"\.|::")
# Families in which files see each other's names without an import, or import all names of a package.
_SHARED = frozenset({"go", "jvm", "dotnet", "ruby", "rust", "php", "kotlin"})
_KEYS = frozenset({"python", "ecmascript", "ruby", "kotlin", "go", "rust", "php"})  # `name:` is no use of a name


def read_mentions(
    language: str,
    syntax: SyntaxCaptures,
    placed: list[NestedSymbol],
    symbols: Sequence[Symbol],
    imports: Sequence[Import],
) -> Iterator[Mention]:
    group = family(language)
    names = {
        symbol.name.encode() for symbol in symbols if symbol.parent is None or symbol.kind not in ("method", "property")
    }
    for imported in imports:
        bound = imported.alias or imported.name or re.split(r"\W+", imported.module.rstrip("/"))[-1]
        names.add(bound.encode())
        names.add(imported.module.split(".", 1)[0].encode())
    data = _code_only(syntax)
    any_type = group in _SHARED
    read: list[tuple[int, str, bytes]] = []
    for pattern in (_PATH, _DECORATED) if b"@" in data else (_PATH,):
        for match in pattern.finditer(data):
            path, head = match[0], match[1]
            is_type = head[:1].isupper()
            if head not in names and not (any_type and is_type):
                continue
            after = _AFTER.match(data, match.end())
            follows = after[1] if after is not None else None
            if follows == b":" and len(path) == len(head) and not is_type and group in _KEYS:
                continue
            if follows == b"=" and len(path) == len(head) and not is_type:
                continue
            called = follows is not None and follows[:1] in b"(!" and follows != b"="
            if len(path) > len(head) and not called:
                read.append((match.start(), path.decode("utf-8", "replace"), head))
            if not (called and len(path) == len(head)):
                read.append((match.start(), head.decode("utf-8", "replace"), head))
            if len(read) > MOST_MENTIONS:
                break
    read.sort(key=lambda mention: mention[0])
    definitions = {node.start_byte for nested in placed if (node := nested.definition.first("name")) is not None}
    owners = innermost_symbols(placed, [position for position, _, _ in read])
    for owner, (position, written, head) in zip(owners, read, strict=True):
        if position in definitions or (not head[:1].isupper() and _is_parameter(symbols, owner, head.decode())):
            continue
        *receiver, name = _SEPARATOR.split(written)
        line = syntax.text.row(position) + 1
        yield Mention(-1 if owner is None else owner, ".".join(receiver), name, line)


def _code_only(syntax: SyntaxCaptures) -> bytes:
    """The file with comments, quoted text, imports and bases blanked out. Positions stay."""
    data = bytearray(syntax.text.data)
    ranges = [*syntax.strings, *((start, end) for end, start in syntax.comment_starts.items())]
    ranges += [(node.start_byte, node.end_byte) for captures in syntax.imports for node in captures["import"]]
    for definition in syntax.definitions:
        ranges += [(node.start_byte, node.end_byte) for node in definition.captures.get("base", ())]
    for start, end in ranges:
        data[start:end] = b" " * (end - start)
    return bytes(data)


def _is_parameter(symbols: Sequence[Symbol], owner: int | None, name: str) -> bool:
    while owner is not None:
        if name in symbols[owner].parameters:
            return True
        owner = symbols[owner].parent
    return False
