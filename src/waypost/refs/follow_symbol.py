"""Find a symbol again: under its name, under another name, or in another file."""

from collections.abc import Iterable

from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark, family
from waypost.refs.anchor import Anchor
from waypost.refs.occurrences import surroundings
from waypost.refs.other_files import OtherFiles
from waypost.refs.sketch import likeness as words_likeness
from waypost.refs.sketch import sketch
from waypost.refs.symbols import (
    common_tail,
    is_equal,
    is_named,
    last_name,
    parent_of,
    same_name,
    span,
    start_of,
    symbol_likeness,
    unique_shapes,
)

# Words an equal symbol needs so that the match is not a coincidence.
_WORDS_QUALIFIED = 6  # same qualified name in another file, or no other symbol with its last name
_WORDS_NAMED = 14  # same last name, which other symbols have too
_WORDS_RENAMED = 12  # another name in another file
_WORDS_RENAMED_HERE = 8  # another name in its own file, where nothing else has the same meaning
_WORDS_EDITED = 8  # a symbol that was edited, and also moved or renamed
# Likeness an edited symbol needs to count as the same.
_ALIKE_OVERLOAD = 0.5  # below this, the overload that was meant is gone
_ALIKE_MEMBER = 0.3  # same name in the same class, which is in another file now
_ALIKE_QUALIFIED = 0.5  # same name outside of classes, in another file
_ALIKE_NAMED = 0.7  # same last name, or another name in the same parent
_AHEAD = 0.25  # how much more alike the likeliest of several must be
_MOST_OTHERS = 5

_Spot = tuple[FileShape, Landmark]


def follow_symbol(anchor: Anchor, here: FileShape | None, others: OtherFiles) -> CodeVerdict:
    if here is not None:
        verdict = _by_name(anchor, here, UNCHANGED, others) or _renamed_here(anchor, here, others)
        if verdict is not None:
            return verdict
    verdict = _in_other_files(anchor, others)
    if verdict is not None:
        return verdict
    return (_alike_here(anchor, here, others) if here is not None else None) or CodeVerdict(DELETED)


def follow_alone(anchor: Anchor, shape: FileShape) -> CodeVerdict | None:
    """What `follow_symbol` finds in a file with one symbol of this name. None if that takes more than the symbol.

    The shape needs no other landmarks and no other words.
    """
    return None if anchor.broken or anchor.many > 1 else _by_name(anchor, shape, UNCHANGED)


def _by_name(anchor: Anchor, shape: FileShape, same: str, others: OtherFiles | None = None) -> CodeVerdict | None:
    """The symbol with its qualified name. Of overloads: the equal one, the most similar, then by their place."""
    named = same_name(shape, anchor.qualified)
    of_kind = [symbol for symbol in named if family(symbol.kind) == family(anchor.kind)] or named
    equal = [symbol for symbol in of_kind if is_equal(shape, symbol, anchor)]
    if equal:
        return _verdict(same, anchor, shape, max(equal, key=lambda symbol: _rate_place(anchor, shape, symbol, named)))
    if not of_kind:
        return None
    if len(of_kind) > 1 and others is not None:
        of_kind = _without_other_overloads(anchor, shape, of_kind, others.before(shape.path))
    rated = [(symbol_likeness(shape, symbol, anchor), symbol) for symbol in of_kind]
    likeness, best = max(rated, key=lambda row: (row[0], _rate_place(anchor, shape, row[1], named)))
    if len(named) < anchor.many and likeness < _ALIKE_OVERLOAD:
        return None
    return _verdict(CHANGED, anchor, shape, best, likeness)


def _without_other_overloads(
    anchor: Anchor, shape: FileShape, symbols: list[Landmark], before: FileShape | None
) -> list[Landmark]:
    """Without those that are other overloads of the pin's time: each has at most one successor, the likest pair first."""
    older = same_name(before, anchor.qualified) if before is not None else []
    if before is None or len(older) != anchor.many or not is_equal(before, older[anchor.ordinal], anchor):
        return symbols
    sketches = [sketch(before.symbol_words(*span(before, symbol), symbol.name)) for symbol in older]
    words = [shape.symbol_words(*span(shape, symbol), symbol.name) for symbol in symbols]
    pairs = [(words_likeness(was, now), -old, new) for old, was in enumerate(sketches) for new, now in enumerate(words)]
    successors: dict[int, int] = {}
    for alike, old, new in sorted(pairs, reverse=True):
        if alike >= _ALIKE_OVERLOAD and -old not in successors and new not in successors.values():
            successors[-old] = new
    mine = successors.pop(anchor.ordinal, None)
    left = [symbol for new, symbol in enumerate(symbols) if new not in successors.values()]
    return [symbols[mine]] if mine is not None else left or symbols


def _rate_place(anchor: Anchor, shape: FileShape, symbol: Landmark, named: list[Landmark]) -> tuple[bool, int]:
    """Whether the same words stand before it, such as the head of its `impl`; then how near its index is."""
    is_same = bool(anchor.before) and surroundings(shape, *span(shape, symbol))[0] == anchor.before
    return is_same, -abs(named.index(symbol) - anchor.ordinal)


def _renamed_here(anchor: Anchor, here: FileShape, others: OtherFiles) -> CodeVerdict | None:
    """The same symbol under another name in its file, if it is long enough to be distinctive."""
    if anchor.twin or anchor.count < _WORDS_RENAMED_HERE:
        return None
    spots = [(here, symbol) for symbol in here.landmarks if is_equal(here, symbol, anchor)]
    return _unambiguous(anchor, _without_older_copies(anchor, spots, others))


def _in_other_files(anchor: Anchor, others: OtherFiles) -> CodeVerdict | None:
    successors = list(others.successors())
    for shape in successors:
        verdict = _by_name(anchor, shape, MOVED)
        if verdict is not None:
            return verdict
    name = last_name(anchor.qualified)
    named = unique_shapes([*successors, *others.named(name)])
    candidates = [(shape, symbol) for shape in named for symbol in shape.landmarks if symbol.name == name]
    # A function of JavaScript that makes objects can be a class now.
    candidates = [spot for spot in candidates if family(spot[1].kind) == family(anchor.kind)] or candidates
    verdict = _equal_by_name(anchor, candidates, others)
    if verdict is not None:
        return verdict
    if anchor.count >= _WORDS_RENAMED and not anchor.twin:
        shapes = unique_shapes([*successors, *others.changed()])
        spots = [(shape, symbol) for shape in shapes for symbol in shape.landmarks]
        equal = [spot for spot in spots if is_equal(*spot, anchor)]
        verdict = _unambiguous(anchor, _without_older_copies(anchor, equal, others))
        if verdict is not None:
            return verdict
    return _edited_in_other_file(anchor, candidates, others)


def _without_older_copies(anchor: Anchor, spots: list[_Spot], others: OtherFiles) -> list[_Spot]:
    """Without symbols that were the same already when the code was pinned: it did not move there."""
    return [spot for spot in spots if not any(is_equal(*older, anchor) for older in _older(spot, others))]


def _older(spot: _Spot, others: OtherFiles) -> list[_Spot]:
    """The symbols with its name in its file, as they were when the code was pinned."""
    shape, symbol = spot
    before = others.before(shape.path)
    return [(before, older) for older in same_name(before, symbol.qualified)] if before is not None else []


def _equal_by_name(anchor: Anchor, candidates: list[_Spot], others: OtherFiles) -> CodeVerdict | None:
    equal = [(shape, symbol) for shape, symbol in candidates if is_equal(shape, symbol, anchor)]
    equal = _without_older_copies(anchor, equal, others)
    # The name before the last distinguishes `Flask.route.decorator` from other decorators.
    near = [spot for spot in equal if common_tail(anchor.qualified, spot[1]) >= min(2, anchor.qualified.count(".") + 1)]
    if near and anchor.count >= _WORDS_QUALIFIED:
        return _unambiguous(anchor, near)
    least = _WORDS_QUALIFIED if len(candidates) == 1 else _WORDS_NAMED
    return _unambiguous(anchor, equal) if anchor.count >= least else None


def _edited_in_other_file(anchor: Anchor, candidates: list[_Spot], others: OtherFiles) -> CodeVerdict | None:
    """The new symbol of its name, edited. Names such as `__init__` are too frequent to count without their class."""
    candidates = [spot for spot in candidates if not _older(spot, others)]
    if len(candidates) > 1:
        candidates = [spot for spot in candidates if is_named(spot[1], anchor.qualified)]
    if not candidates:
        return None
    same_name = is_named(candidates[0][1], anchor.qualified)
    if last_name(anchor.qualified).startswith("__") and not (same_name and parent_of(anchor.qualified)):
        return None
    alike = _ALIKE_MEMBER if parent_of(anchor.qualified) else _ALIKE_QUALIFIED
    least = alike if same_name else _ALIKE_NAMED
    return _most_alike(anchor, candidates, least, margin=_AHEAD)


def _alike_here(anchor: Anchor, here: FileShape, others: OtherFiles) -> CodeVerdict | None:
    """A similar new symbol in the same parent, or the only one of its name in another parent."""
    parent, name = parent_of(anchor.qualified), last_name(anchor.qualified)
    of_kind = [(here, symbol) for symbol in here.landmarks if family(symbol.kind) == family(anchor.kind)]
    spots = [spot for spot in of_kind if parent_of(spot[1].qualified) == parent]
    namesakes = [spot for spot in of_kind if spot[1].name == name]
    if len(namesakes) == 1 and not name.startswith("__"):
        spots += namesakes
    spots = [spot for spot in spots if not _older(spot, others)]
    if anchor.twin:
        spots = [spot for spot in spots if not is_equal(*spot, anchor)]
    return _most_alike(anchor, spots, _ALIKE_NAMED)


def _unambiguous(anchor: Anchor, spots: list[_Spot]) -> CodeVerdict | None:
    """The spot whose name shares most with the anchor's name; ambiguous if several do."""
    if not spots:
        return None
    parent = parent_of(anchor.qualified)
    rates = [(common_tail(anchor.qualified, symbol), parent_of(symbol.qualified) == parent) for _, symbol in spots]
    best = max(rates)
    left = [spot for rate, spot in zip(rates, spots, strict=True) if rate == best]
    if len(left) == 1:
        return _verdict(MOVED, anchor, *left[0])
    places = sorted(f"{shape.path}:{symbol.start}" for shape, symbol in left)
    return CodeVerdict(AMBIGUOUS, amount=0.0, others=tuple(places[:_MOST_OTHERS]))


def _most_alike(
    anchor: Anchor, spots: Iterable[_Spot], least: float, *, margin: float | None = None
) -> CodeVerdict | None:
    """The most similar symbol. With a `margin`: ambiguous if another one is less than that behind it."""
    if anchor.count < _WORDS_EDITED:
        return None
    rated = [
        (likeness, symbol.qualified == anchor.qualified, shape, symbol)
        for shape, symbol in spots
        if _sizes_fit(anchor, shape, symbol) and (likeness := symbol_likeness(shape, symbol, anchor)) >= least
    ]
    if not rated:
        return None
    likeness, _, shape, best = max(rated, key=lambda row: row[:2])
    near = [row for row in rated if margin is not None and row[0] > likeness - margin]
    if len(near) > 1:
        near.sort(key=lambda row: (-row[0], row[2].path, row[3].start))
        return CodeVerdict(AMBIGUOUS, others=tuple(f"{row[2].path}:{row[3].start}" for row in near[:_MOST_OTHERS]))
    return _verdict(CHANGED, anchor, shape, best, likeness)


def _sizes_fit(anchor: Anchor, shape: FileShape, symbol: Landmark) -> bool:
    first, behind = span(shape, symbol)
    return anchor.count <= 3 * (behind - first) and behind - first <= 3 * anchor.count


def _verdict(state: str, anchor: Anchor, shape: FileShape, symbol: Landmark, likeness: float = 1.0) -> CodeVerdict:
    lines = LineRange(start_of(symbol, anchor.begin), symbol.end)
    return CodeVerdict(state, shape.path, lines, amount=round(1 - likeness, 4), name=symbol.qualified)
