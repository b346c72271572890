"""Match the definitions of two versions: by name first, then by content."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.code.changes.sides import Side
from waypost.code.source import Symbol
from waypost.model.shape import family

SMALLEST = 12  # words; shorter definitions, such as getters, are similar by chance
ALIKE = 0.75  # share of common words that makes two definitions in one place a rename
MOVED_ALIKE = 0.6  # the same for a definition of the same name in another file
_LARGE = 6_000  # characters; smaller files are always compared as a whole
_FEW = 3  # members below which none is hidden: a class needs a body
_MOST_OVERLOADS = 10_000  # pairs of one name that are compared
_MOST_COMPARED = 120  # deleted and new definitions that are compared word by word

_Key = tuple[str, str, int | None]  # full name, family, place of its parent on the new side


@dataclass(slots=True)
class Matching:
    """Pairs of places, old and new, and places without a partner."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    new: list[int] = field(default_factory=list)

    def add(self, pairs: Iterable[tuple[int, int]], partner: dict[int, int]) -> None:
        """Add pairs, and drop their places from those without a partner."""
        self.pairs += (new_pairs := list(pairs))
        partner.update(new_pairs)
        olds, news = {before for before, _ in self.pairs}, {after for _, after in self.pairs}
        self.gone = [place for place in self.gone if place not in olds]
        self.new = [place for place in self.new if place not in news]

    @property
    def partners(self) -> dict[int, int]:
        """New places by old ones."""
        return dict(self.pairs)


def match(old: Side | None, new: Side | None) -> tuple[Matching, Side | None, Side | None]:
    """Match the definitions of two versions of one file. The returned sides hide what is equal on both."""
    matching = Matching(gone=list(old.places) if old else [], new=list(new.places) if new else [])
    if old is None or new is None:
        return matching, old, new
    partner: dict[int, int] = {}
    _by_name(old, new, matching, partner)
    if max(len(old.text), len(new.text)) > _LARGE:
        same = [pair for pair in matching.pairs if _is_alone(old, pair[0]) and _is_alone(new, pair[1])]
        same = _in_order([(before, after) for before, after in same if old.whole(before) == new.whole(after)])
        old, new = old.without(before for before, _ in same), new.without(after for _, after in same)
    while matching.gone and matching.new:
        before = len(matching.pairs)
        _by_content(old, new, matching, partner)
        if len(matching.pairs) == before:
            break
        _by_name(old, new, matching, partner)  # a renamed class has its members under its new name
    return matching, old, new


def _is_alone(side: Side, place: int) -> bool:
    """Whether a symbol shares no lines with others, and hiding it leaves something of its parent."""
    symbol = side.symbols[place]
    beside = side.symbols[place + 1 : place + 2]  # the next symbol: inside it, or after it
    around = side.symbols[symbol.parent] if symbol.parent is not None else None
    is_inside = around is not None and around.first_line <= symbol.first_line and symbol.lines.end <= around.lines.end
    if around is not None and is_inside and len(side.children.get(symbol.parent or 0, ())) < _FEW:
        return False
    if any(symbol_beside.first_line <= symbol.lines.end < symbol_beside.lines.end for symbol_beside in beside):
        return False
    return place == 0 or side.symbols[place - 1].lines.start < symbol.first_line


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs that are in the same order on both sides. Moved definitions must stay visible."""
    kept: list[tuple[int, int]] = []
    for before, after in sorted(pairs):
        if not kept or after > kept[-1][1]:
            kept.append((before, after))
    return kept


def _by_name(old: Side, new: Side, matching: Matching, partner: dict[int, int]) -> None:
    """Match by name and place. Overloads are matched by text, then in order."""
    renamed = {old.symbols[before].qualified: new.symbols[after].qualified for before, after in partner.items()}
    waiting: defaultdict[_Key, list[int]] = defaultdict(list)
    for place in matching.new:
        symbol = new.symbols[place]
        waiting[(_full_name(symbol, {}), family(symbol.kind), symbol.parent)].append(place)
    for level in _levels(old, matching.gone):  # parents first: members are searched in their parent's partner
        groups: defaultdict[_Key, list[int]] = defaultdict(list)
        for place in level:
            symbol = old.symbols[place]
            if symbol.parent is None or symbol.parent in partner:
                above = None if symbol.parent is None else partner[symbol.parent]
                groups[(_full_name(symbol, renamed), family(symbol.kind), above)].append(place)
        for key, places in groups.items():
            _pair(old, new, places, waiting.get(key, []), matching, partner)
    matching.add((), partner)


def _full_name(symbol: Symbol, renamed: Mapping[str, str]) -> str:
    """The name with its type, where that does not enclose it (Go methods)."""
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


def _pair(
    old: Side, new: Side, gone: list[int], waiting: list[int], matching: Matching, partner: dict[int, int]
) -> None:
    taken = set(partner.values())
    free = [place for place in waiting if place not in taken]
    rest = list(gone)
    if (len(gone) > 1 or len(free) > 1) and len(gone) * len(free) <= _MOST_OVERLOADS:
        for trait in _TRAITS:
            for place in list(rest):
                wanted = trait(old, place)
                partner_place = next((candidate for candidate in free if trait(new, candidate) == wanted), None)
                if partner_place is not None:
                    rest.remove(place)
                    free.remove(partner_place)
                    partner[place] = partner_place
                    matching.pairs.append((place, partner_place))
    for place, partner_place in zip(rest, free, strict=False):
        partner[place] = partner_place
        matching.pairs.append((place, partner_place))


# What pairs definitions of one name, surest first.
_TRAITS: tuple[Callable[[Side, int], object], ...] = (
    lambda side, place: side.whole(place),
    lambda side, place: side.symbols[place].signature,
    lambda side, place: side.symbols[place].parameters,
)


def _by_content(old: Side, new: Side, matching: Matching, partner: dict[int, int]) -> None:
    """Match renamed definitions: equal content first, then similar content in the same place."""
    same = same_content([(old, at) for at in matching.gone], [(new, at) for at in matching.new])
    matching.add(((place, candidate) for (_, place), (_, candidate) in same), partner)
    matching.add(_similar_pairs(old, new, matching, partner), partner)


Placed = tuple[Side, int]


def same_content(gone: Iterable[Placed], new: Iterable[Placed]) -> list[tuple[Placed, Placed]]:
    """Pairs with equal content, under any name. Of several, the one with the same name, or none if ambiguous.

    Members move with their parent and are not matched separately.
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
        pairs += _unambiguous_pairs(olds, by_meaning.get(key, []))
    taken = {(id(side), place) for pair in pairs for side, place in pair}
    return [pair for pair in pairs if not any(_is_inside(placed, taken) for placed in pair)]


def _is_inside(placed: Placed, taken: set[tuple[int, int]]) -> bool:
    side, place = placed
    above = side.symbols[place].parent
    while above is not None:
        if (id(side), above) in taken:
            return True
        above = side.symbols[above].parent
    return False


def _unambiguous_pairs(olds: list[Placed], news: list[Placed]) -> Iterator[tuple[Placed, Placed]]:
    free = list(news)
    rest: list[Placed] = []
    for placed in olds:
        name = placed[0].symbols[placed[1]].name
        same = next((other for other in free if other[0].symbols[other[1]].name == name), None)
        if same is None:
            rest.append(placed)
        else:
            free.remove(same)
            yield placed, same
    if len(rest) == len(free) == 1:
        yield rest[0], free[0]


def _similar_pairs(old: Side, new: Side, matching: Matching, partner: dict[int, int]) -> list[tuple[int, int]]:
    """Pairs in one place with similar words, most similar first."""
    if len(matching.gone) > _MOST_COMPARED or len(matching.new) > _MOST_COMPARED:
        return []
    scores: list[tuple[float, int, int]] = []
    counted = {place: new.words(place) for place in matching.new if new.size(place) >= SMALLEST}
    for place in matching.gone:
        symbol = old.symbols[place]
        if old.size(place) < SMALLEST:
            continue
        words = old.words(place)
        for candidate, candidate_words in counted.items():
            partly = new.symbols[candidate]
            above = None if symbol.parent is None else partner.get(symbol.parent)
            if family(symbol.kind) == family(partly.kind) and above == partly.parent:
                score = overlap(words, candidate_words)
                if score >= ALIKE:
                    scores.append((score, place, candidate))
    pairs: list[tuple[int, int]] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, place, candidate in sorted(scores, key=lambda row: (-row[0], row[1], row[2])):
        if place not in taken[0] and candidate not in taken[1]:
            taken[0].add(place)
            taken[1].add(candidate)
            pairs.append((place, candidate))
    return pairs


def overlap(left: "Counter[Any]", right: "Counter[Any]") -> float:
    """The share of elements that two counters have in common."""
    most = max(left.total(), right.total())
    return (left & right).total() / most if most else 0.0
