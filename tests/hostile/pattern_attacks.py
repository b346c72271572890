"""Texts that make a regular expression slow, derived from the expression, and how its time grows on them."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from waypost.system.time_limit import OutOfTime, can_limit, time_limit

# Private, and without types: nothing else tells what a pattern is made of.
sre: Any = import_module("re._constants")
sre_parser: Any = import_module("re._parser")
SMALL, LARGE = 2_000, 8_000  # characters: four times the text may take little more than four times as long
SCREEN, SCREEN_SECONDS = 500, 0.00006  # a first look: what is slow takes longer than this on so little
MOST_GROWTH = 9.0  # 4 is linear, 16 quadratic
# From the first look to the small text. What is partly quadratic, and passes MOST_GROWTH on the large one, is at 5.8 here.
HARMLESS_GROWTH = 5.0
FAST_SECONDS = 0.0005  # whatever is faster than this on the small text is not measured further
LIMIT_SECONDS = 1.0  # of processor time for one text: beyond it a pattern counts as one that does not end
LONG_REPEAT = 40  # a repeat that is bounded below this is no danger
_PROBES = " \n\taA0_-./\"'([{<=:,\\\u00e9"
_SUFFIXES = ("", "\n\x00")
_GENERIC = (
    "\n",
    " ",
    "\t",
    "a",
    "A",
    "0",
    '"',
    "'",
    "`",
    "(",
    "[",
    "{",
    "<",
    "/",
    "\\",
    "-",
    "=",
    "#",
    "a ",
    "\n\n ",
    "a.",
    "я",
    " \n",
)


@dataclass(frozen=True)
class Attack:
    head: str
    pump: str
    tail: str

    def text(self, size: int) -> str:
        return self.head + self.pump * (size // len(self.pump)) + self.tail


@dataclass(frozen=True)
class Finding:
    attack: Attack
    small: float
    large: float

    def __str__(self) -> str:
        shown = f"{self.attack.head!r} + {self.attack.pump!r} * n + {self.attack.tail!r}"
        return f"{shown}: {self.small * 1e3:.1f} ms, then {self.large * 1e3:.1f} ms"


def attacks(pattern: "re.Pattern[Any]") -> Iterator[Attack]:
    """Runs of every character that a repeat accepts, behind what leads to it, with ends that fail; then runs of signs."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    seen: set[Attack] = set()
    for attack in (*_derived(sre_parser.parse(text, pattern.flags & ~re.UNICODE)), *_general()):
        if attack not in seen and attack.pump:
            seen.add(attack)
            yield attack


def slowest(run: "Callable[[Any], object]", pattern: "re.Pattern[Any]", longest: int | None = None) -> Finding | None:
    """The first attack on which the time of a pattern grows faster than the text, or None. One that is never given more
    than `longest` characters must come to an end on these."""
    assert can_limit()  # one that does not end would not
    binary = isinstance(pattern.pattern, bytes)
    for attack in attacks(pattern):
        if longest is not None:
            taken = _seconds(run, attack.text(longest), binary=binary)
            if taken >= LIMIT_SECONDS:
                return Finding(attack, taken, taken)
            continue
        first = _seconds(run, attack.text(SCREEN), binary=binary)
        if first < SCREEN_SECONDS:
            continue
        if first >= LIMIT_SECONDS:
            return Finding(attack, first, first)
        small, large = _measured(run, attack, binary=binary)
        if large > MOST_GROWTH * small and not _is_bounded(run, attack, large, binary=binary):
            return Finding(attack, small, large)
    return None


def _measured(run: "Callable[[Any], object]", attack: Attack, *, binary: bool) -> tuple[float, float]:
    """The time for the small text and for the large one, without what else the machine did meanwhile: measured until the
    growth is harmless, or as often as is needed to believe that it is not."""

    def again(size: int, before: float) -> float:
        return min(before, _seconds(run, attack.text(size), binary=binary))

    first = min(_seconds(run, attack.text(SCREEN), binary=binary) for _ in range(3))
    small = large = float("inf")
    for _ in range(2):
        small = again(SMALL, small)
        if small < max(FAST_SECONDS, HARMLESS_GROWTH * first):
            return small, small
    for _ in range(3):
        large, small = again(LARGE, large), again(SMALL, small)
        if large <= MOST_GROWTH * small:
            break
    return small, large


def _is_bounded(run: "Callable[[Any], object]", attack: Attack, large: float, *, binary: bool) -> bool:
    """Whether the time only grew up to the bound of a repeat, or by chance: from here on it grows with the text."""
    if large > LIMIT_SECONDS / 20:
        return False
    size = LARGE * (LARGE // SMALL)
    return min(_seconds(run, attack.text(size), binary=binary) for _ in range(2)) <= MOST_GROWTH * large


def _general() -> Iterator[Attack]:
    for pump in _GENERIC:
        yield Attack("", pump, "\x00")


def _derived(parsed: Any) -> Iterator[Attack]:
    for head, body, whole in _repeats(list(parsed), ""):
        for probe in _PROBES:
            pump = _sample(body, probe)
            if probe not in pump and probe != "a":
                continue
            for tail in _SUFFIXES:
                yield Attack(head, pump, tail)
            yield Attack("", pump, "\x00")
            if head:
                yield Attack("", head + pump, "\x00")
                yield Attack("", head + pump + "\n", "\x00")
        if head:
            yield Attack("", head, "\x00")
            yield Attack("", head + "\n", "\x00")
        if whole:
            yield Attack("", whole, "\x00")


def _repeats(items: list[Any], before: str) -> Iterator[tuple[str, Any, str]]:
    """Every long repeat of a parsed pattern: a text that leads to it, its body, and a text of all that is around it."""
    head = before
    for item in items:
        kind, value = item
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _, most, body = value
            if most is sre.MAXREPEAT or most > LONG_REPEAT:
                yield head, list(body), before + _sample(items, "a")
            yield from _repeats(list(body), head)
        elif kind is sre.SUBPATTERN:
            yield from _repeats(list(value[-1]), head)
        elif kind is sre.ATOMIC_GROUP:
            yield from _repeats(list(value), head)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from _repeats(list(branch), head)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT) and value[0] > 0:
            yield from _repeats(list(value[1]), head)
        head += _sample([item], "a")


def _sample(items: Any, probe: str) -> str:
    """A text that the items accept, of the probe where they take it."""
    return "".join(_sample_one(kind, value, probe) for kind, value in items)


def _sample_one(kind: Any, value: Any, probe: str) -> str:
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.NOT_LITERAL:
        return probe if ord(probe) != value else "b"
    if kind is sre.ANY:
        return probe if probe != "\n" else "a"
    if kind is sre.IN:
        return next((one for one in (probe, *_PROBES, *_members(value)) if _accepts(value, one)), "a")
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, body = value
        return _sample(body, probe) * int(max(least, 1 if most else 0))
    if kind is sre.SUBPATTERN:
        return _sample(value[-1], probe)
    if kind is sre.ATOMIC_GROUP:
        return _sample(value, probe)
    if kind is sre.BRANCH:
        tries = [_sample(branch, probe) for branch in value[1]]
        return next((one for one in tries if probe in one), tries[0])
    return ""


def _members(items: Any) -> Iterator[str]:
    for kind, value in items:
        if kind is sre.LITERAL:
            yield chr(value)
        elif kind is sre.RANGE:
            yield chr(value[0])


def _accepts(items: Any, character: str) -> bool:
    negated = bool(items) and items[0][0] is sre.NEGATE
    return any(_in(kind, value, character) for kind, value in items) != negated


def _in(kind: Any, value: Any, character: str) -> bool:
    code = ord(character)
    if kind is sre.LITERAL:
        return code == int(value)
    if kind is sre.RANGE:
        return int(value[0]) <= code <= int(value[1])
    if kind is sre.CATEGORY:
        classes = {
            sre.CATEGORY_SPACE: r"\s",
            sre.CATEGORY_NOT_SPACE: r"\S",
            sre.CATEGORY_WORD: r"\w",
            sre.CATEGORY_NOT_WORD: r"\W",
            sre.CATEGORY_DIGIT: r"\d",
            sre.CATEGORY_NOT_DIGIT: r"\D",
        }
        return re.fullmatch(str(classes[value]), character) is not None
    return False


def _seconds(run: "Callable[[Any], object]", text: str, *, binary: bool) -> float:
    """Processor time; the limit times a hundred where it is passed."""
    given = text.encode("utf-8", "surrogatepass") if binary else text
    try:
        with time_limit(LIMIT_SECONDS):
            start = time.thread_time()
            run(given)
            return time.thread_time() - start
    except OutOfTime:
        return LIMIT_SECONDS * (1 if len(text) < (SMALL + LARGE) / 2 else 100)
