"""Routed facts within a budget of tokens: the project first, then domains, then modules and code, each with its share.

Shares count from the whole budget and include what is used already. So a level can use what the one before did not
need. The rest goes back to levels with more facts. The text never exceeds the budget.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waypost.context.budget import count_tokens, shorten
from waypost.context.one_line import one_line
from waypost.context.render import place_of, stale_mark
from waypost.text.fence import fence

if TYPE_CHECKING:
    from waypost.model.recall import Hit

PROJECT, DOMAIN, DEEPER, RELATED = "project", "domain", "deeper", "related"
HEADINGS = {PROJECT: "The project", DOMAIN: "Domains", DEEPER: "Modules and code", RELATED: "Related"}
DOMAIN_UNTIL = 0.70
FOR_RELATED = 0.10  # of the share of the deeper levels, at first: what belongs to the facts above gets a chance
FACTS_UNTIL = 0.95  # the rest is for the fence, headings and the note on what was left out
_LONG = 0.25  # of the budget: a longer entry may be cut; others are whole or not there
_GIVE_UP_AFTER = 8  # entries of a level in a row that had no room


@dataclass(frozen=True, slots=True)
class RouteEntry:
    """One line: a text that may be cut, what follows it, and the memories it shows."""

    said: str
    tail: str
    hits: "tuple[Hit, ...]"


@dataclass(frozen=True, slots=True)
class RouteLine:
    section: str
    entry: RouteEntry
    text: str  # as it is shown
    tokens: int


@dataclass(frozen=True, slots=True)
class Routed:
    text: str
    tokens: int
    lines: tuple[RouteLine, ...]  # in the order they were chosen

    def of(self, section: str) -> tuple[RouteLine, ...]:
        return tuple(line for line in self.lines if line.section == section)


def entry_of(hit: "Hit") -> RouteEntry:
    """A fact on one line: its place, domain, text, author and date, and whether it is stale."""
    domain = f"[{hit.domain}] " if hit.domain else ""
    when = (hit.time or hit.valid_from).date().isoformat()
    tail = _plain(f" ({hit.source}, {when}){stale_mark(hit)}", keep=True)
    return RouteEntry(_plain(f"- {place_of(hit)}{domain}{hit.text}"), tail, (hit,))


def chain_entry(parts: "Sequence[tuple[str, Hit]]") -> RouteEntry:
    """A causal chain on one line. Parts are ("because", reason) and the like."""
    said = "; ".join(f"{word} {hit.text.strip().rstrip('.;')}".strip() for word, hit in parts)
    return RouteEntry(_plain(f"- {said}"), "", tuple(hit for _, hit in parts))


def _plain(text: str, *, keep: bool = False) -> str:
    line = one_line(text, max(len(text), 1))
    return f" {line}" if keep else line


def fill(
    tokens: int,
    project: Iterable[RouteEntry],
    domain: Iterable[RouteEntry],
    deeper: Iterable[RouteEntry],
    related: "Callable[[Sequence[Hit]], Iterable[RouteEntry]]",
    note: Callable[[Sequence[RouteLine]], str],
) -> Routed:
    """The lines in the order of their rank as far as the shares reach. What is given lazily is taken only as far.

    `related` returns what belongs to the shown hits. `note` returns a last line, shown only if there is room.
    """
    page = _Page(tokens)
    first, two, three = _Shelf(project), _Shelf(domain), _Shelf(deeper)
    page.take(PROJECT, first, FACTS_UNTIL)
    page.take(DOMAIN, two, DOMAIN_UNTIL)
    page.take(DEEPER, three, FACTS_UNTIL, keep=FOR_RELATED)
    page.take(RELATED, _Shelf(related([hit for line in page.lines for hit in line.entry.hits])), FACTS_UNTIL)
    page.take(DEEPER, three, FACTS_UNTIL)
    page.take(DOMAIN, two, FACTS_UNTIL)
    return page.finish(note)


class _Shelf:
    """Entries in the order of their rank; those that had no room wait for another chance."""

    def __init__(self, entries: Iterable[RouteEntry]) -> None:
        self._rest: Iterator[RouteEntry] = iter(entries)
        self._waiting: list[RouteEntry] = []

    def offer(self) -> Iterator[RouteEntry]:
        waiting, self._waiting = self._waiting, []
        yield from waiting
        yield from self._rest

    def put_back(self, entry: RouteEntry) -> None:
        self._waiting.append(entry)


@dataclass(slots=True)
class _Page:
    """A text that grows line by line and never beyond its budget."""

    tokens: int
    lines: list[RouteLine] = field(default_factory=list)
    _used: int = 0
    _headed: set[str] = field(default_factory=set)
    _costs: dict[int, int] = field(default_factory=dict)
    _frame: int = field(default_factory=lambda: _cost(fence("")))

    def take(self, section: str, shelf: _Shelf, until: float, keep: float = 0.0) -> None:
        """Take lines from the shelf up to this share of the budget, and keep the share `keep` free."""
        refused = 0
        for entry in shelf.offer():
            if not self._add(section, entry, until, keep):
                shelf.put_back(entry)
                refused += 1
                if refused == _GIVE_UP_AFTER:
                    return

    def _add(self, section: str, entry: RouteEntry, until: float, keep: float) -> bool:
        heading = 0 if section in self._headed else _cost(_heading(section))
        room = min(int(self.tokens * until), self.tokens - self._frame - heading) - int(self.tokens * keep) - self._used
        text, cost = entry.said + entry.tail, self._costs.get(id(entry), 0)
        if not cost:
            cost = self._costs[id(entry)] = _cost(text)  # once: it may be offered again
        if cost > room:
            said = self._cut(entry, room - 1) if cost > self.tokens * _LONG else None
            if said is None:
                return False
            text, cost = said + entry.tail, _cost(said + entry.tail)
        self._headed.add(section)
        self._frame += heading
        self._used += cost
        self.lines.append(RouteLine(section, entry, text, cost))
        return True

    def _cut(self, entry: RouteEntry, room: int) -> str | None:
        return shorten(entry.said, min(room, int(self.tokens * _LONG)) - count_tokens(entry.tail))

    def finish(self, note: Callable[[Sequence[RouteLine]], str]) -> Routed:
        text = self._text(_plain(note(self.lines)))
        counted = count_tokens(text)
        while counted > self.tokens:
            text = self._text("")
            counted = count_tokens(text)
            if counted > self.tokens:  # lines were counted one by one; should the whole be longer, the last ones go
                self.lines.pop()
        return Routed(text, counted, tuple(self.lines))

    def _text(self, note: str) -> str:
        lines: list[str] = []
        for name in HEADINGS:
            members = [line.text for line in self.lines if line.section == name]
            lines += [_heading(name), *members] if members else []
        return fence("\n".join([*lines, note] if note else lines)) if lines else ""


def _heading(section: str) -> str:
    return f"## {HEADINGS[section]}"


def _cost(line: str) -> int:
    return count_tokens(line) + 1
