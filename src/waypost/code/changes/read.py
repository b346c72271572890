"""A whole change, read: every file compared, and what moved from one file to another recognised."""

from collections import defaultdict
from collections.abc import Iterable

from waypost.code.changes.compare import Examined, examine, told
from waypost.code.changes.match import MOVED_ALIKE, SMALLEST, Placed, alike, same_content
from waypost.code.changes.raw import RawCommit, RawFile
from waypost.model.change import ChangeSet
from waypost.model.shape import family
from waypost.text.secrets.masking import mask

MOST_BYTES = 12_000_000  # of both sides of all files that are parsed; the rest is told as changed only
MOST_FILES = 500
_MOST_MOVES = 2_000  # definitions gone or new that are compared across files


def change_set(raw: RawCommit) -> ChangeSet:
    """What the change did. Never fails on what the files say; of a very large one only a part is parsed."""
    examined = _examined(raw.files)
    _find_moves(examined)
    return ChangeSet(
        files=tuple(map(told, examined)),
        commit=raw.commit,
        time=raw.time,
        author=raw.author,
        subject=mask(raw.subject).text,
        body=mask(raw.body).text,
        is_merge=raw.is_merge,
    )


def _examined(files: Iterable[RawFile]) -> list[Examined]:
    found: list[Examined] = []
    left = MOST_BYTES
    for raw in files:
        size = len(raw.before or b"") + len(raw.after or b"")
        deep = len(found) < MOST_FILES and size <= left
        left -= size if deep else 0
        found.append(examine(raw, deep=deep))
    return found


def _find_moves(files: list[Examined]) -> None:
    """Definitions that are gone in one file and new in another: those that say the same, then those of one name that
    say nearly the same. Their members go with them."""
    gone = [(one, place) for one in files for place in one.matching.gone]
    new = [(one, place) for one in files for place in one.matching.new]
    if not gone or not new or len({id(one) for one, _ in (*gone, *new)}) < 2:
        return
    if len(gone) > _MOST_MOVES or len(new) > _MOST_MOVES:
        return
    owners = {id(side): one for one in files for side in (one.old, one.new) if side is not None}
    olds = [(one.old, place) for one, place in gone if one.old is not None]
    news = [(one.new, place) for one, place in new if one.new is not None]
    for old, now in [*same_content(olds, news), *_same_name(olds, news)]:
        _note(owners[id(old[0])], old, owners[id(now[0])], now)


def _same_name(olds: list[Placed], news: list[Placed]) -> list[tuple[Placed, Placed]]:
    """Definitions that changed a little on their way, where only one of that name went and one came."""
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
        (old, one), (new, other) = went[0], came[0]
        if min(old.size(one), new.size(other)) >= SMALLEST and alike(old.words(one), new.words(other)) >= MOVED_ALIKE:
            pairs.append((went[0], came[0]))
    return pairs


def _note(source: Examined, old: Placed, target: Examined, new: Placed) -> None:
    """Note a move, and those of all members that are on both sides."""
    waiting = [(old[1], new[1])] if source is not target else []
    while waiting:
        one, other = waiting.pop()
        if other in target.came_from or one in source.left:
            continue
        target.came_from[other] = (old[0], one)
        source.left.add(one)
        members = {old[0].symbols[place].name: place for place in old[0].members.get(one, ())}
        for place in new[0].members.get(other, ()):
            before = members.get(new[0].symbols[place].name)
            if before is not None:
                waiting.append((before, place))
