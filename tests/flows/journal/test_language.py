"""Pages stay in the language of the person, also when hardly anything was said for a while."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.flows.journal.days import root_of

from waypost.memory import Memory

SAID = {
    "de": ("Ich habe mich entschieden, den Keller im Frühjahr selbst zu streichen.", "Statistik", "Gedächtnis"),
    "ru": ("Я решила весной сама покрасить подвал и купить новую лестницу.", "Статистика", "Память"),
    "en": ("I have decided to paint the cellar myself in spring.", "Statistics", "Memory"),
}


def talk(memory: Memory, clock: TestClock, *texts: str) -> None:
    turn = {"kind": "conversation", "session": f"s{clock.now:%m%d}", "speaker": "user"}
    memory.remember_many([turn | {"text": text, "time": clock.now} for text in texts])


def page_of(memory: Memory, path: str) -> str:
    return Path(root_of(memory), path).read_text("utf-8")


@pytest.mark.parametrize("language", SAID)
def test_the_index_page_keeps_its_language_after_a_quiet_month(
    open_memory: OpenMemory, clock: TestClock, language: str
) -> None:
    clock.now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    memory = open_memory()
    text, statistics, _ = SAID[language]
    talk(memory, clock, *(f"{text} {number}" for number in range(10)))
    for days in (1, 45, 200):
        clock.advance(days=days)
        memory.admin.maintain(force=True)
        assert f"## {statistics}" in page_of(memory, "MEMORY.md"), days


@pytest.mark.parametrize("language", SAID)
def test_a_quiet_month_is_told_in_the_language_of_the_months_before(
    open_memory: OpenMemory, clock: TestClock, language: str
) -> None:
    clock.now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    memory = open_memory()
    text = SAID[language][0]
    talk(memory, clock, *(f"{text} {number}" for number in range(10)))
    clock.now = datetime(2026, 2, 10, 9, 0, tzinfo=UTC)
    talk(memory, clock, "Status update?", "OK, thanks.")
    clock.now = datetime(2026, 4, 20, 9, 0, tzinfo=UTC)
    memory.admin.maintain(force=True)
    months = {"de": "Februar 2026", "ru": "Февраль 2026", "en": "February 2026"}
    assert months[language] in page_of(memory, "monthly/2026-02.md")


def test_a_month_of_talking_in_another_language_changes_it(open_memory: OpenMemory, clock: TestClock) -> None:
    clock.now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    memory = open_memory()
    talk(memory, clock, *(f"{SAID['en'][0]} {number}" for number in range(10)))
    clock.advance(days=30)
    talk(memory, clock, *(f"{SAID['de'][0]} {number}" for number in range(40)))
    memory.admin.maintain(force=True)
    assert "## Statistik" in page_of(memory, "MEMORY.md")
