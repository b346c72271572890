"""Parse one file: with a grammar, as a document, or by patterns."""

from dataclasses import replace
from typing import TYPE_CHECKING

from waypost.code.files.languages import is_document
from waypost.code.scip import descriptor, scip_prefix
from waypost.code.source import COMPONENT_LANGUAGES, Call, Import, Parsed, SourceFile, Symbol
from waypost.code.syntax.grammars import has_grammar

if TYPE_CHECKING:
    from tree_sitter import Tree

_MOST_UNCLOSED = 100


def parse(source: SourceFile) -> Parsed:
    """The contents of a file. Never fails: what cannot be read is left out."""
    if has_grammar(source.language) and not _has_unclosed_comments(source.text):
        return _with_grammar(source)
    if source.language in COMPONENT_LANGUAGES:
        return _component(source)
    if is_document(source.language):
        from waypost.code.documents.parse import parse_document

        return parse_document(source)
    return _by_patterns(source)


def parse_outline(source: SourceFile) -> "tuple[Parsed, Tree | None]":
    """The symbols of a file by name, kind and lines, and its syntax tree if it has a grammar. The rest is left out."""
    if not has_grammar(source.language) or _has_unclosed_comments(source.text):
        return parse(source), None
    from waypost.code.syntax.reader import read_source, source_bytes, syntax_tree

    tree = syntax_tree(source.language, source_bytes(source.text))
    return _or_by_patterns(source, read_source(source, tree)), tree


def _has_unclosed_comments(text: str) -> bool:
    """Whether many comments are opened but not closed. Grammars take minutes on such files."""
    openings = text.count("/*")
    return openings > _MOST_UNCLOSED and text.count("*/") * 2 < openings and text.count("/*\n") * 2 > openings


def _with_grammar(source: SourceFile) -> Parsed:
    from waypost.code.syntax.reader import read_source

    return _or_by_patterns(source, read_source(source))


def _or_by_patterns(source: SourceFile, parsed: Parsed) -> Parsed:
    if parsed.symbols or not parsed.broken:
        return parsed
    by_patterns = _by_patterns(source)
    return replace(by_patterns, broken=True) if by_patterns.symbols else parsed


def _by_patterns(source: SourceFile) -> Parsed:
    from waypost.code.patterns.definitions import parse_by_patterns

    parsed = parse_by_patterns(source)
    prefix = scip_prefix(source.path, source.language)
    return replace(parsed, symbols=tuple(_with_ids(parsed.symbols, prefix)))


def _with_ids(symbols: tuple[Symbol, ...], prefix: str) -> list[Symbol]:
    named: list[Symbol] = []
    counts: dict[str, int] = {}
    for symbol in symbols:
        above = prefix if symbol.parent is None else named[symbol.parent].scip
        plain = above + descriptor(symbol.name, symbol.kind)
        counts[plain] = number = counts.get(plain, -1) + 1
        named.append(replace(symbol, scip=above + descriptor(symbol.name, symbol.kind, number)))
    return named


def _component(source: SourceFile) -> Parsed:
    """A Vue, Svelte or Astro component: one symbol around the symbols of its scripts."""
    from waypost.code.documents.parse import lines_of
    from waypost.code.embedded_scripts import component_symbol, scripts_of

    lines = lines_of(source.text)
    if not lines:
        return Parsed(source.path, source.language, 0)
    prefix = scip_prefix(source.path, source.language)
    symbols = [component_symbol(source)]
    symbols[0] = replace(symbols[0], scip=prefix + descriptor(symbols[0].name, symbols[0].kind))
    imports: list[Import] = []
    calls: list[Call] = list(symbols[0].calls)
    broken = False
    for script in scripts_of(source):
        parsed = _with_grammar(SourceFile(source.path, script.language, script.text))
        symbols += _script_symbols(symbols[0], len(symbols), parsed, scip_prefix(source.path, script.language))
        imports += parsed.imports
        calls += parsed.calls
        broken = broken or parsed.broken
    symbols[0] = replace(symbols[0], calls=tuple(sorted(calls, key=lambda call: call.line)))
    return Parsed(
        path=source.path,
        language=source.language,
        line_count=len(lines),
        symbols=tuple(symbols),
        imports=tuple(sorted(imports, key=lambda imported: imported.line)),
        doc=symbols[0].doc,
        broken=broken,
    )


def _script_symbols(component: Symbol, offset: int, parsed: Parsed, prefix: str) -> list[Symbol]:
    """The symbols of one script as part of the component. `offset` is the number of symbols before them."""
    return [
        replace(
            symbol,
            qualified=f"{component.qualified}.{symbol.qualified}",
            parent=0 if symbol.parent is None else symbol.parent + offset,
            scip=component.scip + symbol.scip.removeprefix(prefix),
        )
        for symbol in parsed.symbols
    ]
