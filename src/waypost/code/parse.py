"""One file, parsed: with a grammar, as a document, or by patterns. The only entry to all of them."""

from dataclasses import replace

from waypost.code.source import Parsed, Source
from waypost.code.syntax.grammars import has_grammar

_DOCUMENTS = frozenset({"markdown", "yaml", "toml", "json"})
_WITH_SCRIPTS = frozenset({"vue", "svelte"})


def parse(source: Source) -> Parsed:
    """What is in a file. Never fails on what the file says: what cannot be read is left out."""
    if has_grammar(source.language):
        return _with_grammar(source)
    from waypost.code.documents import parse_document
    from waypost.code.patterns import parse_by_patterns

    if source.language in _DOCUMENTS:
        return parse_document(source)
    return parse_by_patterns(source)


def _with_grammar(source: Source) -> Parsed:
    from waypost.code.syntax.reader import read_source

    parsed = read_source(source)
    if parsed.symbols or not parsed.broken:
        return parsed
    from waypost.code.patterns import parse_by_patterns

    guessed = parse_by_patterns(source)
    return replace(guessed, broken=True) if guessed.symbols else parsed
