"""The same steps on a real memory and on the naive one, and the same questions to both."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from tests.conftest import TestClock
from tests.time.conftest import FreshMemory
from tests.time.naive import Fact, NaiveMemory, Said

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.memory import Memory
from waypost.model.memory import Version
from waypost.model.receipt import Receipt
from waypost.model.time import parse_time

SUBJECT = "harbour"  # a word that every fact has
TEXTS = tuple(f"The {SUBJECT} light is {colour}" for colour in ("red", "green", "white", "blue"))
ACTIONS = ("remember",) * 6 + ("batch",) * 3 + ("correct",) * 3 + ("retract",) * 2 + ("promote", "reject")
MOMENT = timedelta(microseconds=1)
Pair = tuple[datetime | None, datetime | None]  # as_of and known_at
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Something that somebody does. Numbers stand for what there is when it is done, so that a list of steps with some
    left out is one, too."""

    action: str
    text: str
    waited: int  # hours since the step before
    memory: int
    since: int | None  # hours from now, before or after
    until: int | None
    replaces: bool
    level: int


def make_steps(random: Random, count: int) -> list[Step]:
    return [_step(random) for _ in range(count)]


def _step(random: Random) -> Step:
    text = random.choice(TEXTS)
    since = random.choice((None, None, random.randint(-30, 20)))
    until = random.choice((None, None, (since or 0) + random.randint(-2, 25)))
    return Step(
        random.choice(ACTIONS),
        text.replace(" ", "  ") if random.random() < 0.2 else text,
        random.choice((0, 0, 1, 1, 2, 5)),
        random.randrange(1000),
        since,
        until,
        random.random() < 0.4,
        random.randrange(4),
    )


class Broken(AssertionError):
    """The memories differ, or a rule does not hold."""


class World:
    def __init__(self, memory: Memory, clock: TestClock, folder: Path) -> None:
        self.memory, self.clock, self.folder = memory, clock, folder
        self.naive = NaiveMemory()
        self.ids: list[str] = []
        self.told: dict[
            tuple[datetime, datetime], tuple[list[Row], ...]
        ] = {}  # what was answered about instants that were past by then

    # -- steps --------------------------------------------------------------------------------------------

    def play(self, step: Step) -> None:
        """Do it in both; both have to say the same about it."""
        self.clock.advance(hours=step.waited)
        chosen = self.ids[step.memory % len(self.ids)] if self.ids else None
        if step.action in ("remember", "batch"):
            self._remember(step, chosen)
        elif chosen is not None:
            _same(f"{step} of {chosen}", self._outcome(step, chosen), self._expected(step, chosen))

    def _when(self, hours: int | None) -> datetime | None:
        return None if hours is None else self.clock.now + timedelta(hours=hours)

    def _remember(self, step: Step, chosen: str | None) -> None:
        since, until = self._when(step.since), self._when(step.until)
        replaces = chosen if step.replaces else None
        said = Said(step.text, since, until, replaces, direct=step.action == "remember")
        given: dict[str, Any] = {"valid_from": since, "valid_until": until, "replaces": replaces}
        given = {name: value for name, value in given.items() if value is not None}

        def write() -> Receipt:
            if said.direct:
                return self.memory.remember(said.text, **given)
            return self.memory.remember_many([{"text": said.text, **given}])[0]

        if until is not None and until <= (since or self.clock.now):
            _same("a period that ends before it begins", _status(write), "invalid")
            return
        receipts: list[Receipt] = []
        status = _status(lambda: receipts.append(write()) or receipts[-1])  # type: ignore[func-returns-value]
        written = receipts[-1].id if receipts else None
        _same(step, (status, written), self.naive.remember(self.clock.now, said, written))
        if written is not None and written not in self.ids:
            self.ids.append(written)

    def _outcome(self, step: Step, chosen: str) -> str:
        since, until = self._when(step.since), self._when(step.until)
        if step.action == "correct":
            return _status(lambda: self.memory.correct(chosen, step.text, valid_from=since, valid_until=until))
        if step.action == "retract":
            return _status(lambda: self.memory.retract(chosen, valid_until=until))
        if step.action == "reject":
            return _status(lambda: self.memory.reject(chosen))
        return _status(lambda: self.memory.facts.promote(chosen, step.level, domain="sea" if step.replaces else None))

    def _expected(self, step: Step, chosen: str) -> str:
        now, since, until = self.clock.now, self._when(step.since), self._when(step.until)
        if step.action == "correct":
            return self.naive.correct(now, chosen, step.text, since, until)
        if step.action == "retract":
            return self.naive.retract(now, chosen, until)
        if step.action == "reject":
            return self.naive.reject(now, chosen)
        return self.naive.promote(now, chosen, step.level, "sea" if step.replaces else None)

    # -- questions ----------------------------------------------------------------------------------------

    def instants(self) -> tuple[list[datetime | None], list[datetime | None]]:
        """Every instant at which an answer may change, and the last one before it: true then, and known then."""
        facts = self.naive.facts
        valid = {at for fact in facts for at in (fact.valid_from, fact.valid_until) if at is not None}
        known = {at for fact in facts for at in (fact.recorded_at, fact.superseded_at) if at is not None}
        return [None, *_around(valid | {self.clock.now})], [None, *_around(known | {self.clock.now})]

    def compare(self, random: Random, pairs: int) -> None:
        """Ask both about now and about some instants, and the real one again what it was asked before. Without pairs,
        only the history and some lists are looked at, which is quick."""
        valid, known = self.instants()
        self._check_rules()
        self.compare_lists((random.choice(valid), random.choice(known)) for _ in range(3 * max(1, pairs)))
        for _ in range(pairs):
            self.compare_at(random.choice(valid), random.choice(known))
        if pairs and random.random() < 0.2:
            self.compare_at(None, None)
            self._compare_export(random.choice(valid), random.choice(known))
        self.ask_again(random, pairs)

    def compare_lists(self, pairs: Iterable[Pair]) -> None:
        for as_of, known_at in pairs:
            listed = self.memory.list(limit=1000, as_of=as_of, known_at=known_at)
            visible = self.naive.ask(as_of or self.clock.now, known_at)
            _same(f"list as_of={as_of}, known_at={known_at}", _rows(listed), _facts(visible))

    def ask_again(self, random: Random, count: int) -> None:
        """What was answered once is answered for ever, whatever was written since."""
        for pair in random.sample(sorted(self.told), min(count, len(self.told))):
            _same(f"asked again: {pair}", self._answers(*pair), self.told[pair])

    def compare_at(self, as_of: datetime | None, known_at: datetime | None) -> None:
        visible = self.naive.ask(as_of or self.clock.now, known_at)
        expected = _facts(visible)
        moment = f"as_of={as_of}, known_at={known_at}"
        answers = self._answers(as_of, known_at)
        for name, answer in zip(("list", "rows"), answers[:2], strict=True):
            _same(f"{name} {moment}", answer, expected)
        for name, answer in zip(("recall", "brief"), answers[2:4], strict=True):
            _same(f"{name} {moment}", answer, sorted(expected))
        routed = self.memory.brief(SUBJECT, preset="route", as_of=as_of, known_at=known_at).memories
        unseen = sorted({*_rows(hit.to_json() for hit in routed)} - {*expected}, key=str)  # it chooses among them
        _same(f"route {moment}", unseen, [])
        _same(f"show {moment}", answers[4], self._shown(as_of, known_at, visible))
        _same(f"history {moment}", answers[5], self._told(as_of, known_at))
        if known_at is not None and known_at < self.clock.now and as_of is not None:
            self.told.setdefault((as_of, known_at), answers)

    def note(self, as_of: datetime, known_at: datetime) -> None:
        """Ask, and keep the answer to be compared with later ones."""
        self.told.setdefault((as_of, known_at), self._answers(as_of, known_at))

    def _compare_export(self, as_of: datetime | None, known_at: datetime | None) -> None:
        file = self.folder / "export.jsonl"
        self.memory.admin.export(file, as_of=as_of, known_at=known_at)
        exported = [json.loads(line) for line in file.read_text().splitlines()]
        file.unlink()
        visible = self.naive.ask(as_of or self.clock.now, known_at)
        _same(f"export as_of={as_of}, known_at={known_at}", _rows(exported), _facts(visible))

    def _answers(self, as_of: datetime | None, known_at: datetime | None) -> tuple[list[Row], ...]:
        moment: dict[str, Any] = {"as_of": as_of, "known_at": known_at}
        hits = self.memory.recall(SUBJECT, k=1000, **moment).hits
        told = self.memory.brief(SUBJECT, tokens=100_000, **moment).memories
        return (
            _rows(self.memory.list(limit=1000, **moment)),
            _rows(self.memory.admin.export_rows(**moment)),
            sorted(_rows(hit.to_json() for hit in hits)),
            sorted(_rows(hit.to_json() for hit in told)),
            [row for memory_id in self.ids for row in self._show(memory_id, moment)],
            [
                (one.memory_id, one.text, one.valid_from, one.valid_until, one.recorded_at, one.superseded_at)
                for memory_id in self.ids
                for one in self._history(memory_id, **moment)
            ],
        )

    def _show(self, memory_id: str, moment: dict[str, Any]) -> Iterator[Row]:
        try:
            version = self.memory.show(memory_id, **moment).version
        except NotFound:
            return
        yield (memory_id, version.text, version.valid_from, version.valid_until, version.recorded_at, version.level)

    def _shown(self, as_of: datetime | None, known_at: datetime | None, visible: list[Fact]) -> list[Row]:
        found: list[Fact | None] = []
        for memory_id in self.ids:
            if as_of is None and known_at is None:
                found.append(self.naive.means(memory_id, self.clock.now))
            else:
                found += [fact for fact in visible if fact.memory == memory_id]
        return _facts([fact for fact in found if fact is not None])

    def _told(self, as_of: datetime | None, known_at: datetime | None) -> list[Row]:
        """What was recorded by then about that time; given up, if it was by then."""
        return [
            (
                fact.memory,
                fact.text,
                fact.valid_from,
                fact.valid_until,
                fact.recorded_at,
                None if known_at is not None and fact.known_at(known_at) else fact.superseded_at,
            )
            for memory_id in self.ids
            for fact in self.naive.history(memory_id)
            if (known_at is None or fact.recorded_at <= known_at) and (as_of is None or fact.true_at(as_of))
        ]

    def _history(self, memory_id: str, **moment: Any) -> tuple[Version, ...]:
        try:
            return self.memory.history(memory_id, **moment).versions
        except NotFound:
            return ()

    # -- rules that need no model -------------------------------------------------------------------------

    def _check_rules(self) -> None:
        for memory_id in self.ids:
            versions = self._history(memory_id)
            facts = self.naive.history(memory_id)
            _same(
                f"history of {memory_id}",
                [(v.text, v.recorded_at, v.superseded_at, v.valid_from, v.valid_until, v.level) for v in versions],
                [(f.text, f.recorded_at, f.superseded_at, f.valid_from, f.valid_until, f.level) for f in facts],
            )
            check_versions(versions)


def check_versions(versions: Sequence[Version]) -> None:
    """The rules that hold for the versions of any memory, whatever was done to it."""
    for place, one in enumerate(versions):
        if one.superseded_at is not None and one.superseded_at < one.recorded_at:
            raise Broken(f"given up before it was recorded: {one}")
        if one.valid_until is not None and one.valid_until <= one.valid_from:
            raise Broken(f"ends before it begins: {one}")
        for other in versions[:place]:
            known = _meet((one.recorded_at, one.superseded_at), (other.recorded_at, other.superseded_at))
            if known and _meet(one.period, other.period):
                raise Broken(f"two versions at once: {one} and {other}")


def _meet(one: tuple[datetime, datetime | None], other: tuple[datetime, datetime | None]) -> bool:
    start = max(one[0], other[0])
    return all(start < end for end in (one[1], other[1]) if end is not None)


def _around(instants: set[datetime]) -> list[datetime]:
    return sorted(at - back for at in instants for back in (MOMENT, timedelta(0)))


def _status(act: Callable[[], Receipt | None]) -> str:
    try:
        receipt = act()
    except NotFound:
        return "not found"
    except InvalidInput:
        return "invalid"
    except Refused:
        return "refused"
    return "done" if receipt is None else receipt.status


def _facts(facts: list[Fact]) -> list[Row]:
    return [(f.memory, f.text, f.valid_from, f.valid_until, f.recorded_at, f.level) for f in facts]


def _rows(rows: Any) -> list[Row]:
    return [
        (
            row["id"],
            row["text"],
            parse_time(row["valid_from"]),
            parse_time(row["valid_until"]) if row["valid_until"] else None,
            parse_time(row["recorded_at"]),
            row["level"],
        )
        for row in rows
    ]


def _same(what: object, real: object, expected: object) -> None:
    if real != expected:
        raise Broken(f"{what}\n  is       {real}\n  should be {expected}")


def shortest(steps: list[Step], breaks: Callable[[list[Step]], bool]) -> list[Step]:
    """As few of the steps as break it still."""
    place = 0
    while place < len(steps):
        fewer = [*steps[:place], *steps[place + 1 :]]
        if breaks(fewer):
            steps = fewer
        else:
            place += 1
    for place in range(len(steps)):
        for plain in ({"since": None}, {"until": None}, {"waited": 1}, {"replaces": False}):
            simpler = [*steps[:place], replace(steps[place], **plain), *steps[place + 1 :]]
            if simpler != steps and breaks(simpler):
                steps = simpler
    return steps


class Player:
    """Plays lives, each on a memory of its own."""

    def __init__(self, fresh_memory: FreshMemory, folder: Path) -> None:
        self._fresh_memory, self._folder = fresh_memory, folder

    def complaint(self, steps: list[Step], seed: int, pairs: int = 1) -> str | None:
        """What is wrong after which step, if anything is."""
        clock, random = TestClock(), Random(seed)
        world = World(self._fresh_memory(clock), clock, self._folder)
        try:
            for step in steps:
                world.play(step)
                world.compare(random, pairs)
            clock.advance(hours=1)
            valid, known = world.instants()
            world.compare_lists(random.sample([*product(valid, known)], min(30 + 30 * pairs, len(valid) * len(known))))
            world.ask_again(random, 10 * pairs)
        except Broken as broken:
            return str(broken)
        finally:
            world.memory.close()
        return None

    def shortest_complaint(self, seed: int, steps: list[Step], pairs: int = 1) -> str | None:
        """The same with as few steps as show it, for whoever has to find out why."""
        found = self.complaint(steps, seed, pairs)
        if found is None:
            return None
        steps = shortest(steps, lambda fewer: self.complaint(fewer, seed, pairs) is not None)
        told = "\n".join(map(str, steps))
        return f"seed {seed}:\n{told}\n{self.complaint(steps, seed, pairs) or found}"
