"""Which definition of the old side is which of the new one: by name first, then by what it says."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from waypost.code.changes.sides import Side
from waypost.code.source import Symbol
from waypost.model.shape import family

SMALLEST = 12  # words; shorter ones, such as getters, are alike by chance
ALIKE = 0.75  # of the words of two definitions with different names in one place, to be called one
MOVED_ALIKE = 0.6  # the same for one with the same name in another file
_LARGE = 6_000  # characters; smaller files are looked at as a whole
_FEW = 3  # members of a class, of which none is left out of sight: a class needs a body
_MOST_OVERLOADS = 10_000  # pairs of one name that are compared
_MOST_COMPARED = 120  # definitions gone and new that are compared with each other word by word

_Key = tuple[str, str, int | None]  # full name, family, the place of what it is in on the new side


@dataclass(slots=True)
class Matching:
    """Pairs of places, old and new, and what has no partner."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    new: list[int] = field(default_factory=list)

    @property
    def partners(self) -> dict[int, int]:
        """New places by old ones."""
        return dict(self.pairs)


def match(old: Side | None, new: Side | None) -> tuple[Matching, Side | None, Side | None]:
    """Pair the definitions of two versions of one file. The sides are given back without what is the same on both."""
    found = Matching(gone=list(old.places) if old else [], new=list(new.places) if new else [])
    if old is None or new is None:
        return found, old, new
    partner: dict[int, int] = {}
    _by_name(old, new, found, partner)
    if max(len(old.text), len(new.text)) > _LARGE:
        same = [pair for pair in found.pairs if _is_alone(old, pair[0]) and _is_alone(new, pair[1])]
        same = _in_order([(one, other) for one, other in same if old.whole(one) == new.whole(other)])
        old, new = old.without(one for one, _ in same), new.without(other for _, other in same)
    while found.gone and found.new:
        before = len(found.pairs)
        _by_content(old, new, found, partner)
        if len(found.pairs) == before:
            break
        _by_name(old, new, found, partner)  # a class with a new name has its members under that name
    return found, old, new


def _is_alone(side: Side, place: int) -> bool:
    """Whether a symbol has its lines for itself, and something is left of what it is in when they are gone."""
    symbol = side.symbols[place]
    beside = side.symbols[place + 1 : place + 2]  # what comes next: inside of it, or behind it
    around = side.symbols[symbol.parent] if symbol.parent is not None else None
    is_inside = around is not None and around.first_line <= symbol.first_line and symbol.lines.end <= around.lines.end
    if around is not None and is_inside and len(side.children.get(symbol.parent or 0, ())) < _FEW:
        return False
    if any(one.first_line <= symbol.lines.end < one.lines.end for one in beside):
        return False
    return place == 0 or side.symbols[place - 1].lines.start < symbol.first_line


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those pairs that follow each other on both sides: what changed its place must stay in sight."""
    kept: list[tuple[int, int]] = []
    for one, other in sorted(pairs):
        if not kept or other > kept[-1][1]:
            kept.append((one, other))
    return kept


def _by_name(old: Side, new: Side, found: Matching, partner: dict[int, int]) -> None:
    """Those with one name in one place. Several of one name (overloads) are paired by what is written, then in order."""
    renamed = {old.symbols[one].qualified: new.symbols[other].qualified for one, other in partner.items()}
    waiting: defaultdict[_Key, list[int]] = defaultdict(list)
    for place in found.new:
        symbol = new.symbols[place]
        waiting[(_full_name(symbol, {}), family(symbol.kind), symbol.parent)].append(place)
    for level in _levels(old, found.gone):  # parents first: members are looked for in the partner of what they are in
        groups: defaultdict[_Key, list[int]] = defaultdict(list)
        for place in level:
            symbol = old.symbols[place]
            if symbol.parent is None or symbol.parent in partner:
                above = None if symbol.parent is None else partner[symbol.parent]
                groups[(_full_name(symbol, renamed), family(symbol.kind), above)].append(place)
        for key, places in groups.items():
            _pair(old, new, places, waiting.get(key, []), found, partner)
    _drop_paired(found)


def _full_name(symbol: Symbol, renamed: Mapping[str, str]) -> str:
    """With the type that it belongs to, where that does not enclose it (Go's methods)."""
    if symbol.parent is not None:
        return symbol.name
    owner, _, name = symbol.qualified.rpartition(".")
    return f"{renamed.get(owner, owner)}.{name}" if owner else name


def _levels(side: Side, places: Iterable[int]) -> list[list[int]]:
    depths: dict[int, int] = {}
    levels: list[list[int]] = []
    wanted = set(places)
    for place in side.places:
        above = side.symbols[place].parent
        depths[place] = depth = 0 if above is None else depths.get(above, 0) + 1
        if place in wanted:
            levels.extend([] for _ in range(depth + 1 - len(levels)))
            levels[depth].append(place)
    return levels


def _pair(old: Side, new: Side, gone: list[int], waiting: list[int], found: Matching, partner: dict[int, int]) -> None:
    taken = set(partner.values())
    free = [place for place in waiting if place not in taken]
    rest = list(gone)
    if (len(gone) > 1 or len(free) > 1) and len(gone) * len(free) <= _MOST_OVERLOADS:
        for is_same in (_is_written_same, _has_same_signature, _has_same_parameters):
            for place in list(rest):
                one = next((one for one in free if is_same(old, place, new, one)), None)
                if one is not None:
                    rest.remove(place)
                    free.remove(one)
                    partner[place] = one
                    found.pairs.append((place, one))
    for place, one in zip(rest, free, strict=False):
        partner[place] = one
        found.pairs.append((place, one))


def _is_written_same(old: Side, place: int, new: Side, one: int) -> bool:
    return old.whole(place) == new.whole(one)


def _has_same_signature(old: Side, place: int, new: Side, one: int) -> bool:
    return old.symbols[place].signature == new.symbols[one].signature


def _has_same_parameters(old: Side, place: int, new: Side, one: int) -> bool:
    return old.symbols[place].parameters == new.symbols[one].parameters


def _drop_paired(found: Matching) -> None:
    olds, news = {one for one, _ in found.pairs}, {one for _, one in found.pairs}
    found.gone = [place for place in found.gone if place not in olds]
    found.new = [place for place in found.new if place not in news]


def _by_content(old: Side, new: Side, found: Matching, partner: dict[int, int]) -> None:
    """Renamed ones: those that say the same under another name, then those that say nearly the same in one place."""
    for (_, place), (_, one) in same_content([(old, at) for at in found.gone], [(new, at) for at in found.new]):
        partner[place] = one
        found.pairs.append((place, one))
    _drop_paired(found)
    pairs = _nearly(old, new, found, partner)
    for place, one in pairs:
        partner[place] = one
        found.pairs.append((place, one))
    _drop_paired(found)


Placed = tuple[Side, int]


def same_content(gone: Iterable[Placed], new: Iterable[Placed]) -> list[tuple[Placed, Placed]]:
    """Pairs that say the same whatever their names are; of several the one with the same name, or none if it is unsure.

    Members go with what they are in, and are not paired by themselves when that is.
    """
    by_meaning: defaultdict[tuple[bytes, str], list[Placed]] = defaultdict(list)
    for side, place in new:
        if side.size(place) >= SMALLEST:
            by_meaning[(side.meaning(place), family(side.symbols[place].kind))].append((side, place))
    groups: defaultdict[tuple[bytes, str], list[Placed]] = defaultdict(list)
    for side, place in gone:
        if by_meaning and side.size(place) >= SMALLEST:
            groups[(side.meaning(place), family(side.symbols[place].kind))].append((side, place))
    pairs: list[tuple[Placed, Placed]] = []
    for key, olds in groups.items():
        pairs += _chosen(olds, by_meaning.get(key, []))
    taken = {(id(side), place) for pair in pairs for side, place in pair}
    return [pair for pair in pairs if not any(_inside(one, taken) for one in pair)]


def _inside(one: Placed, taken: set[tuple[int, int]]) -> bool:
    side, place = one
    above = side.symbols[place].parent
    while above is not None:
        if (id(side), above) in taken:
            return True
        above = side.symbols[above].parent
    return False


def _chosen(olds: list[Placed], news: list[Placed]) -> Iterator[tuple[Placed, Placed]]:
    free = list(news)
    rest: list[Placed] = []
    for one in olds:
        name = one[0].symbols[one[1]].name
        same = next((other for other in free if other[0].symbols[other[1]].name == name), None)
        if same is None:
            rest.append(one)
        else:
            free.remove(same)
            yield one, same
    if len(rest) == len(free) == 1:
        yield rest[0], free[0]


def _nearly(old: Side, new: Side, found: Matching, partner: dict[int, int]) -> list[tuple[int, int]]:
    """Pairs in one place whose words are nearly the same, the most alike first."""
    if len(found.gone) > _MOST_COMPARED or len(found.new) > _MOST_COMPARED:
        return []
    scores: list[tuple[float, int, int]] = []
    counted = {place: new.words(place) for place in found.new if new.size(place) >= SMALLEST}
    for place in found.gone:
        symbol = old.symbols[place]
        if old.size(place) < SMALLEST:
            continue
        words = old.words(place)
        for one, other in counted.items():
            partly = new.symbols[one]
            above = None if symbol.parent is None else partner.get(symbol.parent)
            if family(symbol.kind) == family(partly.kind) and above == partly.parent:
                score = alike(words, other)
                if score >= ALIKE:
                    scores.append((score, place, one))
    pairs: list[tuple[int, int]] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, place, one in sorted(scores, key=lambda row: (-row[0], row[1], row[2])):
        if place not in taken[0] and one not in taken[1]:
            taken[0].add(place)
            taken[1].add(one)
            pairs.append((place, one))
    return pairs


def alike(one: "Counter[int]", other: "Counter[int]") -> float:
    """The share of words that two definitions have in common."""
    most = max(one.total(), other.total())
    return (one & other).total() / most if most else 0.0
