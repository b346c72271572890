"""What bi-temporal memory means, in plain lists: what the real one is compared with. No SQL, no index, no cleverness.

A fact was recorded at an instant and given up at a later one, or is held still; it says that something was true from an
instant, included, until another, excluded, or without end. Nothing of a fact is ever changed but `superseded_at`, once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

FOR_EVER = datetime.max.replace(tzinfo=UTC)
Span = tuple[datetime, datetime]


@dataclass(slots=True)
class Fact:
    memory: str
    text: str
    recorded_at: datetime
    valid_from: datetime
    valid_until: datetime | None
    level: int
    domain: str = ""
    superseded_at: datetime | None = None

    @property
    def value(self) -> tuple[str, str]:
        """What makes two facts the same: the words, not how they are spaced; and the domain that they are about."""
        return self.domain, " ".join(self.text.lower().split())

    @property
    def is_held(self) -> bool:
        return self.superseded_at is None

    def true_at(self, instant: datetime) -> bool:
        return self.valid_from <= instant and (self.valid_until is None or instant < self.valid_until)

    def known_at(self, instant: datetime | None) -> bool:
        if instant is None:
            return self.is_held
        return self.recorded_at <= instant and (self.superseded_at is None or instant < self.superseded_at)


@dataclass(frozen=True, slots=True)
class Said:
    """A fact that somebody brings. `direct`: says it now, rather than in a batch; `since` None: from now on."""

    text: str
    since: datetime | None = None
    until: datetime | None = None
    replaces: str | None = None
    direct: bool = True


class NaiveMemory:
    """Each change takes the instant at which it happens and answers as the real one should."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.rejected: set[tuple[str, str]] = set()
        self.replaced: dict[tuple[str, str], datetime] = {}  # which memory replaced which, and when it did so first

    # -- questions ----------------------------------------------------------------------------------------

    def ask(self, as_of: datetime, known_at: datetime | None) -> list[Fact]:
        """What was true at an instant, as far as it was known at another (None: is known by now)."""
        return [fact for fact in self.facts if fact.known_at(known_at) and fact.true_at(as_of)]

    def held(self, memory: str) -> list[Fact]:
        return [fact for fact in self.facts if fact.memory == memory and fact.is_held]

    def means(self, memory: str, now: datetime) -> Fact | None:
        """What a command about an id is about: what is true now, else what was written last and is held."""
        held = self.held(memory)
        true = [fact for fact in held if fact.true_at(now)]
        return (true or held)[-1] if held else None

    def history(self, memory: str) -> list[Fact]:
        return [fact for fact in self.facts if fact.memory == memory]

    # -- changes ------------------------------------------------------------------------------------------

    def remember(self, now: datetime, said: Said, new_id: str | None) -> tuple[str, str | None]:
        """What becomes of it, and under which id. `new_id` is what it is called if it is new."""
        new = Fact(new_id or "", said.text, now, said.since or now, said.until, level=1)
        if new.value in self.rejected:
            return "refused", None
        same = [fact for fact in self.facts if fact.value == new.value]
        for fact in same:
            if fact.is_held and not _minus([_period(new)], [fact]):
                if said.replaces not in (None, fact.memory):
                    self._replace(now, self.held(said.replaces or ""), replace(new, memory=fact.memory))
                return "duplicate", fact.memory
        if not said.direct and self._was_ended(new, same, said.since):
            return "refused", None
        if said.replaces is not None:
            held = self.held(said.replaces)
            if not held:
                return ("not found" if said.direct else "refused"), None
            self._replace(now, held, new)
            self.facts.append(new)
            return "added", new.memory
        for fact in same:
            if fact.is_held and _meet(_period(fact), _period(new)):
                whole = (min(fact.valid_from, new.valid_from), max(_end(fact), _end(new)))
                if not any(_meet(_period(o), whole) for o in self.held(fact.memory) if o is not fact):
                    fact.superseded_at = now
                    until = None if whole[1] == FOR_EVER else whole[1]
                    self._write(fact, now, text=new.text, valid_from=whole[0], valid_until=until)
                    return "merged", fact.memory
        self.facts.append(new)
        return "added", new.memory

    def correct(
        self, now: datetime, memory: str, text: str, since: datetime | None = None, until: datetime | None = None
    ) -> str:
        """It should have been said like this. What the memory says of other times stays, as far as there is room."""
        old = self.means(memory, now)
        if old is None:
            return "not found"
        new = Fact(memory, text, now, since or old.valid_from, until or old.valid_until, old.level, old.domain)
        if new.valid_from >= _end(new):
            return "invalid"
        if new.value in self.rejected:
            return "refused"
        if (new.text, _period(new)) == (old.text, _period(old)):
            return "duplicate"
        old.superseded_at = now
        self._cut(now, self.held(memory), new)
        self.facts.append(new)
        return "added"

    def retract(self, now: datetime, memory: str, until: datetime | None = None) -> str:
        """It is not true, or not after an instant. If it is not true at all, what it had replaced is."""
        held = self.held(memory)
        if not held:
            return "not found"
        if until is None:
            self._end(now, held)
            return "done"
        later = Fact(memory, "", now, until, None, level=1)
        if all(until <= fact.valid_from for fact in held) or not any(_meet(_period(f), _period(later)) for f in held):
            return "invalid"
        self._cut(now, held, later)
        return "done"

    def reject(self, now: datetime, memory: str) -> str:
        """It is not true, and nobody may say so again. What it had replaced is true."""
        held = self.held(memory)
        if not held:
            return "not found"
        wrong = {fact.value for fact in held}
        words = {words for _, words in wrong}  # also in the domains from which it was moved
        self.rejected |= {fact.value for fact in self.facts if fact.memory == memory and fact.value[1] in words}
        others = [fact for fact in self.facts if fact.is_held and fact.value in wrong and fact.memory != memory]
        self._end(now, [*held, *others])
        return "done"

    def promote(self, now: datetime, memory: str, level: int, domain: str | None) -> str:
        """It stands elsewhere from now on; what it says, and when that is true, stays."""
        current = self.means(memory, now)
        if current is None:
            return "not found"
        if (level, domain or current.domain) == (current.level, current.domain):
            return "duplicate"
        held = self.held(memory)
        if any((domain or fact.domain, fact.value[1]) in self.rejected for fact in held):
            return "refused"
        others = [fact for fact in self.facts if fact.is_held and fact.memory != memory]
        if any(
            fact.domain != (domain or fact.domain)
            and other.value == (domain, fact.value[1])
            and _meet(_period(fact), _period(other))
            for fact in held
            for other in others
        ):
            return "invalid"  # exactly this is known there
        for fact in held:
            fact.superseded_at = now
            self._write(fact, now, level=level, domain=domain or fact.domain)
        return "added"

    # -- how --------------------------------------------------------------------------------------------

    def _was_ended(self, new: Fact, same: list[Fact], own_time: datetime | None) -> bool:
        """Whether these words were given up, for a part of the time for which they are brought now, and are not held
        for it; and they are not later words: of an instant after they were given up."""
        held = [fact for fact in same if fact.is_held]
        ended = [f for f in same if not f.is_held and _minus(_both(_period(f), _period(new)), held)]
        last = max((fact.superseded_at for fact in ended if fact.superseded_at), default=None)
        return last is not None and not (own_time is not None and own_time > last)

    def _replace(self, now: datetime, held: list[Fact], new: Fact) -> None:
        for fact in held:
            self.replaced.setdefault((new.memory, fact.memory), now)
        self._cut(now, held, new)

    def _end(self, now: datetime, facts: list[Fact]) -> None:
        """These are not held any more. What they had replaced is held again, for the time for which they were."""
        for fact in facts:
            fact.superseded_at = now
        for memory in dict.fromkeys(fact.memory for fact in facts):
            if not self.held(memory):
                self._give_back(now, memory, [_period(fact) for fact in facts if fact.memory == memory], {memory})

    def _give_back(self, now: datetime, ended: str, times: list[Span], seen: set[str]) -> None:
        for memory in sorted(old for new, old in self.replaced if new == ended):
            if memory in seen:
                continue
            if not self._hold_again(now, memory, times) and not self.held(memory):
                self._give_back(now, memory, times, seen | {memory})  # it was ended itself: what it had replaced, then

    def _hold_again(self, now: datetime, memory: str, times: list[Span]) -> bool:
        """Hold again what a replacement ended of a memory, where no other replacement holds and nobody says the same."""
        known = self.history(memory)
        others = [fact for other in self._replacing(memory) for fact in self.held(other)]
        same = [fact for fact in self.facts if fact.is_held and fact.memory != memory and fact.value == known[-1].value]
        ended_at = self._replaced_at(memory)
        pieces: list[tuple[Fact, Span]] = []
        later = self.held(memory)
        for fact in reversed(known):
            if fact.is_held:
                continue
            if fact.superseded_at in ended_at:
                last_word = _minus([_period(fact)], [*later, *others, *same])
                pieces += [(fact, part) for span in last_word for time in times for part in _both(span, time)]
            later = [*later, fact]
        there = [*self.held(memory), *others, *same, *(_over(fact, span) for fact, span in pieces)]
        pieces = [
            (fact, span)
            for fact, span in pieces
            if not any(_minus([_period(rest)], there) for rest in self._rests(fact, known, ended_at))
        ]
        new = self._joined(memory, pieces)
        if any(fact.value in self.rejected for fact, _ in new):
            return False
        for fact, absorbed in new:
            for one in absorbed:
                one.superseded_at = now
            self._write(fact, now)
        return bool(new)

    def _joined(self, memory: str, pieces: list[tuple[Fact, Span]]) -> list[tuple[Fact, list[Fact]]]:
        """Each piece as one fact with what it goes on from, and the held facts that it takes in."""
        new: list[tuple[Fact, list[Fact]]] = []
        for fact, (start, end) in sorted(pieces, key=lambda one: one[1][0]):
            taken = [one for _, absorbed in new for one in absorbed]
            beside = [*(one for one, _ in new), *(one for one in self.held(memory) if one not in taken)]
            before = next((one for one in beside if one.valid_until == start), None)
            after = next((one for one in beside if end != FOR_EVER and one.valid_from == end), None)
            like = before or after or fact
            if after is not None and (after.text, after.level, after.domain) != (like.text, like.level, like.domain):
                after = None
            whole = replace(
                like,
                valid_from=before.valid_from if before else start,
                valid_until=after.valid_until if after else None if end == FOR_EVER else end,
            )
            absorbed = [one for one in (before, after) if one is not None and one in self.held(memory)]
            for one, also in [pair for pair in new if pair[0] is before]:
                absorbed = [*also, *absorbed]
                new = [pair for pair in new if pair[0] is not one]
            new.append((whole, absorbed))
        return new

    def _rests(self, fact: Fact, known: list[Fact], ended_at: set[datetime]) -> list[Fact]:
        """What a replacement left of a fact."""
        place = next(number for number, one in enumerate(known) if one is fact)
        return [
            one
            for one in known[place + 1 :]
            if one.recorded_at in ended_at
            and one.recorded_at <= (fact.superseded_at or one.recorded_at)
            and one.text == fact.text
            and not _minus([_period(one)], [fact])
        ]

    def _replacing(self, memory: str) -> set[str]:
        found: set[str] = set()
        queue = [memory]
        while queue:
            above = queue.pop()
            new = {by for by, old in self.replaced if old == above} - found - {memory}
            found |= new
            queue += new
        return found

    def _replaced_at(self, memory: str) -> set[datetime]:
        """When memories of which nothing is held any more replaced it."""
        return {
            at
            for (by, old), first in self.replaced.items()
            if old == memory and not self.held(by)
            for at in (first, self.history(by)[0].recorded_at)
        }

    def _cut(self, now: datetime, held: list[Fact], new: Fact) -> None:
        """What is held gives way to the new fact, for as long as that is true."""
        for fact in held:
            if _meet(_period(fact), _period(new)):
                fact.superseded_at = now
                for since, until in _minus([_period(fact)], [new]):
                    self._write(fact, now, valid_from=since, valid_until=None if until == FOR_EVER else until)

    def _write(self, like: Fact, now: datetime, **other: Any) -> None:
        self.facts.append(replace(like, recorded_at=now, superseded_at=None, **other))


def _over(fact: Fact, span: Span) -> Fact:
    return replace(fact, valid_from=span[0], valid_until=None if span[1] == FOR_EVER else span[1])


def _end(fact: Fact) -> datetime:
    return fact.valid_until or FOR_EVER


def _period(fact: Fact) -> Span:
    return fact.valid_from, _end(fact)


def _meet(one: Span, other: Span) -> bool:
    return bool(_both(one, other))


def _both(one: Span, other: Span) -> list[Span]:
    start, end = max(one[0], other[0]), min(one[1], other[1])
    return [(start, end)] if start < end else []


def _minus(spans: list[Span], facts: Iterable[Fact]) -> list[Span]:
    """What is left of spans of time without those of these facts."""
    for fact in facts:
        start, end = _period(fact)
        spans = [
            part
            for span in spans
            for part in ((span[0], min(span[1], start)), (max(span[0], end), span[1]))
            if part[0] < part[1]
        ]
    return spans
