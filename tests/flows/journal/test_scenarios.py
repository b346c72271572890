"""Three scenarios with dates: how entries are rated and condensed."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.flows.journal.days import files_of, root_of, space_of, words_in

from waypost import Memory
from waypost.flows.journal_files.log import events
from waypost.journal.markdown import parse_page

BERLIN = ZoneInfo("Europe/Berlin")
ASKED = "Was läuft heute auf ZDF um 20:15?"
ANSWERED = (
    (
        "Im ZDF läuft heute Abend um zwanzig Uhr fünfzehn das Halbfinale der Handball-Europameisterschaft "
        "zweitausendsechsundzwanzig. Dieses Spiel wird live ausgestrahlt. "
    )
    + "Die Moderation beginnt schon um neunzehn Uhr fünfundzwanzig mit Berichten aus der Halle und Gästen im Studio. "
    * 15
)
GOAL = (
    "Ich möchte dieses Jahr drei AWS Zertifizierungen machen: Solutions Architect, Developer und SysOps Administrator. "
    "Kannst du mir einen Lernplan erstellen?"
)
PLAN = (
    "Hier ist dein Lernplan: Solutions Architect Associate bis März 2026, Developer Associate bis Mai 2026, "
    "SysOps Administrator Associate bis Juli 2026. Täglich zwei Stunden: Online-Kurse, Hands-on Labs, Mock-Prüfungen."
)
LATER = {
    date(2026, 1, 18): ("Wie weit bin ich mit dem AWS Lernplan?", "Du bist bei Kapitel zwei des AWS Lernplans."),
    date(2026, 1, 22): ("Erkläre mir VPCs für die AWS Prüfung", "Eine VPC ist ein abgetrenntes Netz in AWS."),
    date(2026, 1, 25): ("Ich habe die erste AWS Mock-Prüfung gemacht", "Glückwunsch zur Mock-Prüfung!"),
    date(2026, 1, 28): ("Wann sollte ich die AWS Solutions Architect Prüfung buchen?", "Buche sie für Mitte März."),
}

Live = Callable[[date], None]


@pytest.fixture
def memory(open_memory: OpenMemory, tmp_path: Path) -> Memory:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "Europe/Berlin"\n', "utf-8")
    return open_memory("raimund")


def say(memory: Memory, clock: TestClock, at: datetime, asked: str, answered: str) -> None:
    clock.now = at
    memory.remember(asked, kind="conversation", session=f"{at:%m%d}", speaker="Raimund", time=at)
    after = at + timedelta(seconds=5)
    memory.remember(answered, kind="conversation", session=f"{at:%m%d}", speaker="Crowdbot", time=after)


@pytest.fixture
def live(memory: Memory, clock: TestClock) -> Live:
    """Live on until four in the morning of a day, with what the seed has him say on each; then upkeep, which catches up
    on the nights before."""
    today = date(2026, 1, 14)

    def until(end: date) -> None:
        nonlocal today
        while today < end:
            noon = datetime(today.year, today.month, today.day, 14, 30, tzinfo=BERLIN)
            if today == date(2026, 1, 15):
                say(memory, clock, noon, GOAL, PLAN)
            if today == date(2026, 1, 30):
                say(memory, clock, noon.replace(hour=18, minute=0, second=15), ASKED, ANSWERED)
            if today in LATER:
                say(memory, clock, noon, *LATER[today])
            today += timedelta(days=1)
        clock.now = datetime(today.year, today.month, today.day, 4, 0, tzinfo=BERLIN)
        memory.journal.condense()

    return until


def text_of(memory: Memory, path: str) -> str:
    return (root_of(memory) / path).read_text("utf-8")


@pytest.mark.slow
def test_scenario_one_a_question_about_the_television(memory: Memory, clock: TestClock, live: Live) -> None:
    live(date(2026, 1, 30))
    clock.now = datetime(2026, 1, 30, 18, 0, 15, tzinfo=BERLIN)
    live(date(2026, 1, 31))
    question, answer = parse_page(text_of(memory, "daily/2026-01-30.md"), date(2026, 1, 30), BERLIN).entries
    assert question.text == ASKED
    assert question.importance in (0, 1)
    assert "Handball" in answer.text
    assert len(answer.text) < 200
    assert answer.trimmed
    assert ANSWERED.strip() in text_of(memory, "archive/daily/2026-01-30.md")
    trimmed = events(space_of(memory), event="soft_trim_applied")[0]
    assert trimmed["file"] == "daily/2026-01-30.md"
    live(date(2026, 2, 5))
    assert (root_of(memory) / "daily/2026-01-30.md").is_file()
    live(date(2026, 2, 6))  # seven days old
    assert not (root_of(memory) / "daily/2026-01-30.md").exists()
    week = text_of(memory, "weekly/2026-W05.md")
    assert not re.search("ZDF|Handball", week)
    assert not re.search("ZDF|Handball", text_of(memory, "MEMORY.md"))
    assert ANSWERED.strip() in words_in(root_of(memory), under="archive/")


@pytest.mark.slow
def test_scenario_two_a_goal_that_stays(memory: Memory, clock: TestClock, live: Live) -> None:
    live(date(2026, 1, 16))
    (goal, plan) = parse_page(text_of(memory, "daily/2026-01-15.md"), date(2026, 1, 15), BERLIN).entries
    assert (goal.text, plan.text) == (GOAL, PLAN)
    live(date(2026, 1, 21))
    assert not (root_of(memory) / "weekly").exists() or not files_of(root_of(memory) / "weekly")
    live(date(2026, 1, 22))  # seven days later, in the morning
    week = text_of(memory, "weekly/2026-W03.md")
    assert "drei AWS Zertifizierungen" in week
    assert "Lernplan" in week
    kept = parse_page(text_of(memory, "archive/daily/2026-01-15.md"), date(2026, 1, 15), BERLIN).entries[0]
    assert (kept.importance or 0) >= 8
    live(date(2026, 1, 29))
    assert GOAL in text_of(memory, "important/preferences.md")
    assert "AWS" in text_of(memory, "MEMORY.md")
    assert "AWS" in text_of(memory, "weekly/2026-W03.md")


@pytest.mark.slow
def test_scenario_two_the_goal_is_in_every_later_summary(memory: Memory, clock: TestClock, live: Live) -> None:
    live(date(2026, 1, 31))
    clock.now = datetime(2026, 4, 1, 4, 0, tzinfo=BERLIN)  # the first 1st on which January's weeks are 30 days old
    memory.journal.condense()
    assert "drei AWS Zertifizierungen" in text_of(memory, "monthly/2026-01.md")
    clock.now = datetime(2028, 1, 1, 4, 0, tzinfo=BERLIN)
    memory.journal.condense()
    assert "drei AWS Zertifizierungen" in text_of(memory, "yearly/2026.md")
    assert GOAL in text_of(memory, "important/preferences.md")
    assert "AWS" in text_of(memory, "MEMORY.md")
    assert PLAN in words_in(root_of(memory), under="archive/daily/2026-01-15")


@pytest.mark.slow
def test_scenario_three_what_is_loaded_for_a_question(memory: Memory, clock: TestClock, live: Live) -> None:
    live(date(2026, 2, 8))
    for day in (8, 9, 10):
        clock.now = datetime(2026, 2, day, 4, 0, tzinfo=BERLIN)
        memory.journal.condense()
        say(memory, clock, datetime(2026, 2, day, 9, 0, tzinfo=BERLIN), "Wie wird das Wetter?", "Sonnig.")
    clock.now = datetime(2026, 2, 10, 12, 0, tzinfo=BERLIN)
    found = memory.brief("Wie war nochmal mein AWS Lernplan?", preset="journal")
    assert found.tokens <= 64_000
    assert "SysOps Administrator Associate bis Juli 2026" in found.text
    loaded = str(found.to_json())
    for path in (
        "MEMORY.md",
        "important/preferences.md",
        "daily/2026-02-10.md",
        "daily/2026-02-09.md",
        "daily/2026-02-08.md",
        "weekly/2026-W03.md",
        "archive/daily/2026-01-15.md",
    ):
        assert path in loaded, path
