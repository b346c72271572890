"""Which memories one file gives, and how each of them is found.

A symbol gives one card, a section of a document gives one, and every file gives one for itself. A card carries all
that is indexed, so that what stores it needs to know nothing about code:

    text       what people see: the lines of the source; of a class its own lines and the first ones of its methods
    embedded   what the engines read: short, in words that a question would use
    name, path, doc, body    the four columns of the keyword index, as raw text

Keep `embedded` and the columns with the memory: an index can then be made again without the file.

What is embedded says where a thing stands ("render of template, flask templating. Renders a template by name"): without
the words of the path the semantic half loses .05 NDCG@10, with parameters, calls, members or a generated sentence it
gains nothing (benchmarks/code_retrieval.md). The time to embed a tree goes with the tokens: these are 20 on average.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from waypost.code.documents.parse import lines_of
from waypost.code.source import CONTAINERS, DocumentSection, Parsed, SourceFile, Symbol
from waypost.model.reference import LineRange
from waypost.text.identifiers import identifier_parts

Describe = Callable[[Symbol, Parsed, SourceFile], str]

MOST_TEXT = 20_000  # characters of a card that people see
MOST_BODY = 200_000  # characters of a body that keywords find
DOC_CHARACTERS = 160  # of a description that is embedded: two sentences, 35 tokens
FILE_DOC_CHARACTERS = 200
SECTION_CHARACTERS = 200  # half of the time to embed Django went into 500 of each section of its documents
LISTED_NAMES = 30  # of a file, in what is embedded for it: 100 tokens
PATH_PARTS = 3  # the last ones of a path tell what it is about
ROOM = 4
DEEPEST = 12  # levels of symbols inside of symbols that are remembered
_LONGEST_QUALIFIED = 1_000
_LONGEST_NAME = 80  # characters of a name that are embedded
_LONGEST_DOC = 8_000  # of a docstring that is looked at

# Parts of paths that say nothing about what a file does.
_SILENT_PARTS = frozenset(("src", "lib", "main", "java", "kotlin", "packages", "source", "sources", "app", "pkg"))
_DATA_LANGUAGES = frozenset(("json", "yaml", "toml"))

_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n[ \t]*[:@]\w")  # an empty line, or the first field of a docstring
_ROLE = re.compile(r":\w{1,20}:`~?\.?([^`\n]{1,200})`")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Card:
    """One memory about a file: what it is called, where it stands, what it shows and how it is found."""

    kind: str  # "symbol", "section" or "file"
    name: str  # keyword column: the qualified name, the title, or the file's name
    qualified: str  # inside the file; "" for a file
    symbol_kind: str  # one of SYMBOL_KINDS; "" for sections and files
    lines: LineRange
    first_line: int
    text: str
    summary: str  # one line about it, for people
    embedded: tuple[str, ...]
    path: str
    doc: str
    body: str


def cards(source: SourceFile, parsed: Parsed, describe: Describe | None = None) -> tuple[Card, ...]:
    """The cards of a file: symbols and sections in their order, the file itself last.

    `describe` gives the summary of a symbol that has no documentation of its own. It is shown, not embedded: it says
    in other words what the name says, and makes the text twice as long without finding more.
    """
    lines = lines_of(source.text)
    inside: dict[int | None, list[Symbol]] = {}
    for symbol in parsed.symbols:
        inside.setdefault(symbol.parent, []).append(symbol)
    made = []
    room = ROOM * len(source.text) + MOST_BODY  # for all that symbols show: what is inside of others is shown twice
    for at, symbol in enumerate(parsed.symbols):
        if symbol.qualified.count(".", 0, _LONGEST_QUALIFIED) > DEEPEST or len(symbol.qualified) > _LONGEST_QUALIFIED:
            continue  # each holds all that is inside of it: a thousand levels would hold the file a thousand times
        own = _own_lines(symbol, lines, inside.get(at, ())) if room > 0 else lines[symbol.lines.start - 1]
        room -= len(own)
        said = _opening(symbol.doc, DOC_CHARACTERS)
        made.append(
            _symbol_card(source, symbol, own, said, said or (describe(symbol, parsed, source) if describe else ""))
        )
    made += [_section_card(source, section, lines) for section in parsed.sections]
    made.append(_file_card(source, parsed, lines))
    return tuple(made)


def _own_lines(symbol: Symbol, lines: Sequence[str], inside: Sequence[Symbol]) -> str:
    end = min(symbol.lines.end, len(lines))
    if symbol.kind in CONTAINERS:
        return "\n".join(_skeleton(lines, symbol.first_line, end, inside))
    return "\n".join(lines[symbol.first_line - 1 : end])


def _symbol_card(source: SourceFile, symbol: Symbol, body: str, said: str, summary: str) -> Card:
    return Card(
        kind="symbol",
        name=symbol.qualified,
        qualified=symbol.qualified,
        symbol_kind=symbol.kind,
        lines=symbol.lines,
        first_line=symbol.first_line,
        text=body[:MOST_TEXT],
        summary=summary,
        embedded=(_symbol_sentence(symbol, source.path, said),),
        path=source.path,
        doc=symbol.doc,
        body=body[:MOST_BODY],
    )


def _symbol_sentence(symbol: Symbol, path: str, said: str) -> str:
    """`read of config store, waypost config. Reads the settings …`"""
    outer = symbol.qualified.rpartition(".")[0]
    named = words_of(symbol.name) or symbol.name[:_LONGEST_NAME]
    inside = f" of {words_of(outer)}" if outer else ""
    return f"{named}{inside}, {path_words(path)}. {said[:DOC_CHARACTERS]}".strip()


def _section_card(source: SourceFile, section: DocumentSection, lines: Sequence[str]) -> Card:
    body = "\n".join(lines[section.lines.start - 1 : section.lines.end])
    told = 0 if source.language in _DATA_LANGUAGES else SECTION_CHARACTERS
    return Card(
        kind="section",
        name=section.title,
        qualified=section.title,
        symbol_kind="",
        lines=section.lines,
        first_line=section.lines.start,
        text=body[:MOST_TEXT],
        summary=section.title,
        embedded=(f"{section.title[:200]}, {path_words(source.path)}. {_one_line(body[: 4 * told], told)}".strip(),),
        path=source.path,
        doc="",
        body=body[:MOST_BODY],
    )


def _file_card(source: SourceFile, parsed: Parsed, lines: Sequence[str]) -> Card:
    top = [symbol for symbol in parsed.symbols if symbol.parent is None]
    # Sections cover their whole document: its own card then has only what it says of itself.
    loose = [] if parsed.sections else list(_outside(lines, 1, len(lines), top))
    names = [symbol for symbol in top if symbol.kind != "constant"] or top
    listed = ", ".join(words_of(symbol.name) for symbol in names[:LISTED_NAMES])
    file_name = source.path.rpartition("/")[2]
    told = _opening(parsed.doc, FILE_DOC_CHARACTERS)
    embedded = f"{path_words(source.path)}: {told}. {listed}"
    return Card(
        kind="file",
        name=file_name.rpartition(".")[0] or file_name,
        qualified="",
        symbol_kind="",
        lines=LineRange(1, max(len(lines), 1)),
        first_line=1,
        text=_outline(source, parsed)[:MOST_TEXT],
        summary=told,
        embedded=(embedded[: 4 * 256].strip(". :"),) if embedded.strip(". :") else (file_name,),
        path=source.path,
        doc=parsed.doc,
        body="\n".join(loose)[:MOST_BODY],
    )


def _outline(source: SourceFile, parsed: Parsed) -> str:
    """A file at a glance: what it says of itself, and what is in it with line numbers."""
    told = [source.path, *([parsed.doc[:_LONGEST_DOC]] if parsed.doc else [])]
    told += [f"{section.lines.start}: {section.title}" for section in parsed.sections]
    told += [
        f"{symbol.lines.start}: {'    ' * symbol.qualified.count('.')}{symbol.signature or symbol.name}"
        for symbol in parsed.symbols
    ]
    if not parsed.sections and not parsed.symbols:
        told.append(source.text)
    return "\n".join(told)


def _outside(lines: Sequence[str], start: int, end: int, inside: Sequence[Symbol]) -> Iterator[str]:
    """The lines from start to end that belong to none of these symbols."""
    position = start
    for symbol in sorted(inside, key=lambda one: one.first_line):
        yield from lines[position - 1 : symbol.first_line - 1]
        position = max(position, symbol.lines.end + 1)
    yield from lines[position - 1 : end]


def _skeleton(lines: Sequence[str], start: int, end: int, inside: Sequence[Symbol]) -> Iterator[str]:
    """The lines of a class with its methods cut to their first line."""
    position = start
    for symbol in sorted(inside, key=lambda one: one.first_line):
        yield from lines[position - 1 : max(position, symbol.first_line) - 1]
        if symbol.lines.start >= position:
            yield from lines[symbol.lines.start - 1 : symbol.lines.start]
        position = max(position, symbol.lines.end + 1)
    yield from lines[position - 1 : end]


def words_of(name: str) -> str:
    """The words inside a name or a path, in lower case: `HTTPServer.handleRequest` is `http server handle request`."""
    return " ".join(part.lower() for word in _WORD.findall(name[:_LONGEST_NAME]) for part in identifier_parts(word))


def path_words(path: str) -> str:
    """What a path says about its file: the words of its last parts without those that every path has."""
    directory, _, file_name = path.rpartition("/")
    stem = file_name.split(".")[0] or file_name
    parts = [part for part in directory.split("/") if part and part.lower() not in _SILENT_PARTS]
    return words_of(" ".join([*parts[1 - PATH_PARTS :], stem]))


def _opening(doc: str, most: int) -> str:
    """The first paragraph of a documentation, without the marks of markup, at most so many characters."""
    paragraph = _PARAGRAPH.split(doc[:_LONGEST_DOC].strip(), maxsplit=1)[0]
    return _one_line(_ROLE.sub(r"\1", paragraph).replace("`", ""), most)


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most].rpartition(" ")[0] or line[:most]
