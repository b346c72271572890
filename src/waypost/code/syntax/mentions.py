"""Names in code that are not called: types, functions and methods passed as values, constants, properties that are read.

Only names that may be symbols of the repository are read: those of the file, imported ones and, where a package shares
its names between files, capitalised ones; and members of objects. Comments, quoted text, imports, bases and the names of
definitions are not.
"""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain, pairwise
from typing import NamedTuple

from waypost.code.resolve.families import family
from waypost.code.source import Import, Mention, Symbol
from waypost.code.syntax.captures import SyntaxCaptures
from waypost.code.syntax.nesting import NestedSymbol, innermost_symbols

MOST_MENTIONS = 20_000  # of one file
_PATH = re.compile(rb"(?<![\w$.@:>\\#])([A-Za-z_][\w$]*+)(?:(?:[?!]?\.|::)#?[A-Za-z_][\w$]*)*+")
_DECORATED = re.compile(rb"(?<=@)([A-Za-z_][\w$]*+)(?:\.[A-Za-z_][\w$]*)*+")
_AFTER = re.compile(rb"[ \t]*(\(|!\(|!\[|!\{|:(?!:)|=(?![=>])|<-)?")
_ENDS_VALUE = b",)};\r\n"  # after a method that is passed as a value
_METHOD = b"Method"  # where there is no head, it is no parameter
_NAMED_METHODS = {
    "php": (
        re.compile(
            rb"[\[(]\s{0,9}(?P<owner>\$?[\w\\]{1,200})(?:::class)?\s{0,9},\s{0,9}(?P<names>[\"']\w{1,100}[\"'])\s{0,9},?\s{0,9}[\])]"
        ),
    ),
    "ruby": (
        re.compile(rb"(?:\b(?P<owner>\w{1,100})\.)?\bmethod\(\s?(?P<names>:\w{1,100}[?!]?)\s?\)"),
        re.compile(
            rb"^[ \t]*(?P<owner>)(?:(?:prepend_|append_|skip_)?(?:before|after|around)_\w{1,30}|validate|helper_method)"
            rb"[ \t(]+(?P<names>:(?:(?!\b(?:on|only|except):)[^\n#{]){1,300})",
            re.MULTILINE,
        ),
    ),
    "kotlin": (re.compile(rb"(?<![\w)\]>?:])(?P<owner>)(?P<names>::(?!class\b)\w{1,100})"),),
}
_NAME = re.compile(rb"(?:(?<![\w:]):|[\"']|::)(\w+[?!]?)")
_SIGN = re.compile(rb"[?!]?\.#?|::#?")
_SEPARATOR = re.compile(r"[?!]?\.|::")
# Families in which files see each other's names without an import, or import all names of a package.
_SHARED = frozenset({"go", "jvm", "dotnet", "ruby", "rust", "php", "kotlin"})
_KEYS = frozenset({"python", "ecmascript", "ruby", "kotlin", "go", "rust", "php"})  # `name:` is no use of a name

_FIELDS_WITH_AT = frozenset({"ruby", "php"})  # an at sign is no decorator
_HIDDEN: dict[str, tuple[str, ...]] = {
    "kotlin": ("method",),
    "ruby": (),
}  # kinds of members that need an object or brackets
# Families in which methods without brackets are values, or properties look like fields.
_OBJECTS = frozenset({"python", "ecmascript", "csharp", "kotlin", "go"})


def read_mentions(
    language: str,
    syntax: SyntaxCaptures,
    placed: list[NestedSymbol],
    symbols: Sequence[Symbol],
    imports: Sequence[Import],
) -> Iterator[Mention]:
    hidden = _HIDDEN.get(language, ("method", "property"))
    names = {symbol.name.encode() for symbol in symbols if symbol.parent is None or symbol.kind not in hidden}
    for imported in imports:
        bound = imported.alias or imported.name or re.split(r"\W+", imported.module.rstrip("/"))[-1]
        names.add(bound.encode())
        names.add(imported.module.split(".", 1)[0].encode())
    data = _code_only(syntax)
    # The body of a Python class can name its methods: `size = property(_get_size)`.
    members = {(symbol.parent, symbol.name) for symbol in symbols} if language == "python" else set()
    own = {name.encode() for _, name in members} - names
    any_type = family(language) in _SHARED or any(imported.name == "*" for imported in imports)
    read = [
        *_read_paths(language, data, names, own, any_type=any_type),
        *_named_methods(language, data, syntax.text.data),
    ]
    read.sort(key=lambda mention: mention.start)
    definitions = {node.start_byte for nested in placed if (node := nested.definition.first("name")) is not None}
    owners = innermost_symbols(placed, [path.start for path in read])
    for owner, path in zip(owners, read, strict=True):
        if path.start in definitions or (
            path.head in own and not path.on_object and (owner, path.written) not in members
        ):
            continue
        is_parameter = not path.head[:1].isupper() and _is_parameter(symbols, owner, path.head.decode())
        *receiver, name = _SEPARATOR.split(path.written)
        if not is_parameter or receiver:
            line = syntax.text.row(path.start) + 1
            yield Mention(
                -1 if owner is None else owner, ".".join(receiver), name, line, path.on_object or is_parameter
            )


class _Path(NamedTuple):
    """A dotted name in code."""

    start: int
    written: str
    head: bytes
    on_object: bool = False  # as in `Mention`


def _read_paths(language: str, data: bytes, names: Set[bytes], alone: Set[bytes], *, any_type: bool) -> Iterator[_Path]:
    """The paths that begin with one of these names, with a type or an object; and names that may stand alone."""
    group = family(language)
    has_members = bool({group, language} & _OBJECTS)
    count = 0
    for match in chain.from_iterable(
        pattern.finditer(data)
        for pattern in ((_PATH, _DECORATED) if b"@" in data and group not in _FIELDS_WITH_AT else (_PATH,))
    ):
        path, head = match[0], match[1]
        is_type = head[:1].isupper()
        if head not in names and not (any_type and is_type):
            if has_members and len(path) > len(head):
                count += 1
                member = _member(language, data, match)
                for inner in (*_capitalised_parts(path), *((member,) if member else ())):
                    yield _Path(match.start(), inner.decode("utf-8", "replace"), head, on_object=True)
            elif head in alone and data[match.end() : match.end() + 1] in _ENDS_VALUE:
                yield _Path(match.start(), head.decode("utf-8", "replace"), head)
        else:
            after = _AFTER.match(data, match.end())
            follows = after[1] if after is not None else None
            is_alone = len(path) == len(head)
            if is_alone and not is_type and (follows == b"=" or (follows == b":" and group in _KEYS)):
                continue
            called = follows is not None and follows[:1] in b"(!" and follows != b"="
            for inner in () if is_alone else _capitalised_parts(path):
                count += 1
                yield _Path(match.start(), inner.decode("utf-8", "replace"), head)
            if not is_alone and not called:
                yield _Path(match.start(), path.decode("utf-8", "replace"), head)
            if not (called and is_alone):
                count += 1
                yield _Path(match.start(), head.decode("utf-8", "replace"), head)
        if count > MOST_MENTIONS:
            return


def _capitalised_parts(path: bytes) -> Iterator[bytes]:
    """The types and constants on a path, which are used as well: `shop.Cart` of `shop.Cart.open`."""
    if path.count(b".") + path.count(b"::") < 2:
        return
    signs = list(_SIGN.finditer(path))
    for before, after in pairwise(signs):
        if path[before.end() : before.end() + 1].isupper():
            yield path[: after.start()]


def _member(language: str, data: bytes, match: re.Match[bytes]) -> bytes:
    """The path up to a member of an object that is read or passed as a value, or nothing."""
    path, end = match[0], match.end()
    if data.startswith(b"(", end):  # called, but `this.save.bind(this)` is a value
        path, _, last = path.rpartition(b".")
        path = path if last == b"bind" and family(language) == "ecmascript" else b""
    elif language == "go" and data[end : end + 1] not in _ENDS_VALUE:  # Go has no properties
        return b""
    return path if len(path) > len(match[1]) else b""


def _named_methods(language: str, data: bytes, text: bytes) -> Iterator[_Path]:
    """Methods that are named in a text or with a sign: `[$this, "save"]`, `method(:save)`, `before_action :check`, `::save`."""
    for pattern in _NAMED_METHODS.get(language, ()):
        for match in pattern.finditer(text):
            if data[match.start()] != text[match.start()]:  # in a comment
                continue
            owner = (match["owner"] or b"").decode("utf-8", "replace")
            for name in _NAME.finditer(text, *match.span("names")):
                written = f"{owner}.{name[1].decode()}" if owner else name[1].decode()
                yield _Path(match.start(), written, _METHOD, bool(owner) and not owner[0].isupper())


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
