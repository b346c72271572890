"""One file, parsed: with a grammar, as a document, or by patterns. The only entry to all of them."""

from dataclasses import replace

from waypost.code.files.languages import is_document
from waypost.code.scip import descriptor, scip_prefix
from waypost.code.source import Call, Import, Parsed, SourceFile, Symbol
from waypost.code.syntax.grammars import has_grammar

_MOST_OPENED = 100
_COMPONENTS = frozenset({"vue", "svelte", "astro"})


def parse(source: SourceFile) -> Parsed:
    """What is in a file. Never fails on what the file says: what cannot be read is left out."""
    if has_grammar(source.language) and not _is_riddle(source.text):
        return _with_grammar(source)
    if source.language in _COMPONENTS:
        return _component(source)
    if is_document(source.language):
        from waypost.code.documents.parse import parse_document

        return parse_document(source)
    return _by_patterns(source)


def _is_riddle(text: str) -> bool:
    """Whether comments are opened again and again and never closed: grammars take minutes to find that out."""
    opened = text.count("/*")
    return opened > _MOST_OPENED and text.count("*/") * 2 < opened and text.count("/*\n") * 2 > opened


def _with_grammar(source: SourceFile) -> Parsed:
    from waypost.code.syntax.reader import read_source

    parsed = read_source(source)
    if parsed.symbols or not parsed.broken:
        return parsed
    guessed = _by_patterns(source)
    return replace(guessed, broken=True) if guessed.symbols else parsed


def _by_patterns(source: SourceFile) -> Parsed:
    from waypost.code.patterns.definitions import parse_by_patterns

    guessed = parse_by_patterns(source)
    prefix = scip_prefix(source.path, source.language)
    return replace(guessed, symbols=tuple(_with_ids(guessed.symbols, prefix)))


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
    """A Vue or Svelte component: a symbol of its own around those of its scripts."""
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
        symbols += _inside(symbols[0], len(symbols), parsed, scip_prefix(source.path, script.language))
        imports += parsed.imports
        calls += parsed.calls
        broken = broken or parsed.broken
    symbols[0] = replace(symbols[0], calls=tuple(sorted(calls, key=lambda call: call.line)))
    return Parsed(
        path=source.path,
        language=source.language,
        line_count=len(lines),
        symbols=tuple(symbols),
        imports=tuple(sorted(imports, key=lambda one: one.line)),
        doc=symbols[0].doc,
        broken=broken,
    )


def _inside(component: Symbol, offset: int, parsed: Parsed, prefix: str) -> list[Symbol]:
    """The symbols of one script, made part of the component; `offset` of them are before."""
    return [
        replace(
            symbol,
            qualified=f"{component.qualified}.{symbol.qualified}",
            parent=0 if symbol.parent is None else symbol.parent + offset,
            scip=component.scip + symbol.scip.removeprefix(prefix),
        )
        for symbol in parsed.symbols
    ]
