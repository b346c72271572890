"""View a project's files: the list, and the lines of one file with secrets masked. Stores nothing."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.errors import NotFound, Refused
from waypost.flows.checkouts.treeless import indexed_symbols, notice_elsewhere
from waypost.flows.links.staleness import check, is_stale, kept_view
from waypost.flows.open_space import OpenSpace, need_project, place_in, tree_of
from waypost.model.draft import check_whole
from waypost.model.reference import MAX_LINE
from waypost.model.time import format_time
from waypost.store.protocol import ReferenceRow, StoredVerdict

if TYPE_CHECKING:
    from waypost.code.source import Parsed

MOST_LINES = 2000  # returned at once
LONGEST_LINE = 2000  # characters
_MOST_SYMBOLS = 2000
_MOST_LOOKED_AT = 200  # references checked on disk before an answer; of more, stored verdicts are used


@dataclass(frozen=True, slots=True)
class FileSeen:
    path: str
    language: str
    lines: int
    changed_at: datetime | None  # None: it is not in the index
    memories: int = 0  # pointing at it
    stale: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"changed_at": None if self.changed_at is None else format_time(self.changed_at)}


@dataclass(frozen=True, slots=True)
class Outlined:
    name: str
    kind: str
    line: int
    end_line: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class SourceSeen:
    path: str
    language: str
    first: int  # the number of the first line
    lines: tuple[str, ...]
    total: int  # lines of the file
    masked: int  # secrets masked in the file
    outline: tuple[Outlined, ...]
    summary: str
    away: str = ""  # why there are no lines: the repository is not here

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"lines": list(self.lines), "outline": [asdict(symbol) for symbol in self.outline]}


def files(space: OpenSpace) -> tuple[FileSeen, ...]:
    """Every indexed file, and others that memories point at, with the number of memories; by path."""
    need_project(space)
    checkout = space.identity.checkout_id
    with space.store.read() as reader:
        rows_by_path = reader.code.files(checkout)
        rows = reader.references.visible(kept_view(space))
        stored_verdicts = reader.references.verdicts(checkout, {row.number for row in rows})
    looks = space.identity.has_tree and len(rows) <= _MOST_LOOKED_AT
    verdicts = check(space, rows) if looks else stored_verdicts
    about, stale = _counts(space, rows, verdicts)
    return tuple(
        FileSeen(path, row.language, row.lines, row.changed_at, about[path], stale[path])
        if (row := rows_by_path.get(path)) is not None
        else FileSeen(path, "", 0, None, about[path], stale[path])
        for path in sorted({*rows_by_path, *about})
    )


def _counts(
    space: OpenSpace, rows: list[ReferenceRow], verdicts: Mapping[tuple[int, int], StoredVerdict]
) -> tuple[Counter[str], Counter[str]]:
    """Memories by the file they point at now, and the stale ones. Each counts once per file."""
    about, stale = set[tuple[str, str]](), set[tuple[str, str]]()
    for row in rows:
        if row.reference.repo_id not in (None, space.identity.space_id):
            continue  # of another repository
        verdict = verdicts.get((row.number, row.place))
        path = (verdict.finding.path if verdict is not None else None) or row.reference.file_path
        about.add((path, row.memory_id))
        if verdict is not None and is_stale(space, row.reference, verdict.finding):
            stale.add((path, row.memory_id))
    return Counter(path for path, _ in about), Counter(path for path, _ in stale)


def source(space: OpenSpace, path: str, first: int = 1, most: int = MOST_LINES) -> SourceSeen:
    """Lines of a file, from `first` on, at most `most`. Without the repository here, only an outline.

    Raises SecurityError for a path outside of the repository, and NotFound for a missing or ignored file. Raises
    Refused for a binary or large file.
    """
    from waypost.code.files.reading import Unread  # imports parsers: only for viewing a file
    from waypost.code.files.walk import look_at
    from waypost.code.summary.build import summarise
    from waypost.flows.checkouts.parsed_file import open_source
    from waypost.flows.index.patterns import stored_patterns

    check_whole(first, "first", 1, MAX_LINE)
    check_whole(most, "most", 1, MOST_LINES)
    place, root = place_in(space, path), space.identity.root
    if root is None:
        return _outline_only(space, place, first)
    patterns = stored_patterns(space)
    entry = None
    if not (root / place).is_dir():  # a folder would be walked
        entries = look_at(root, [place], include=patterns.include, exclude=patterns.exclude)
        entry = next((candidate for candidate in entries if candidate.path == place), None)
    if entry is None:
        raise NotFound(f"{place[:200]} is not a file of this project.", "It is not there any more, or is ignored.")
    parsed_file = None if entry.skipped else open_source(root, place, named=entry.named)
    if parsed_file is None or isinstance(parsed_file, Unread):
        why = entry.skipped or (parsed_file.reason if parsed_file is not None else "")
        raise Refused(f"{place[:200]} is not shown: {why}.", "Open it in an editor.")
    lines = parsed_file.source.text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    chosen = lines[first - 1 : first - 1 + most]
    stored = stored_summary(space, place)
    return SourceSeen(
        place,
        parsed_file.source.language,
        first,
        tuple(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …" for line in chosen),
        len(lines),
        parsed_file.masked,
        _outline(parsed_file.parsed),
        stored or summarise(parsed_file.source, parsed_file.parsed).text,
    )


def _outline_only(space: OpenSpace, place: str, first: int) -> SourceSeen:
    with space.store.read() as reader:
        row = reader.code.files(space.identity.checkout_id, [place]).get(place)
    if row is None:
        tree_of(space)  # raises NotFound
    assert row is not None
    outline = tuple(
        Outlined(symbol.name or "", str(symbol.details.get("type", symbol.kind)), lines.start, lines.end)
        for symbol in indexed_symbols(space, place)
        if (lines := symbol.refs[0].line_range) is not None
    )
    away, summary = notice_elsewhere(space)[0], stored_summary(space, place)
    return SourceSeen(place, row.language, first, (), row.lines, 0, outline[:_MOST_SYMBOLS], summary, away)


def stored_summary(space: OpenSpace, place: str) -> str:
    """The stored summary of a file, or ""."""
    with space.store.read() as reader:
        rows = reader.code.derived(space.identity.checkout_id, [place], ["summary"])
        versions = reader.memories.by_number([row.number for row in rows]).values()
    return next((version.text for version in versions), "")


def _outline(parsed: "Parsed") -> tuple[Outlined, ...]:
    depths: list[int] = []
    for symbol in parsed.symbols:
        depths.append(0 if symbol.parent is None else depths[symbol.parent] + 1)
    symbols = [
        Outlined(symbol.name, symbol.kind, symbol.lines.start, symbol.lines.end, depth)
        for symbol, depth in zip(parsed.symbols, depths, strict=True)
    ]
    symbols += [
        Outlined(section.title, "section", section.lines.start, section.lines.end) for section in parsed.sections
    ]
    return tuple(sorted(symbols, key=lambda symbol: (symbol.line, -symbol.end_line))[:_MOST_SYMBOLS])
