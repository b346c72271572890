"""Read a whole change: compare every file, and detect moves between files."""

from collections import defaultdict
from collections.abc import Iterable

from waypost.code.changes.compare import ComparedFile, compare_sides, file_change
from waypost.code.changes.match import MOVED_ALIKE, SMALLEST, Placed, overlap, same_content
from waypost.code.changes.raw import RawCommit, RawFile
from waypost.model.change import ChangeSet
from waypost.model.shape import family
from waypost.text.secrets.masking import mask

MOST_BYTES = 12_000_000  # both sides of all files that are parsed; the rest is reported only as changed
MOST_FILES = 500
_MOST_MOVES = 2_000  # deleted or new definitions compared across files


def change_set(raw: RawCommit) -> ChangeSet:
    """What the change did. Never fails on file contents; a very large change is parsed only in part."""
    compared = _compare_files(raw.files)
    _find_moves(compared)
    return ChangeSet(
        files=tuple(map(file_change, compared)),
        commit=raw.commit,
        time=raw.time,
        author=raw.author,
        subject=mask(raw.subject).text,
        body=mask(raw.body).text,
        is_merge=raw.is_merge,
    )


def _compare_files(files: Iterable[RawFile]) -> list[ComparedFile]:
    compared: list[ComparedFile] = []
    left = MOST_BYTES
    for raw in files:
        size = len(raw.before or b"") + len(raw.after or b"")
        deep = len(compared) < MOST_FILES and size <= left
        left -= size if deep else 0
        compared.append(compare_sides(raw, deep=deep))
    return compared


def _find_moves(files: list[ComparedFile]) -> None:
    """Find definitions that moved to another file: equal content, then similar content under one name.

    Members move with them.
    """
    gone = [(file, place) for file in files for place in file.matching.gone]
    new = [(file, place) for file in files for place in file.matching.new]
    if not gone or not new or len({id(file) for file, _ in (*gone, *new)}) < 2:
        return
    if len(gone) > _MOST_MOVES or len(new) > _MOST_MOVES:
        return
    owners = {id(side): file for file in files for side in (file.old, file.new) if side is not None}
    olds = [(file.old, place) for file, place in gone if file.old is not None]
    news = [(file.new, place) for file, place in new if file.new is not None]
    for old, now in [*same_content(olds, news), *_same_name(olds, news)]:
        _record_move(owners[id(old[0])], old, owners[id(now[0])], now)


def _same_name(olds: list[Placed], news: list[Placed]) -> list[tuple[Placed, Placed]]:
    """Definitions that changed slightly while moving, if their name was removed once and added once."""
    by_name: defaultdict[tuple[str, str], tuple[list[Placed], list[Placed]]] = defaultdict(lambda: ([], []))
    for number, places in enumerate((olds, news)):
        for side, place in places:
            symbol = side.symbols[place]
            if symbol.parent is None:
                by_name[(symbol.qualified, family(symbol.kind))][number].append((side, place))
    pairs: list[tuple[Placed, Placed]] = []
    for went, came in by_name.values():
        if len(went) != 1 or len(came) != 1 or went[0][0].path == came[0][0].path:
            continue
        (old, old_place), (new, new_place) = went[0], came[0]
        if (
            min(old.size(old_place), new.size(new_place)) >= SMALLEST
            and overlap(old.words(old_place), new.words(new_place)) >= MOVED_ALIKE
        ):
            pairs.append((went[0], came[0]))
    return pairs


def _record_move(source: ComparedFile, old: Placed, target: ComparedFile, new: Placed) -> None:
    """Record a move, and those of all members on both sides."""
    waiting = [(old[1], new[1])] if source is not target else []
    while waiting:
        old_place, new_place = waiting.pop()
        if new_place in target.came_from or old_place in source.left:
            continue
        target.came_from[new_place] = (old[0], old_place)
        source.left.add(old_place)
        members = {old[0].symbols[place].name: place for place in old[0].members.get(old_place, ())}
        for place in new[0].members.get(new_place, ()):
            before = members.get(new[0].symbols[place].name)
            if before is not None:
                waiting.append((before, place))
