"""Shapes of change × what was true then × what was known then, by every query; and the page that shows them."""

import shlex
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.time.shapes import NOW, SHAPES, Shape, rendered

from waypost.errors import NotFound
from waypost.memory import Memory
from waypost.model.time import parse_time

pytestmark = pytest.mark.slow  # not for the inner loop

PAGE = Path(__file__).parents[2] / "docs" / "design" / "time-cases.md"


def happen(memory: Memory, clock: TestClock, line: str, ids: dict[str, str]) -> None:
    """Do what a line of a story says, on its day. `ids` are by the names that the story gives."""
    day, *words = shlex.split(line)
    clock.now = parse_time(day)
    name = words[0] if words[1] == "=" else None
    action, *words = words[2:] if name else words
    start = next((place for place, word in enumerate(words) if word.startswith("--")), len(words))
    given = [ids.get(word, word) for word in words[:start]]
    options = {
        option.removeprefix("--").replace("-", "_"): ids.get(value, value)
        for option, value in zip(words[start::2], words[start + 1 :: 2], strict=True)
    }
    receipt = getattr(memory, action)(*given, **options)
    if name:
        ids[name] = receipt.id


def answers(memory: Memory, ids: dict[str, str], as_of: datetime, known_at: datetime | None) -> dict[str, list[str]]:
    """What every query says to one question, by its name."""
    moment: dict[str, Any] = {"as_of": as_of, "known_at": known_at}
    shown = []
    for memory_id in ids.values():
        try:
            shown.append(memory.show(memory_id, **moment).version.text)
        except NotFound:
            continue
    return {
        "list": [row["text"] for row in memory.list(**moment)],
        "recall": [hit.text for hit in memory.recall("Which port?", **moment)],
        "brief": [hit.text for hit in memory.brief("Open the port", **moment).memories],
        "export": [row["text"] for row in memory.admin.export_rows(**moment)],
        "show": shown,
    }


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_of_change_answers_as_its_table_says(shape: Shape, memory: Memory, clock: TestClock) -> None:
    ids: dict[str, str] = {}
    for line in shape.story:
        happen(memory, clock, line, ids)
    clock.now = parse_time(NOW)
    for as_of, known_at, value in shape.cells():
        expected = [] if value is None else [f"The port is {value}"]
        for query, answer in answers(memory, ids, as_of, known_at).items():
            assert answer == expected, f"{query}: true at {as_of:%F}, known at {known_at}"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_row_is_what_was_answered_on_its_day(shape: Shape, memory: Memory, clock: TestClock) -> None:
    """Asked then, before the rest of the story happened, and without saying when it is."""
    ids: dict[str, str] = {}
    coming = [*shape.story]
    for as_of, known_at, value in shape.cells():
        today = known_at or parse_time(NOW)
        while coming and parse_time(coming[0].split()[0]) <= today:
            happen(memory, clock, coming.pop(0), ids)
        clock.now = today
        told = [row["text"] for row in memory.list(as_of=as_of)]
        assert told == ([] if value is None else [f"The port is {value}"]), f"true at {as_of:%F}, on {today:%F}"


def test_the_page_shows_these_tables() -> None:
    assert rendered() in PAGE.read_text(encoding="utf-8"), "python -m tests.time.shapes prints them"
