"""The shapes of change, and what is answered of each when one asks what was true then, as known then.

`python -m tests.time.shapes` prints them as docs/design/time-cases.md has them.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from waypost.model.time import parse_time

_COMMAND = re.compile(r"^(\S+  (?:\w+ = )?)")
NOW = "2026-05-01"  # when the questions are asked


@dataclass(frozen=True, slots=True)
class Shape:
    """A story, each line a day and a command, with a name for the memory that it writes; and a table: a column for each
    day that is asked about, a row for each day whose knowledge is asked for, `now` for all of it."""

    name: str
    meaning: str
    story: tuple[str, ...]
    table: str

    @property
    def head(self) -> list[str]:
        return self._lines()[0][1:]

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        return [(line[0], line[1:]) for line in self._lines()[1:]]

    def cells(self) -> list[tuple[datetime, datetime | None, str | None]]:
        """As of, known at, and what is answered, if anything is."""
        return [
            (parse_time(as_of), None if known_at == "now" else parse_time(known_at), None if cell == "-" else cell)
            for known_at, cells in self.rows
            for as_of, cell in zip(self.head, cells, strict=True)
        ]

    def _lines(self) -> list[list[str]]:
        return [[cell.strip() for cell in line.split("|")] for line in self.table.strip().splitlines()]


SHAPES = (
    Shape(
        "Replacement",
        "The world changed. The new value is true from its day on; the old one was true until then.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-20  b = remember "The port is 9090" --replaces a',
        ),
        """
        known at   | 2026-02-20 | 2026-03-10 | 2026-03-20 | 2026-03-30
        2026-02-25 | -          | -          | -          | -
        2026-03-10 | -          | 8080       | 8080       | 8080
        2026-03-20 | -          | 8080       | 9090       | 9090
        now        | -          | 8080       | 9090       | 9090
        """,
    ),
    Shape(
        "Reversal",
        "The world changed, and changed back.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-10  b = remember "The port is 9090" --replaces a',
            '2026-03-20  c = remember "The port is 8080" --replaces b',
        ),
        """
        known at   | 2026-02-20 | 2026-03-05 | 2026-03-15 | 2026-03-25
        2026-02-25 | -          | -          | -          | -
        2026-03-05 | -          | 8080       | 8080       | 8080
        2026-03-15 | -          | 8080       | 9090       | 9090
        now        | -          | 8080       | 9090       | 8080
        """,
    ),
    Shape(
        "Retraction",
        "It never was true, and nothing replaces it. History still shows that it was believed.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            "2026-03-20  retract a",
        ),
        """
        known at   | 2026-02-20 | 2026-03-10 | 2026-03-30
        2026-02-25 | -          | -          | -
        2026-03-10 | -          | 8080       | 8080
        now        | -          | -          | -
        """,
    ),
    Shape(
        "Retraction from a day on",
        "It was true until that day, and nothing replaces it.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            "2026-03-20  retract a --valid-until 2026-03-15",
        ),
        """
        known at   | 2026-02-20 | 2026-03-10 | 2026-03-15 | 2026-03-30
        2026-02-25 | -          | -          | -          | -
        2026-03-18 | -          | 8080       | 8080       | 8080
        now        | -          | 8080       | -          | -
        """,
    ),
    Shape(
        "Change of a part of the time",
        "For some days another value was true. Before and after, the old one holds.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-20  b = remember "The port is 9090" --replaces a --valid-from 2026-03-10 --valid-until 2026-03-15',
        ),
        """
        known at   | 2026-03-05 | 2026-03-10 | 2026-03-12 | 2026-03-15 | 2026-03-30
        2026-02-25 | -          | -          | -          | -          | -
        2026-03-18 | 8080       | 8080       | 8080       | 8080       | 8080
        now        | 8080       | 9090       | 9090       | 8080       | 8080
        """,
    ),
    Shape(
        "Bounded validity",
        "The end is known from the start.",
        ('2026-03-01  a = remember "The port is 8080" --valid-until 2026-03-15',),
        """
        known at   | 2026-02-20 | 2026-03-01 | 2026-03-10 | 2026-03-15 | 2026-03-30
        2026-02-25 | -          | -          | -          | -          | -
        2026-03-05 | -          | 8080       | 8080       | -          | -
        now        | -          | 8080       | 8080       | -          | -
        """,
    ),
    Shape(
        "Correction",
        "The text was wrong. The right value was true all the time.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-20  correct a "The port is 8081"',
        ),
        """
        known at   | 2026-02-20 | 2026-03-10 | 2026-03-30
        2026-02-25 | -          | -          | -
        2026-03-10 | -          | 8080       | 8080
        now        | -          | 8081       | 8081
        """,
    ),
    Shape(
        "Correction of the time",
        "The value was right, the time was not.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-20  correct a "The port is 8080" --valid-from 2026-03-10 --valid-until 2026-04-10',
        ),
        """
        known at   | 2026-03-05 | 2026-03-10 | 2026-03-30 | 2026-04-10
        2026-02-25 | -          | -          | -          | -
        2026-03-15 | 8080       | 8080       | 8080       | 8080
        now        | -          | 8080       | 8080       | -
        """,
    ),
    Shape(
        "Correction of the past",
        "A value that was replaced long ago turns out to have been different. The current value does not change.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-10  b = remember "The port is 9090" --replaces a',
            '2026-03-20  correct a "The port is 8081"',
        ),
        """
        known at   | 2026-02-20 | 2026-03-05 | 2026-03-30
        2026-03-05 | -          | 8080       | 8080
        2026-03-15 | -          | 8080       | 9090
        now        | -          | 8081       | 9090
        """,
    ),
    Shape(
        "Late recording",
        "You write today what has been true since last year. Nobody knew it before.",
        ('2026-03-01  a = remember "The port is 8080" --valid-from 2025-01-01',),
        """
        known at   | 2024-12-31 | 2025-06-01 | 2026-03-10
        2025-06-01 | -          | -          | -
        2026-02-25 | -          | -          | -
        2026-03-10 | -          | 8080       | 8080
        now        | -          | 8080       | 8080
        """,
    ),
    Shape(
        "Late replacement",
        "You notice the change later than it happened.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-20  b = remember "The port is 9090" --replaces a --valid-from 2026-03-10',
        ),
        """
        known at   | 2026-02-20 | 2026-03-05 | 2026-03-15 | 2026-03-30
        2026-03-15 | -          | 8080       | 8080       | 8080
        now        | -          | 8080       | 9090       | 9090
        """,
    ),
    Shape(
        "Future validity",
        "You know today that another value will hold from a later day.",
        (
            '2026-03-01  a = remember "The port is 8080"',
            '2026-03-10  b = remember "The port is 9090" --replaces a --valid-from 2026-04-01',
        ),
        """
        known at   | 2026-03-05 | 2026-03-20 | 2026-04-01 | 2026-04-10
        2026-03-05 | 8080       | 8080       | 8080       | 8080
        2026-03-15 | 8080       | 8080       | 9090       | 9090
        now        | 8080       | 8080       | 9090       | 9090
        """,
    ),
)


def rendered() -> str:
    """All shapes, as docs/design/time-cases.md has them."""
    return "\n".join(_rendered(shape) for shape in SHAPES)


def _rendered(shape: Shape) -> str:
    story = "\n".join(_COMMAND.sub(r"\1waypost ", line) for line in shape.story)
    lines = [["known at ↓ true at →", *shape.head], ["---"] * (1 + len(shape.head))]
    lines += [[known_at, *("–" if cell == "-" else cell for cell in cells)] for known_at, cells in shape.rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"### {shape.name}\n\n{shape.meaning}\n\n```\n{story}\n```\n\n{table}\n"


if __name__ == "__main__":
    print(rendered(), end="")
