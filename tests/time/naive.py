"""What bi-temporal memory means, in plain lists: what the real one is compared with. No SQL, no index, no cleverness.

A fact was recorded at an instant and given up at a later one, or is held still; it says that something was true from an
instant, included, until another, excluded, or without end. Nothing of a fact is ever changed but `superseded_at`, once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

FOR_EVER = datetime.max.replace(tzinfo=UTC)


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
                    self._cut(now, self.held(said.replaces or ""), new)
                return "duplicate", fact.memory
        if not said.direct and self._was_ended(new, same, said.since):
            return "refused", None
        if said.replaces is not None:
            held = self.held(said.replaces)
            if not held:
                return ("not found" if said.direct else "refused"), None
            self._cut(now, held, new)
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
        """It is not true, or not after an instant."""
        held = self.held(memory)
        if not held:
            return "not found"
        if until is None:
            for fact in held:
                fact.superseded_at = now
            return "done"
        later = Fact(memory, "", now, until, None, level=1)
        if all(until <= fact.valid_from for fact in held) or not any(_meet(_period(f), _period(later)) for f in held):
            return "invalid"
        self._cut(now, held, later)
        return "done"

    def reject(self, now: datetime, memory: str) -> str:
        """It is not true, and nobody may say so again."""
        held = self.held(memory)
        if not held:
            return "not found"
        wrong = {fact.value for fact in held}
        for fact in self.facts:
            if fact.is_held and fact.value in wrong:
                fact.superseded_at = now
        words = {words for _, words in wrong}  # also in the domains from which it was moved
        self.rejected |= {fact.value for fact in self.facts if fact.memory == memory and fact.value[1] in words}
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

    def _cut(self, now: datetime, held: list[Fact], new: Fact) -> None:
        """What is held gives way to the new fact, for as long as that is true."""
        for fact in held:
            if _meet(_period(fact), _period(new)):
                fact.superseded_at = now
                for since, until in _minus([_period(fact)], [new]):
                    self._write(fact, now, valid_from=since, valid_until=None if until == FOR_EVER else until)

    def _write(self, like: Fact, now: datetime, **other: Any) -> None:
        self.facts.append(replace(like, recorded_at=now, superseded_at=None, **other))


Span = tuple[datetime, datetime]


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
