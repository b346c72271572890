"""The summary of a file: its purpose, and a line for each definition."""

from dataclasses import dataclass

from waypost.code.source import CONTAINERS, FUNCTIONS, Parsed, SourceFile, Symbol
from waypost.code.summary.purpose import purpose
from waypost.code.summary.sentences import shortened
from waypost.code.summary.structure import describe
from waypost.code.summary.view import SummaryView

MOST_LINES = 40  # classes, functions and sections each
LONGEST_LINE = 200  # characters of the one-line form


@dataclass(frozen=True, slots=True)
class SymbolSummary:
    """A definition by its name in the file, and what it is or does."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    path: str
    purpose: str
    classes: tuple[SymbolSummary, ...] = ()
    functions: tuple[SymbolSummary, ...] = ()
    sections: tuple[str, ...] = ()  # of documents
    left_out: int = 0  # definitions that did not fit

    @property
    def line(self) -> str:
        """The purpose on one line."""
        return shortened(" ".join(self.purpose.split()), LONGEST_LINE)

    @property
    def text(self) -> str:
        """The form for people: PURPOSE, CLASSES, FUNCTIONS."""
        lines = [f"PURPOSE: {self.purpose}"]
        for title, things in (("CLASSES", self.classes), ("FUNCTIONS", self.functions)):
            if things:
                lines += [f"{title}:", *(f"  - {thing.name}: {thing.text}".rstrip(": ") for thing in things)]
        if self.sections:
            lines += ["SECTIONS:", *(f"  - {title}" for title in self.sections)]
        if self.left_out:
            lines.append(f"  … and {self.left_out} more")
        return "\n".join(lines)


def summarise(source: SourceFile, parsed: Parsed) -> Summary:
    """Summarise a file without a language model."""
    view = SummaryView(source, parsed)
    classes, functions, sections, left_out = summary_contents(parsed)
    return Summary(
        parsed.path,
        purpose(view),
        tuple(SymbolSummary(symbol.qualified, describe(symbol, view)) for symbol in classes),
        tuple(SymbolSummary(symbol.qualified, describe(symbol, view)) for symbol in functions),
        sections,
        left_out,
    )


def summary_contents(parsed: Parsed) -> tuple[list[Symbol], list[Symbol], tuple[str, ...], int]:
    """The classes, functions and titles that a summary names, in file order, and how many it leaves out."""
    outer = _top_symbols(parsed)
    classes = [symbol for symbol in outer if symbol.kind in CONTAINERS]
    functions = [symbol for symbol in outer if symbol.kind in FUNCTIONS]
    titles = list(dict.fromkeys(section.title for section in parsed.sections if section.title.strip()))
    kept = [_most_important(classes), _most_important(functions)]
    left_out = len(classes) + len(functions) - sum(map(len, kept)) + max(0, len(titles) - MOST_LINES)
    return kept[0], kept[1], tuple(titles[:MOST_LINES]), left_out


def _top_symbols(parsed: Parsed) -> list[Symbol]:
    hidden: list[bool] = []  # whether nested symbols are local; a parent comes before its children
    outer: list[Symbol] = []
    for symbol in parsed.symbols:
        inside = symbol.parent is not None and hidden[symbol.parent]
        hidden.append(inside or symbol.kind not in CONTAINERS)
        if not inside:
            outer.append(symbol)
    return outer


def _most_important(symbols: list[Symbol]) -> list[Symbol]:
    """If not all fit: public before private, outer before inner, documented before undocumented."""
    if len(symbols) <= MOST_LINES:
        return symbols
    order = sorted(
        range(len(symbols)),
        key=lambda at: (symbols[at].name.startswith("_"), symbols[at].qualified.count("."), not symbols[at].doc, at),
    )
    return [symbols[at] for at in sorted(order[:MOST_LINES])]
