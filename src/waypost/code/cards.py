"""Cards: the memories that one file produces, with everything needed to index them.

Each symbol, each document section and the file itself gives one card:

    text       what people see: source lines; for a class its own lines and the first line of each method
    embedded   what the embedding model reads: short, in words that a question would use
    name, path, doc, body    the four columns of the keyword index, as raw text

Store `embedded` and the columns with the memory: then the index can be rebuilt without the file.

The embedded text names the place ("render of template, flask templating. Renders a template by name"). Without
the path, semantic search loses .05 NDCG@10. Parameters, calls, members or generated sentences add nothing
(benchmarks/code_retrieval.md). Embedding time grows with the tokens: 20 on average.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from waypost.code.documents.parse import lines_of
from waypost.code.source import CONTAINERS, DocumentSection, Parsed, SourceFile, Symbol
from waypost.code.summary.sentences import documented, first_sentences
from waypost.model.reference import LineRange
from waypost.text.identifiers import identifier_parts

MOST_TEXT = 20_000  # characters of a card shown to people
MOST_BODY = 200_000  # characters of a body in the keyword index
DOC_CHARACTERS = 160  # embedded characters of a description: two sentences, 35 tokens
FILE_DOC_CHARACTERS = 200
SECTION_CHARACTERS = 200  # 500 per section took half of the time to embed Django
LISTED_NAMES = 30  # names listed in the embedded text of a file: 100 tokens
PATH_PARTS = 3  # the last ones say what a file is about
ROOM = 4  # budget for symbol texts, as a multiple of the file's size
DEEPEST = 12  # levels of nested symbols that get a card
_LONGEST_QUALIFIED = 1_000
_LONGEST_NAME = 80  # embedded characters of a name
_LONGEST_DOC = 8_000  # characters of a docstring that are read

# Path parts that say nothing about a file.
_UNINFORMATIVE_PARTS = frozenset(
    ("src", "lib", "main", "java", "kotlin", "packages", "source", "sources", "app", "pkg")
)
_DATA_LANGUAGES = frozenset(("json", "yaml", "toml"))

_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n[ \t]*[:@]\w")  # an empty line, or the first field of a docstring
_ROLE = re.compile(r":\w{1,20}:`~?\.?([^`\n]{1,200})`")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One memory about a file."""

    kind: str  # "symbol", "section" or "file"
    name: str  # keyword column: the qualified name, title or file name
    qualified: str = ""  # within the file; "" for a file
    symbol_kind: str = ""  # one of SYMBOL_KINDS; "" for sections and files
    lines: LineRange
    first_line: int
    text: str
    summary: str  # whole sentences of the author's documentation, or ""
    embedded: tuple[str, ...]
    path: str
    doc: str = ""
    body: str


def cards(source: SourceFile, parsed: Parsed) -> tuple[Card, ...]:
    """The cards of a file: symbols and sections in order, then the file itself."""
    lines = lines_of(source.text)
    inside: dict[int | None, list[Symbol]] = {}
    for symbol in parsed.symbols:
        inside.setdefault(symbol.parent, []).append(symbol)
    made = []
    room = ROOM * len(source.text) + MOST_BODY  # nested symbols are shown twice
    for at, symbol in enumerate(parsed.symbols):
        if symbol.qualified.count(".", 0, _LONGEST_QUALIFIED) > DEEPEST or len(symbol.qualified) > _LONGEST_QUALIFIED:
            continue  # each symbol contains its nested ones: a thousand levels would store the file a thousand times
        own = _own_lines(symbol, lines, inside.get(at, ())) if room > 0 else lines[symbol.lines.start - 1]
        room -= len(own)
        made.append(_symbol_card(source, symbol, own))
    made += [_section_card(source, section, lines) for section in parsed.sections]
    made.append(_file_card(source, parsed, lines))
    return tuple(made)


def _own_lines(symbol: Symbol, lines: Sequence[str], inside: Sequence[Symbol]) -> str:
    end = min(symbol.lines.end, len(lines))
    if symbol.kind in CONTAINERS:
        return "\n".join(_skeleton(lines, symbol.first_line, end, inside))
    return "\n".join(lines[symbol.first_line - 1 : end])


def _symbol_card(source: SourceFile, symbol: Symbol, body: str) -> Card:
    return Card(
        kind="symbol",
        name=symbol.qualified,
        qualified=symbol.qualified,
        symbol_kind=symbol.kind,
        lines=symbol.lines,
        first_line=symbol.first_line,
        text=body[:MOST_TEXT],
        summary=documented(symbol),
        embedded=(_symbol_sentence(symbol, source.path),),
        path=source.path,
        doc=symbol.doc,
        body=body[:MOST_BODY],
    )


def _symbol_sentence(symbol: Symbol, path: str) -> str:
    """`read of config store, waypost config. Reads the settings …`"""
    outer = symbol.qualified.rpartition(".")[0]
    named = identifier_words(symbol.name) or symbol.name[:_LONGEST_NAME]
    inside = f" of {identifier_words(outer)}" if outer else ""
    return f"{named}{inside}, {path_words(path)}. {_opening(symbol.doc, DOC_CHARACTERS)}".strip()


def _section_card(source: SourceFile, section: DocumentSection, lines: Sequence[str]) -> Card:
    body = "\n".join(lines[section.lines.start - 1 : section.lines.end])
    limit = 0 if source.language in _DATA_LANGUAGES else SECTION_CHARACTERS
    return Card(
        kind="section",
        name=section.title,
        qualified=section.title,
        lines=section.lines,
        first_line=section.lines.start,
        text=body[:MOST_TEXT],
        summary=section.title,
        embedded=(f"{section.title[:200]}, {path_words(source.path)}. {_one_line(body[: 4 * limit], limit)}".strip(),),
        path=source.path,
        body=body[:MOST_BODY],
    )


def _file_card(source: SourceFile, parsed: Parsed, lines: Sequence[str]) -> Card:
    top = [symbol for symbol in parsed.symbols if symbol.parent is None]
    # Sections cover the whole document: its own card then has only its description.
    loose = [] if parsed.sections else list(_outside(lines, 1, len(lines), top))
    names = [symbol for symbol in top if symbol.kind != "constant"] or top
    listed = ", ".join(identifier_words(symbol.name) for symbol in names[:LISTED_NAMES])
    file_name = source.path.rpartition("/")[2]
    opening = _opening(parsed.doc, FILE_DOC_CHARACTERS)
    embedded = f"{path_words(source.path)}: {opening}. {listed}"
    return Card(
        kind="file",
        name=file_name.rpartition(".")[0] or file_name,
        lines=LineRange(1, max(len(lines), 1)),
        first_line=1,
        text=_outline(source, parsed)[:MOST_TEXT],
        summary=first_sentences(parsed.doc),
        embedded=(embedded[: 4 * 256].strip(". :"),) if embedded.strip(". :") else (file_name,),
        path=source.path,
        doc=parsed.doc,
        body="\n".join(loose)[:MOST_BODY],
    )


def _outline(source: SourceFile, parsed: Parsed) -> str:
    """A file at a glance: its description, and its contents with line numbers."""
    parts = [source.path, *([parsed.doc[:_LONGEST_DOC]] if parsed.doc else [])]
    parts += [f"{section.lines.start}: {section.title}" for section in parsed.sections]
    parts += [
        f"{symbol.lines.start}: {'    ' * symbol.qualified.count('.')}{symbol.signature or symbol.name}"
        for symbol in parsed.symbols
    ]
    if not parsed.sections and not parsed.symbols:
        parts.append(source.text)
    return "\n".join(parts)


def _outside(lines: Sequence[str], start: int, end: int, inside: Sequence[Symbol]) -> Iterator[str]:
    position = start
    for symbol in sorted(inside, key=lambda symbol: symbol.first_line):
        yield from lines[position - 1 : symbol.first_line - 1]
        position = max(position, symbol.lines.end + 1)
    yield from lines[position - 1 : end]


def _skeleton(lines: Sequence[str], start: int, end: int, inside: Sequence[Symbol]) -> Iterator[str]:
    """The lines of a class, with methods reduced to their first line."""
    position = start
    for symbol in sorted(inside, key=lambda symbol: symbol.first_line):
        yield from lines[position - 1 : max(position, symbol.first_line) - 1]
        if symbol.lines.start >= position:
            yield from lines[symbol.lines.start - 1 : symbol.lines.start]
        position = max(position, symbol.lines.end + 1)
    yield from lines[position - 1 : end]


def identifier_words(name: str) -> str:
    """The words in a name or path, in lower case: `HTTPServer.handleRequest` is `http server handle request`."""
    return " ".join(part.lower() for word in _WORD.findall(name[:_LONGEST_NAME]) for part in identifier_parts(word))


def path_words(path: str) -> str:
    """The words of the last path parts, without uninformative ones such as `src`."""
    directory, _, file_name = path.rpartition("/")
    stem = file_name.split(".")[0] or file_name
    parts = [part for part in directory.split("/") if part and part.lower() not in _UNINFORMATIVE_PARTS]
    return identifier_words(" ".join([*parts[1 - PATH_PARTS :], stem]))


def _opening(doc: str, most: int) -> str:
    """The first paragraph of documentation, without markup, at most `most` characters."""
    paragraph = _PARAGRAPH.split(doc[:_LONGEST_DOC].strip(), maxsplit=1)[0]
    return _one_line(_ROLE.sub(r"\1", paragraph).replace("`", ""), most)


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most].rpartition(" ")[0] or line[:most]
