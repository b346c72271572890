"""A symbol found again: under its name, under another one, in another file."""

from collections.abc import Iterable, Iterator

from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark, family
from waypost.refs.anchor import AT_COMMENT, AT_DEFINITION, Anchor
from waypost.refs.other_files import Elsewhere
from waypost.refs.symbols import alike, is_equal, is_named, last_name, parent_of, same_name, span

# Words that make an equal symbol the same one and no chance.
_WORDS_QUALIFIED = 6  # under its own qualified name in another file, or where nothing else has its last name
_WORDS_NAMED = 14  # under its last name, where others have it too
_WORDS_RENAMED = 12  # under another name in another file
_WORDS_RENAMED_HERE = 8  # under another name in its own file, where nothing else meant the same
_WORDS_EDITED = 8  # of a symbol that was edited and moved or renamed as well
# How much alike a symbol must be to be the same one, edited.
_ALIKE_OVERLOAD = 0.5  # less, and the overload is gone that was meant
_ALIKE_QUALIFIED = 0.5  # of its qualified name in another file
_ALIKE_NAMED = 0.7  # of its last name, or in its parent under another name
_MOST_OTHERS = 5

_Spot = tuple[FileShape, Landmark]


def follow_symbol(known: Anchor, here: FileShape | None, elsewhere: Elsewhere) -> CodeVerdict:
    if here is not None:
        found = _by_name(known, here, UNCHANGED) or _renamed_here(known, here)
        if found is not None:
            return found
    found = _elsewhere(known, elsewhere)
    if found is not None:
        return found
    return (_alike_here(known, here) if here is not None else None) or CodeVerdict(DELETED)


def _by_name(known: Anchor, shape: FileShape, same: str) -> CodeVerdict | None:
    """The one of its qualified name; of overloads the equal, then the most similar, then the same in order."""
    named = same_name(shape, known.qualified)
    of_kind = [one for one in named if family(one.kind) == family(known.kind)] or named
    equal = [one for one in of_kind if is_equal(shape, one, known)]
    if equal:
        return _finding(same, known, shape, min(equal, key=lambda one: abs(named.index(one) - known.ordinal)))
    if not of_kind:
        return None
    rated = [(alike(shape, one, known), -abs(named.index(one) - known.ordinal), one) for one in of_kind]
    likeness, _, best = max(rated, key=lambda row: row[:2])
    if len(named) < known.many and likeness < _ALIKE_OVERLOAD:
        return None
    return _finding(CHANGED, known, shape, best, likeness)


def _renamed_here(known: Anchor, here: FileShape) -> CodeVerdict | None:
    """The same under another name in its file, if it is long enough to be told from others."""
    if known.twin or known.count < _WORDS_RENAMED_HERE:
        return None
    spots = [(here, one) for one in here.landmarks if is_equal(here, one, known)]
    return _one_of(known, spots)


def _elsewhere(known: Anchor, elsewhere: Elsewhere) -> CodeVerdict | None:
    successors = list(elsewhere.became())
    for shape in successors:
        found = _by_name(known, shape, MOVED)
        if found is not None:
            return found
    name = last_name(known.qualified)
    named = list(_unique([*successors, *elsewhere.named(name)]))
    candidates = [(shape, one) for shape in named for one in shape.landmarks if one.name == name]
    candidates = [spot for spot in candidates if family(spot[1].kind) == family(known.kind)]
    found = _equal_by_name(known, candidates)
    if found is not None:
        return found
    if known.count >= _WORDS_RENAMED and not known.twin:
        shapes = _unique([*successors, *elsewhere.changed()])
        found = _one_of(
            known, [(shape, one) for shape in shapes for one in shape.landmarks if is_equal(shape, one, known)]
        )
        if found is not None:
            return found
    return _edited_elsewhere(known, candidates)


def _equal_by_name(known: Anchor, candidates: list[_Spot]) -> CodeVerdict | None:
    equal = [(shape, one) for shape, one in candidates if is_equal(shape, one, known)]
    # `Flask.route.decorator` is told from other decorators by the name before the last.
    near = [spot for spot in equal if _common_tail(known, spot[1]) >= min(2, known.qualified.count(".") + 1)]
    if near and known.count >= _WORDS_QUALIFIED:
        return _one_of(known, near)
    least = _WORDS_QUALIFIED if len(candidates) == 1 else _WORDS_NAMED
    return _one_of(known, equal) if known.count >= least else None


def _edited_elsewhere(known: Anchor, candidates: list[_Spot]) -> CodeVerdict | None:
    """One of its name that is much like it; not of a name that every language gives to many."""
    if len(candidates) > 1:
        candidates = [spot for spot in candidates if is_named(spot[1], known.qualified)]
    if len(candidates) != 1 or last_name(known.qualified).startswith("__"):
        return None
    least = _ALIKE_QUALIFIED if is_named(candidates[0][1], known.qualified) else _ALIKE_NAMED
    return _most_alike(known, candidates, least)


def _alike_here(known: Anchor, here: FileShape) -> CodeVerdict | None:
    """One that is much like it, in the same parent under another name or, alone, under its name in another parent."""
    parent, name = parent_of(known.qualified), last_name(known.qualified)
    of_kind = [(here, one) for one in here.landmarks if family(one.kind) == family(known.kind)]
    spots = [spot for spot in of_kind if parent_of(spot[1].qualified) == parent]
    namesakes = [spot for spot in of_kind if spot[1].name == name]
    if len(namesakes) == 1 and not name.startswith("__"):
        spots += namesakes
    if known.twin:
        spots = [spot for spot in spots if not is_equal(*spot, known)]
    return _most_alike(known, spots, _ALIKE_NAMED)


def _one_of(known: Anchor, spots: list[_Spot]) -> CodeVerdict | None:
    """The one whose name has most in common with the known one; else none can be told from the others."""
    if not spots:
        return None
    parent = parent_of(known.qualified)
    rated = [((_common_tail(known, one), parent_of(one.qualified) == parent), (shape, one)) for shape, one in spots]
    best = max(rate for rate, _ in rated)
    left = [spot for rate, spot in rated if rate == best]
    if len(left) == 1:
        return _finding(MOVED, known, *left[0])
    places = sorted(f"{shape.path}:{one.start}" for shape, one in left)
    return CodeVerdict(AMBIGUOUS, amount=0.0, others=tuple(places[:_MOST_OTHERS]))


def _most_alike(known: Anchor, spots: Iterable[_Spot], least: float) -> CodeVerdict | None:
    if known.count < _WORDS_EDITED:
        return None
    rated = [
        (likeness, one.qualified == known.qualified, shape, one)
        for shape, one in spots
        if _sizes_fit(known, shape, one) and (likeness := alike(shape, one, known)) >= least
    ]
    if not rated:
        return None
    likeness, _, shape, best = max(rated, key=lambda row: row[:2])
    return _finding(CHANGED, known, shape, best, likeness)


def _common_tail(known: Anchor, landmark: Landmark) -> int:
    """How many names at the end of both qualified names are the same."""
    count = 0
    for one, other in zip(reversed(known.qualified.split(".")), reversed(landmark.qualified.split(".")), strict=False):
        if one != other:
            break
        count += 1
    return count


def _sizes_fit(known: Anchor, shape: FileShape, landmark: Landmark) -> bool:
    first, behind = span(shape, landmark)
    return known.count <= 3 * (behind - first) and behind - first <= 3 * known.count


def _unique(shapes: Iterable[FileShape]) -> Iterator[FileShape]:
    seen: set[str] = set()
    for shape in shapes:
        if shape.path not in seen:
            seen.add(shape.path)
            yield shape


def _finding(state: str, known: Anchor, shape: FileShape, landmark: Landmark, likeness: float = 1.0) -> CodeVerdict:
    start = landmark.start
    if known.begin == AT_COMMENT:
        start = landmark.first
    elif known.begin == AT_DEFINITION:
        start = landmark.define
    return CodeVerdict(
        state, shape.path, LineRange(start, landmark.end), amount=round(1 - likeness, 4), name=landmark.qualified
    )
