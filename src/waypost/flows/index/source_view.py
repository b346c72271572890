"""A project's files for people to look at: which there are, and the lines of one, its secrets masked. Nothing is kept."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.errors import NotFound, Refused
from waypost.flows.index.treeless import indexed_symbols, notice_elsewhere
from waypost.flows.links.staleness import check, is_stale, kept_view
from waypost.flows.open_space import OpenSpace, need_project, place_in, tree_of
from waypost.model.draft import check_whole
from waypost.model.reference import MAX_LINE
from waypost.model.time import format_time
from waypost.store.protocol import ReferenceRow, StoredVerdict

if TYPE_CHECKING:
    from waypost.code.source import Parsed

MOST_LINES = 2000  # of a file that are given at once
LONGEST_LINE = 2000  # characters
_MOST_SYMBOLS = 2000
_MOST_LOOKED_AT = (
    200  # references that are compared with the disk before an answer; of more, what was found last is told
)


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A file of the index, or one that only memories know."""

    path: str
    language: str
    lines: int
    changed_at: datetime | None  # None: it is not in the index
    memories: int = 0  # that point at it
    stale: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"changed_at": None if self.changed_at is None else format_time(self.changed_at)}


@dataclass(frozen=True, slots=True)
class Outlined:
    """A symbol of a file, or a section of a document."""

    name: str
    kind: str
    line: int
    end_line: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class SourceSeen:
    """Lines of a file as they may be shown."""

    path: str
    language: str
    first: int  # the number of the first line
    lines: tuple[str, ...]
    total: int  # lines of the file
    masked: int  # secrets in the file that are not shown
    outline: tuple[Outlined, ...]
    summary: str
    away: str = ""  # why there are no lines: the tree is not at hand

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"lines": list(self.lines), "outline": [asdict(one) for one in self.outline]}


def files(space: OpenSpace) -> tuple[FileSeen, ...]:
    """Every file of the index, and those beside that memories point at, with how many do; by path."""
    need_project(space)
    checkout = space.identity.checkout_id
    with space.store.read() as reader:
        known = reader.code.files(checkout)
        rows = reader.references.visible(kept_view(space))
        held = reader.references.verdicts(checkout, {row.number for row in rows})
    looks = space.identity.has_tree and len(rows) <= _MOST_LOOKED_AT
    verdicts = check(space, rows) if looks else held
    about, stale = _counts(space, rows, verdicts)
    return tuple(
        FileSeen(path, row.language, row.lines, row.changed_at, about[path], stale[path])
        if (row := known.get(path)) is not None
        else FileSeen(path, "", 0, None, about[path], stale[path])
        for path in sorted({*known, *about})
    )


def _counts(
    space: OpenSpace, rows: list[ReferenceRow], verdicts: Mapping[tuple[int, int], StoredVerdict]
) -> tuple[Counter[str], Counter[str]]:
    """Memories by the file that they point at now, and the stale ones; each counts once for a file."""
    about, stale = set[tuple[str, str]](), set[tuple[str, str]]()
    for row in rows:
        if row.reference.repo_id not in (None, space.identity.space_id):
            continue  # in another repository
        verdict = verdicts.get((row.number, row.place))
        path = (verdict.finding.path if verdict is not None else None) or row.reference.file_path
        about.add((path, row.memory_id))
        if verdict is not None and is_stale(space, row.reference, verdict.finding):
            stale.add((path, row.memory_id))
    return Counter(path for path, _ in about), Counter(path for path, _ in stale)


def source(space: OpenSpace, path: str, first: int = 1, most: int = MOST_LINES) -> SourceSeen:
    """Lines of a file of this tree, from `first` on, at most `most`. Raises SecurityError for what leads out of the tree,
    NotFound for what is not there or ignored, Refused for what is no text or too large. Of a tree that is not at hand the
    index has an outline, and no lines."""
    from waypost.code.files.reading import Unread  # parsers: only who looks into a file pays for them
    from waypost.code.files.walk import look_at
    from waypost.code.summary import summarise
    from waypost.flows.index.file_digest import open_source
    from waypost.flows.index.init import settle_patterns

    check_whole(first, "first", 1, MAX_LINE)
    check_whole(most, "most", 1, MOST_LINES)
    place, root = place_in(space, path), space.identity.root
    if root is None:
        return _as_indexed(space, place, first)
    patterns = settle_patterns(space, None, None)
    entry = None
    if not (root / place).is_dir():  # which would be walked
        entries = look_at(root, [place], include=patterns.include, exclude=patterns.exclude)
        entry = next((one for one in entries if one.path == place), None)
    if entry is None:
        raise NotFound(f"{place[:200]} is not a file of this project.", "It is not there any more, or is ignored.")
    opened = None if entry.skipped else open_source(root, place, named=entry.named)
    if opened is None or isinstance(opened, Unread):
        why = entry.skipped or (opened.reason if opened is not None else "")
        raise Refused(f"{place[:200]} is not shown: {why}.", "Open it in an editor.")
    lines = opened.source.text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    chosen = lines[first - 1 : first - 1 + most]
    stored = stored_summary(space, place)
    return SourceSeen(
        place,
        opened.source.language,
        first,
        tuple(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …" for line in chosen),
        len(lines),
        opened.masked,
        _outline(opened.parsed),
        stored or summarise(opened.source, opened.parsed).text,
    )


def _as_indexed(space: OpenSpace, place: str, first: int) -> SourceSeen:
    with space.store.read() as reader:
        row = reader.code.files(space.identity.checkout_id, [place]).get(place)
    if row is None:
        tree_of(space)  # says where to look
    assert row is not None
    outline = tuple(
        Outlined(one.name or "", str(one.details.get("type", one.kind)), lines.start, lines.end)
        for one in indexed_symbols(space, place)
        if (lines := one.refs[0].line_range) is not None
    )
    away, summary = notice_elsewhere(space)[0], stored_summary(space, place)
    return SourceSeen(place, row.language, first, (), row.lines, 0, outline[:_MOST_SYMBOLS], summary, away)


def stored_summary(space: OpenSpace, place: str) -> str:
    """What is known of what a file does; empty where nobody has described it."""
    with space.store.read() as reader:
        rows = reader.code.derived(space.identity.checkout_id, [place], ["summary"])
        found = reader.memories.by_number([row.number for row in rows]).values()
    return next((version.text for version in found), "")


def _outline(parsed: "Parsed") -> tuple[Outlined, ...]:
    depths: list[int] = []
    for symbol in parsed.symbols:
        depths.append(0 if symbol.parent is None else depths[symbol.parent] + 1)
    found = [
        Outlined(symbol.name, symbol.kind, symbol.lines.start, symbol.lines.end, depth)
        for symbol, depth in zip(parsed.symbols, depths, strict=True)
    ]
    found += [Outlined(one.title, "section", one.lines.start, one.lines.end) for one in parsed.sections]
    return tuple(sorted(found, key=lambda one: (one.line, -one.end_line))[:_MOST_SYMBOLS])
