"""The texts of this folder: years of conversations with their events, and graded utterances."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

FOLDER = Path(__file__).parent
YEAR = 2025
LANGUAGES = ("de", "en", "ru")
SETS = ("year", "half", "fresh")  # a year that the rules were made with, and two sets of others written without them
NAMES = {
    "year": {"de": "Jonas", "en": "Priya", "ru": "Алексей"},
    "half": {"de": "Beni", "en": "DeShawn", "ru": "Ксюша"},
    "fresh": {"de": "Hannelore", "en": "Orla", "ru": "Тимур"},
}
_SAID = re.compile(r"(\d\d)(\d\d) ([-wmy]) (.+?)(?: # (.+))?")
_PASSING_A_WEEK = 3  # questions and small talk that surround what matters


@dataclass(frozen=True, slots=True)
class Turn:
    day: date
    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Trap:
    """What did not happen: imagined, denied, joked, said by others. `claim` is what no page may say."""

    turn: Turn
    claim: str


@dataclass(frozen=True, slots=True)
class YearEvent:
    day: date
    level: str  # w, m or y: the longest period whose page should tell it
    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class GradedUtterance:
    language: str
    scenario: str
    grade: int
    earlier: int  # days on which its subject came up before
    text: str


def said(language: str, chosen: str = "year") -> tuple[list[Turn], list[YearEvent]]:
    """What a person and their assistant said in a set, and the events among it."""
    turns: list[Turn] = []
    events: list[YearEvent] = []
    for line in (FOLDER / f"{chosen}_{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("> "):
            turns[-1] = Turn(turns[-1].day, turns[-1].text, line[2:])
        elif match := _SAID.fullmatch(line):
            day = date(YEAR, int(match[1]), int(match[2]))
            turns.append(Turn(day, match[4].replace("\\n", "\n"), ""))
            if match[3] != "-":
                events.append(YearEvent(day, match[3], tuple(match[5].split("; ")), match[4]))
    return turns, events


def traps(language: str, chosen: str) -> list[Trap]:
    """The turns that a careless page would retell as facts."""
    found: list[Trap] = []
    turn: Turn | None = None
    for line in (FOLDER / f"{chosen}_{language}.txt").read_text("utf-8").splitlines():
        if match := _SAID.fullmatch(line):
            turn = Turn(date(YEAR, int(match[1]), int(match[2])), match[4], "")
        elif line.startswith("! ") and turn is not None:
            found.append(Trap(turn, line[2:]))
    return found


def passing(language: str, chosen: str = "year") -> list[Turn]:
    """Questions and small talk spread over the year, the same in every run. The other sets contain their own."""
    if chosen != "year":
        return []
    text = (FOLDER / "noise.txt").read_text("utf-8")
    rows = text.split(f"[{language}]\n")[1].split("\n[")[0].strip().splitlines()
    pairs = [tuple(row.split(" > ", 1)) for row in rows]
    chance = Random(language)
    first = date(YEAR, 1, 1)
    return [
        Turn(first + timedelta(days=7 * week + chance.randrange(7)), *chance.choice(pairs))
        for week in range(52)
        for _ in range(_PASSING_A_WEEK)
    ]


def days_of_year(language: str, chosen: str = "year") -> dict[date, list[dict[str, object]]]:
    """The entries of each day, as `remember_many` takes them."""
    turns, _ = said(language, chosen)
    days: dict[date, list[Turn]] = {}
    for turn in [*turns, *passing(language, chosen)]:
        days.setdefault(turn.day, []).append(turn)
    return {day: list(_entries(day, days[day], NAMES[chosen][language])) for day in sorted(days)}


def _entries(day: date, turns: list[Turn], name: str) -> Iterator[dict[str, object]]:
    for number, turn in enumerate(turns):
        at = datetime(day.year, day.month, day.day, 7, 12, tzinfo=UTC) + timedelta(minutes=97 * number)
        common = {"kind": "conversation", "session": f"{day}-{number}"}
        yield {"text": turn.text, "speaker": name, "time": at, **common}
        yield {"text": turn.answer, "speaker": "assistant", "time": at + timedelta(seconds=8), **common}


def graded(half: str) -> list[GradedUtterance]:
    """The utterances of a half: `seen` while rules were made, or `unseen`."""
    rows: list[GradedUtterance] = []
    language = scenario = ""
    for line in (FOLDER / f"graded_{half}.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            language, scenario = line.strip("[]").split(" ", 1)
        elif match := re.fullmatch(r"(\d+) (?:\+(\d+) )?(.+)", line):
            rows.append(GradedUtterance(language, scenario, int(match[1]), int(match[2] or 0), match[3]))
    return rows
