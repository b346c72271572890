"""Read a file of a language with a grammar."""

import importlib
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, cast

from waypost.code.scip import descriptor, scip_prefix
from waypost.code.source import Call, Import, Parsed, SourceFile, Symbol
from waypost.code.syntax.captures import Definition, SyntaxCaptures, capture
from waypost.code.syntax.comments import LeadingItem, LeadingItems, comment_text, file_doc
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.grammars import Grammar, grammar, syntax_of
from waypost.code.syntax.mentions import read_mentions
from waypost.code.syntax.nesting import NestedSymbol, innermost_symbols, nest
from waypost.code.syntax.rescue import rescue_definitions
from waypost.code.syntax.signatures import one_line, parameter_names, signature
from waypost.code.syntax.text import Captures, Text
from waypost.model.reference import LineRange

if TYPE_CHECKING:
    from tree_sitter import Tree

MAX_RETURNS = 200
MAX_DECORATOR = 200
MAX_BEFORE = 8  # nodes before the name in a declaration
_DIALECTS = {"javascript": "ecmascript", "typescript": "ecmascript", "tsx": "ecmascript", "cpp": "c"}
_OVERLOADING = frozenset({"java", "kotlin", "csharp", "cpp"})
_RETURN_MARKS = ":->= \t\r\n"


def read_source(source: SourceFile, tree: "Tree | None" = None) -> Parsed:
    """The symbols, imports and calls of a file. A broken file yields what could be read.

    With a tree of `syntax_tree`, only names, kinds and lines of symbols are read.
    """
    text = Text(source_bytes(source.text))
    outline = tree is not None
    rules, dialect = grammar(source.language, outline), _dialect(source.language)
    tree = _without_errors(rules, dialect, text.data, tree or syntax_tree(source.language, text.data))
    syntax = capture(rules, tree, text, overloads=source.language in _OVERLOADING)
    for definition in syntax.definitions:
        name = definition.first("name")
        definition.name = text.of(name) if name is not None else ""
    kept = [definition for definition in syntax.definitions if dialect.refine(definition, syntax)]
    kept = [definition for definition in kept if definition.name or definition.kind == "scope"]
    if dialect.finish is not None:
        kept = dialect.finish(kept, syntax)
    if dialect.rescue and "error" in syntax.others:
        kept += rescue_definitions(source, syntax, kept)
    leading = LeadingItems(syntax)
    placed = nest(kept, text)
    if outline:
        symbols = _symbols(source, placed, None, syntax, leading)
        return Parsed(
            source.path,
            source.language,
            text.line_count,
            symbols=tuple(_with_kinds(symbols, dialect)),
            broken=syntax.root.has_error,
        )
    calls, outside = _calls(syntax, placed)
    symbols = _with_kinds(_symbols(source, placed, calls, syntax, leading), dialect)
    imports = _imports(syntax, dialect)
    return Parsed(
        path=source.path,
        language=source.language,
        line_count=text.line_count,
        symbols=tuple(symbols),
        imports=tuple(imports),
        calls=tuple(outside),
        implementations=tuple(syntax.implementations),
        mentions=tuple(read_mentions(source.language, syntax, placed, symbols, imports)),
        doc=_doc(syntax, dialect, leading, symbols),
        package=_package(syntax),
        broken=syntax.root.has_error,
    )


def _with_kinds(symbols: list[Symbol], dialect: Dialect) -> list[Symbol]:
    if dialect.kind is None:
        return symbols
    kinds = [dialect.kind(symbol.kind, symbol.decorators) for symbol in symbols]
    return [s if s.kind == kind else replace(s, kind=kind) for s, kind in zip(symbols, kinds, strict=True)]


def syntax_tree(language: str, data: bytes) -> "Tree":
    from tree_sitter import Parser

    return Parser(syntax_of(language)).parse(data)


def _without_errors(rules: Grammar, dialect: Dialect, data: bytes, tree: "Tree") -> "Tree":
    """The tree, or one without what the grammar cannot parse."""
    from tree_sitter import Parser

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
    source: SourceFile,
    placed: list[NestedSymbol],
    calls: list[list[Call]] | None,
    syntax: SyntaxCaptures,
    leading: LeadingItems,
) -> list[Symbol]:
    prefix = scip_prefix(source.path, source.language)
    ids: list[str] = []
    counts: dict[str, int] = {}
    symbols: list[Symbol] = []
    for number, nested in enumerate(placed):
        definition = nested.definition
        above = prefix if nested.parent is None else ids[nested.parent]
        if nested.parent is None or definition.owner:
            outer = nested.qualified.split(".")[:-1] if nested.parent is None else []
            above += "".join(descriptor(part, "class") for part in outer)
        plain = above + descriptor(definition.name, definition.kind)
        repeated = counts[plain] = counts.get(plain, -1) + 1
        ids.append(above + descriptor(definition.name, definition.kind, repeated) if repeated else plain)
        symbols.append(_symbol(nested, None if calls is None else tuple(calls[number]), ids[-1], syntax, leading))
    return symbols


def _symbol(
    nested: NestedSymbol, calls: tuple[Call, ...] | None, scip: str, syntax: SyntaxCaptures, leading: LeadingItems
) -> Symbol:
    """The symbol. Without calls, only its outline."""
    definition, text = nested.definition, syntax.text
    begin = first = head = _head(definition)
    outer = definition.captures.get("outer")
    if outer is not None:
        first = min(first, *(node.start_byte for node in outer))
    above = leading.above(first)
    if above:
        first = above[0].start
    if "decorator" in definition.captures:
        begin = _start_after_decorators(definition, text, head)
    start = text.row(begin) + 1
    end = max(start, text.row(max(definition.start, definition.end - 1)) + 1)
    lines, first_line = LineRange(start, end), min(start, text.row(first) + 1)
    decorators = _decorators(definition, above, text)
    if calls is None:
        return Symbol(
            definition.name,
            nested.qualified,
            definition.kind,
            lines,
            first_line,
            parent=nested.parent,
            decorators=decorators,
            scip=scip,
        )
    body = definition.first("body")
    if definition.body is None and body is not None:
        definition.body = body.start_byte
    returns = definition.returns
    if returns is None and (node := definition.first("returns")) is not None:
        returns = one_line(text.of(node), MAX_RETURNS).lstrip(_RETURN_MARKS)
    parameters = definition.parameters
    return Symbol(
        name=definition.name,
        qualified=nested.qualified,
        kind=definition.kind,
        lines=lines,
        first_line=first_line,
        signature=definition.signature or signature(definition, text, leading, begin),
        parameters=parameter_names(definition, text) if parameters is None else tuple(parameters),
        returns=returns or None,
        doc=_leading_doc(above) if definition.doc is None else definition.doc,
        parent=nested.parent,
        bases=_bases(definition, text),
        decorators=decorators,
        calls=calls,
        scip=scip,
    )


def _head(definition: Definition) -> int:
    """Where `const f = …` begins. Not for the second name of one declaration."""
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


def _start_after_decorators(definition: Definition, text: Text, head: int) -> int:
    """Where the definition begins if it contains its decorators."""
    begin = head
    name = definition.first("name")
    limit = name.start_byte if name is not None else definition.end
    for node in definition.captures["decorator"]:
        if begin <= node.start_byte < limit:
            begin = max(begin, _skip_brackets(text.data, node.end_byte, limit))
    return begin


def _skip_brackets(data: bytes, position: int, limit: int) -> int:
    """The next byte of code after an annotation: not its bracket, not white space."""
    while position < limit and data[position : position + 1] in b") \t\r\n]":
        position += 1
    return position


def _decorators(definition: Definition, above: list[LeadingItem], text: Text) -> tuple[str, ...]:
    nodes = definition.captures.get("decorator")
    written = [item.text for item in above if not item.is_comment]
    if nodes:
        written += [text.of(node) for node in sorted(nodes, key=lambda node: node.start_byte)]
    return tuple(dict.fromkeys(one_line(decorator, MAX_DECORATOR).removeprefix("@") for decorator in written))


def _bases(definition: Definition, text: Text) -> tuple[str, ...]:
    nodes = definition.captures.get("base")
    return tuple(dict.fromkeys(one_line(text.of(node), MAX_RETURNS) for node in nodes)) if nodes else ()


def _leading_doc(above: list[LeadingItem]) -> str:
    return comment_text([item.text for item in above if item.is_comment]) if above else ""


def _calls(syntax: SyntaxCaptures, placed: list[NestedSymbol]) -> tuple[list[list[Call]], list[Call]]:
    read = sorted(syntax.calls, key=itemgetter(0))
    inside: list[list[Call]] = [[] for _ in placed]
    outside: list[Call] = []
    for owner, (_, call) in zip(innermost_symbols(placed, [position for position, _ in read]), read, strict=True):
        (outside if owner is None else inside[owner]).append(call)
    return inside, outside


def _imports(syntax: SyntaxCaptures, dialect: Dialect) -> list[Import]:
    read = dialect.imports or _plain_import
    imports: dict[Import, None] = {}
    bare: set[Import] = set()
    for captures in syntax.imports:
        statement_imports = read(captures, syntax)
        imports.update(dict.fromkeys(statement_imports))
        if "import.function" in captures:
            bare.update(imported for imported in statement_imports if not imported.alias and not imported.name)
    named = {(imported.module, imported.line) for imported in imports if imported.name or imported.alias}
    # `const a = require("b")` also matches as a call.
    kept = [imported for imported in imports if imported not in bare or (imported.module, imported.line) not in named]
    return sorted(kept, key=lambda imported: imported.line)


def _plain_import(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    parts = [text.of(captures[key][0]) if key in captures else "" for key in _IMPORT_PARTS]
    module, name, alias = ("".join(part.split()) for part in parts)
    return [Import(module, name, alias, text.line_of(captures["import"][0]))]


_IMPORT_PARTS = ("import.module", "import.name", "import.alias")


def _doc(syntax: SyntaxCaptures, dialect: Dialect, leading: LeadingItems, symbols: list[Symbol]) -> str:
    written = dialect.file_doc(syntax) if dialect.file_doc is not None else ""
    if written:
        return written
    first = min((symbol.first_line for symbol in symbols), default=syntax.text.line_count + 1)
    begin = syntax.text.row_start(first - 1) if symbols else len(syntax.text.data)
    inner = [captures["doc"][0] for captures in syntax.others.get("doc", ())]
    if inner:
        return comment_text([syntax.text.of(node).rstrip() for node in inner if node.start_byte < begin])
    return file_doc(syntax, leading, begin)


def _package(syntax: SyntaxCaptures) -> str:
    for captures in syntax.others.get("package", ()):
        return "".join(syntax.text.of(captures["package"][0]).split())
    return ""
