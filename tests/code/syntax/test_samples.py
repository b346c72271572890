"""One sample per language, read as a whole. The tables beside the samples contain the expected results."""

from pathlib import Path

import pytest

from waypost.code.parse import parse
from waypost.code.source import CONTAINERS, SYMBOL_KINDS, Call, Parsed, SourceFile, Symbol
from waypost.code.syntax.grammars import grammar_names

SAMPLES = Path(__file__).with_name("samples")


def read(language: str) -> Parsed:
    return parse(SourceFile(f"src/{language}", language, (SAMPLES / f"{language}.txt").read_text("utf-8")))


@pytest.mark.parametrize("language", grammar_names())
def test_a_sample_gives_the_symbols_of_its_table(language: str) -> None:
    assert rendered(read(language)) == (SAMPLES / f"{language}.table").read_text("utf-8")


@pytest.mark.parametrize("language", grammar_names())
def test_symbols_are_in_order_and_inside_of_their_parents(language: str) -> None:
    parsed = read(language)
    starts = [symbol.lines.start for symbol in parsed.symbols]
    assert starts == sorted(starts)
    for number, symbol in enumerate(parsed.symbols):
        assert symbol.kind in SYMBOL_KINDS
        assert symbol.first_line <= symbol.lines.start <= symbol.lines.end <= parsed.line_count
        assert symbol.qualified.endswith(symbol.name)
        if symbol.parent is not None:
            parent = parsed.symbols[symbol.parent]
            assert symbol.parent < number
            assert symbol.qualified.startswith(f"{parent.qualified}.")
            assert symbol.lines.end <= parent.lines.end or parent.kind in CONTAINERS


@pytest.mark.parametrize("language", grammar_names())
def test_functions_have_ids_of_their_own(language: str) -> None:
    ids = [symbol.scip for symbol in read(language).symbols if symbol.kind in {"function", "method", "property"}]
    assert len(ids) == len(set(ids))


def rendered(parsed: Parsed) -> str:
    """A file as a table: kind, name, lines (with those of decorators and comments), signature; then the rest."""
    lines = [f"doc {parsed.doc!r}" if parsed.doc else "", f"package {parsed.package}" if parsed.package else ""]
    lines += ["broken"] if parsed.broken else []
    for imported in parsed.imports:
        alias = f" as {imported.alias}" if imported.alias else ""
        lines.append(
            f"import {imported.module}{f' : {imported.name}' if imported.name else ''}{alias}  @{imported.line}"
        )
    for symbol in parsed.symbols:
        lines += _symbol(symbol)
    lines.append(f"outside {_calls(parsed.calls)}" if parsed.calls else "")
    return "\n".join(line for line in lines if line) + "\n"


def _symbol(symbol: Symbol) -> list[str]:
    where = f"{symbol.first_line}:{symbol.lines.start}-{symbol.lines.end}"
    details = {
        "parameters": ", ".join(symbol.parameters),
        "returns": symbol.returns or "",
        "bases": ", ".join(symbol.bases),
        "decorators": ", ".join(symbol.decorators),
        "doc": repr(symbol.doc) if symbol.doc else "",
        "calls": _calls(symbol.calls),
    }
    head = f"{symbol.kind:<9} {symbol.qualified:<24} {where:<9} | {symbol.signature}"
    return [head, *(f"          {name} {value}" for name, value in details.items() if value)]


def _calls(calls: tuple[Call, ...]) -> str:
    return " ".join(f"{call.receiver + '→' if call.receiver else ''}{call.name}@{call.line}" for call in calls)
