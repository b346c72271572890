"""Months of a restless life: late words, edits and deletions by hand, undoing, upkeep at odd times. No word is lost."""

import random
import re
from datetime import date
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.flows.journal.days import DAY, START, at_four, condensed, files_of, lost, noon, root_of, space_of, talk

from waypost import Memory
from waypost.errors import NotFound
from waypost.flows.journal.condense.restore import release, restore
from waypost.journal.markdown import parse_page
from waypost.model.memory import Caller

ANNA = Caller("person", "anna")


class Life:
    def __init__(self, memory: Memory, clock: TestClock, seed: int) -> None:
        self.memory, self.clock, self.chance = memory, clock, random.Random(seed)
        self.today = START
        self.words: list[str] = []
        self.number = 0

    @property
    def root(self) -> Path:
        return root_of(self.memory)

    def said(self) -> None:
        self.number += 1
        self.words += talk(self.memory, self.today, self.number)

    def said_late(self) -> None:
        self.number += 1
        self.words += talk(self.memory, self.today - DAY * self.chance.randint(1, 60), self.number)

    def edited(self) -> None:
        """Somebody changes a word, and adds one. What was not yet in the archive may so be lost by their own hand."""
        path = self._live_day()
        if path is None:
            return
        text = path.read_text("utf-8")
        page = parse_page(text, date.fromisoformat(path.stem), None)
        self.number += 1
        word = f"handword{self.number}"
        place = self.chance.randrange(len(page.entries))
        old = page.entries[place].text.split()[0]
        path.write_text(text.replace(f"\n{old}", f"\n{word}", 1), "utf-8")
        self._drop_from(page.entries[place].text)
        self.words += [word] if word in path.read_text("utf-8") else []

    def deleted(self) -> None:
        path = self._live_day()
        if path is None:
            return
        page = parse_page(path.read_text("utf-8"), date.fromisoformat(path.stem), None)
        gone = page.entries[0].text
        path.write_text(page.without([0]).text, "utf-8")
        self._drop_from(gone)

    def _drop_from(self, before: str) -> None:
        """What they took out themselves before there was a copy of it is their own deed."""
        gone = lost(self.root, self.words)
        assert all(word in before for word in gone)
        self.words = [word for word in self.words if word not in gone]

    def undone(self) -> None:
        day = self.today - DAY * self.chance.randint(2, 80)
        year, week, _ = day.isocalendar()
        what = self.chance.choice((f"{day}", f"{year}-W{week:02}", f"{day:%Y-%m}"))
        try:
            restore(space_of(self.memory), what, ANNA)
            if self.chance.random() < 0.7:
                release(space_of(self.memory), what, ANNA)
        except NotFound:
            pass

    def condensed(self) -> None:
        self.clock.now = at_four(self.today)
        condensed(self.memory)
        before = files_of(self.root)
        assert condensed(self.memory).steps == ()
        assert files_of(self.root) == before
        self.clock.now = noon(self.today)

    def slept(self) -> None:
        self.today += DAY * self.chance.choice((1, 1, 1, 2, 9))
        self.clock.now = noon(self.today)

    def _live_day(self) -> Path | None:
        days = sorted((self.root / "daily").glob("????-??-??.md"))
        full = [path for path in days if re.search(r"(?m)^### ", path.read_text("utf-8"))]
        return self.chance.choice(full) if full else None


SEEDS = [pytest.param(seed, marks=pytest.mark.slow if seed < 3 else pytest.mark.soak) for seed in range(30)]


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_to_the_files_no_word_is_lost(memory: Memory, clock: TestClock, seed: int) -> None:
    clock.now = noon(START)
    life = Life(memory, clock, seed)
    life.said()
    for _ in range(60):
        step = life.chance.choices(
            (life.said, life.slept, life.condensed, life.said_late, life.edited, life.deleted, life.undone),
            (5, 6, 5, 2, 2, 1, 2),
        )[0]
        step()
        assert lost(life.root, life.words) == [], step.__name__
    life.today += DAY * 900
    life.condensed()
    assert lost(life.root, life.words) == []
