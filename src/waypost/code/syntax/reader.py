"""A file of a language with a grammar, read into `Parsed`."""

import importlib
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, cast

from waypost.code.scip import descriptor, scip_prefix
from waypost.code.source import Call, Import, Parsed, SourceFile, Symbol
from waypost.code.syntax.captures import Definition, SyntaxCaptures, capture
from waypost.code.syntax.comments import Leading, Margins, comment_text, file_doc
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.grammars import Grammar, grammar
from waypost.code.syntax.nesting import NestedSymbol, owners, place
from waypost.code.syntax.rescue import rescued
from waypost.code.syntax.signatures import one_line, parameter_names, signature
from waypost.code.syntax.text import Captures, Text
from waypost.model.reference import LineRange

if TYPE_CHECKING:
    from tree_sitter import Tree

MAX_RETURNS = 200
MAX_DECORATOR = 200
MAX_BEFORE = 8  # nodes before the name in a declaration
_DIALECTS = {"javascript": "ecmascript", "typescript": "ecmascript", "tsx": "ecmascript", "cpp": "c"}
_RETURN_MARKS = ":->= \t\r\n"


def read_source(source: SourceFile) -> Parsed:
    """The symbols, imports and calls of a file. A broken file gives what could be read of it."""
    text = Text(source_bytes(source.text))
    rules, dialect = grammar(source.language), _dialect(source.language)
    tree = _tree(rules, dialect, text.data)
    found = capture(rules, tree, text)
    for definition in found.definitions:
        name = definition.first("name")
        definition.name = text.of(name) if name is not None else ""
    kept = [one for one in found.definitions if dialect.refine(one, found)]
    kept = [one for one in kept if one.name or one.kind == "scope"]
    if dialect.finish is not None:
        kept = dialect.finish(kept, found)
    if dialect.rescue and "error" in found.others:
        kept += rescued(source, found, kept)
    margins = Margins(found)
    placed = place(kept, text)
    calls, outside = _calls(found, placed)
    symbols = _symbols(source, placed, calls, found, margins)
    if dialect.kind is not None:
        symbols = [
            replace(one, kind=kind) if (kind := dialect.kind(one.kind, one.decorators)) != one.kind else one
            for one in symbols
        ]
    return Parsed(
        path=source.path,
        language=source.language,
        line_count=text.line_count,
        symbols=tuple(symbols),
        imports=tuple(_imports(found, dialect)),
        calls=tuple(outside),
        doc=_doc(found, dialect, margins, symbols),
        package=_package(found),
        broken=found.root.has_error,
    )


def _tree(rules: Grammar, dialect: Dialect, data: bytes) -> "Tree":
    from tree_sitter import Parser

    tree = Parser(rules.language).parse(data)
    if dialect.mask is None or not tree.root_node.has_error:
        return tree
    masked = dialect.mask(data)
    return tree if masked == data else Parser(rules.language).parse(masked)


def source_bytes(text: str) -> bytes:
    """UTF-8 for the parser. NUL ends a file for some grammars, and lone surrogates have no encoding."""
    data = text.encode("utf-8", "replace")
    if b"\0" in data:
        data = data.replace(b"\0", b" ")
    return data


@cache
def _dialect(language: str) -> Dialect:
    module = importlib.import_module(f"{__package__}.dialects.{_DIALECTS.get(language, language)}")
    return cast("Dialect", module.DIALECT)


def _symbols(
    source: SourceFile, placed: list[NestedSymbol], calls: list[list[Call]], found: SyntaxCaptures, margins: Margins
) -> list[Symbol]:
    prefix = scip_prefix(source.path, source.language)
    ids: list[str] = []
    counts: dict[str, int] = {}
    symbols: list[Symbol] = []
    for number, one in enumerate(placed):
        definition = one.definition
        above = prefix if one.parent is None else ids[one.parent]
        if one.parent is None or definition.owner:
            outer = one.qualified.split(".")[:-1] if one.parent is None else []
            above += "".join(descriptor(part, "class") for part in outer)
        plain = above + descriptor(definition.name, definition.kind)
        repeated = counts[plain] = counts.get(plain, -1) + 1
        ids.append(above + descriptor(definition.name, definition.kind, repeated) if repeated else plain)
        symbols.append(_symbol(one, tuple(calls[number]), ids[-1], found, margins))
    return symbols


def _symbol(one: NestedSymbol, calls: tuple[Call, ...], scip: str, found: SyntaxCaptures, margins: Margins) -> Symbol:
    definition, text = one.definition, found.text
    begin = first = head = _head(definition)
    outer = definition.captures.get("outer")
    if outer is not None:
        first = min(first, *(node.start_byte for node in outer))
    above = margins.above(first)
    if above:
        first = above[0].start
    if "decorator" in definition.captures:
        begin = _behind_decorators(definition, text, head)
    body = definition.first("body")
    if definition.body is None and body is not None:
        definition.body = body.start_byte
    returns = definition.returns
    if returns is None and (node := definition.first("returns")) is not None:
        returns = one_line(text.of(node), MAX_RETURNS).lstrip(_RETURN_MARKS)
    start = text.row(begin) + 1
    end = max(start, text.row(max(definition.start, definition.end - 1)) + 1)
    parameters = definition.parameters
    return Symbol(
        name=definition.name,
        qualified=one.qualified,
        kind=definition.kind,
        lines=LineRange(start, end),
        first_line=min(start, text.row(first) + 1),
        signature=definition.signature or signature(definition, text, margins, begin),
        parameters=parameter_names(definition, text) if parameters is None else tuple(parameters),
        returns=returns or None,
        doc=_leading_doc(above) if definition.doc is None else definition.doc,
        parent=one.parent,
        bases=_bases(definition, text),
        decorators=_decorators(definition, above, text),
        calls=calls,
        scip=scip,
    )


def _head(definition: Definition) -> int:
    """Where `const f = …` begins; not for the second name of one declaration."""
    head = definition.first("head")
    if head is None or head.start_byte >= definition.start:
        return definition.start
    node = head
    while node.start_byte <= definition.start:
        inside = None
        for index in range(min(node.named_child_count, MAX_BEFORE)):
            child = node.named_child(index)
            if child is not None and child.type == definition.node.type:
                return head.start_byte if child.start_byte == definition.start else definition.start
            if child is not None and child.start_byte <= definition.start < child.end_byte:
                inside = child
        if inside is None:
            break
        node = inside
    return definition.start


def _behind_decorators(definition: Definition, text: Text, head: int) -> int:
    """Where the definition itself begins when decorators are inside of it."""
    begin = head
    name = definition.first("name")
    limit = name.start_byte if name is not None else definition.end
    for node in definition.captures["decorator"]:
        if begin <= node.start_byte < limit:
            begin = max(begin, _after(text.data, node.end_byte, limit))
    return begin


def _after(data: bytes, position: int, limit: int) -> int:
    """The next byte of code behind an annotation: not its bracket, not white space."""
    while position < limit and data[position : position + 1] in b") \t\r\n]":
        position += 1
    return position


def _decorators(definition: Definition, above: list[Leading], text: Text) -> tuple[str, ...]:
    nodes = definition.captures.get("decorator")
    written = [item.text for item in above if not item.is_comment]
    if nodes:
        written += [text.of(node) for node in sorted(nodes, key=lambda node: node.start_byte)]
    return tuple(dict.fromkeys(one_line(one, MAX_DECORATOR).removeprefix("@") for one in written)) if written else ()


def _bases(definition: Definition, text: Text) -> tuple[str, ...]:
    nodes = definition.captures.get("base")
    return tuple(dict.fromkeys(one_line(text.of(node), MAX_RETURNS) for node in nodes)) if nodes else ()


def _leading_doc(above: list[Leading]) -> str:
    return comment_text([item.text for item in above if item.is_comment]) if above else ""


def _calls(found: SyntaxCaptures, placed: list[NestedSymbol]) -> tuple[list[list[Call]], list[Call]]:
    read = sorted(found.calls, key=itemgetter(0))
    inside: list[list[Call]] = [[] for _ in placed]
    outside: list[Call] = []
    for owner, (_, call) in zip(owners(placed, [position for position, _ in read]), read, strict=True):
        (outside if owner is None else inside[owner]).append(call)
    return inside, outside


def _imports(found: SyntaxCaptures, dialect: Dialect) -> list[Import]:
    read = dialect.imports or _plain_import
    imports: dict[Import, None] = {}
    bare: set[Import] = set()
    for captures in found.imports:
        one_statement = read(captures, found)
        imports.update(dict.fromkeys(one_statement))
        if "import.function" in captures:
            bare.update(one for one in one_statement if not one.alias and not one.name)
    named = {(one.module, one.line) for one in imports if one.name or one.alias}
    # `const a = require("b")` is found as a call, too.
    kept = [one for one in imports if one not in bare or (one.module, one.line) not in named]
    return sorted(kept, key=lambda one: one.line)


def _plain_import(captures: Captures, found: SyntaxCaptures) -> list[Import]:
    text = found.text
    parts = [text.of(captures[key][0]) if key in captures else "" for key in _IMPORT_PARTS]
    module, name, alias = ("".join(part.split()) for part in parts)
    return [Import(module, name, alias, text.line_of(captures["import"][0]))]


_IMPORT_PARTS = ("import.module", "import.name", "import.alias")


def _doc(found: SyntaxCaptures, dialect: Dialect, margins: Margins, symbols: list[Symbol]) -> str:
    written = dialect.file_doc(found) if dialect.file_doc is not None else ""
    if written:
        return written
    first = min((symbol.first_line for symbol in symbols), default=found.text.line_count + 1)
    begin = found.text.row_start(first - 1) if symbols else len(found.text.data)
    inner = [captures["doc"][0] for captures in found.others.get("doc", ())]
    if inner:
        return comment_text([found.text.of(node).rstrip() for node in inner if node.start_byte < begin])
    return file_doc(found, margins, begin)


def _package(found: SyntaxCaptures) -> str:
    for captures in found.others.get("package", ()):
        return "".join(found.text.of(captures["package"][0]).split())
    return ""
