"""MEMORY.md of a real journal: made anew, people's part untouched, copies kept, preferences put in once."""

import gzip
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import NotFound
from waypost.flows.journal.importance import scored
from waypost.flows.journal.memory_page import refresh_index
from waypost.flows.journal.memory_page_content import summary_lines
from waypost.flows.journal_files.index_file import BACKUPS, KEPT_BACKUPS, back_up, index_backups, restore_index
from waypost.flows.journal_files.log import events, note_cleanup
from waypost.flows.journal_files.preferences import promote_preferences
from waypost.flows.journal_files.tally import entries_of
from waypost.journal.bullets import parse_bullets
from waypost.journal.layout import INDEX, PREFERENCES
from waypost.journal.memory_page.sources import SOURCES, read_sources
from waypost.journal.period_pages.frame import split_frame, with_part
from waypost.model.journal import Entry, Score, ScoredEntry, mark_of

Say = Callable[..., str]


@pytest.fixture(autouse=True)
def days_in_utc(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "UTC"\n')


@pytest.fixture
def say(memory: Memory) -> Say:
    def say(text: str, time: str = "2026-01-30T10:00:00Z", speaker: str = "user", **more: str) -> str:
        given: dict[str, Any] = {"kind": "conversation", "session": time[:10], **more}
        return memory.remember(text, speaker=speaker, time=time, **given).id or ""

    return say


def page(memory: Memory) -> str:
    return (memory.space.journal.root / INDEX).read_bytes().decode()


def ids_of(memory: Memory, line: str) -> tuple[str, ...]:
    """The entries that a line of the page comes from, as the file beside it says."""
    return read_sources(memory.space.journal)[mark_of(line)].ids


def worth(
    memory: Memory, memory_id: str, text: str, score: int, kind: str = "conversation", speaker: str = "user"
) -> ScoredEntry:
    at = memory.space.clock()
    return ScoredEntry(
        Entry(text, at, kind, speaker, memory_id, "s"), Score(3, 2, max(0, score - 8), min(3, score - 5), "", "")
    )


def test_the_page_is_made_with_a_friendly_upper_part(memory: Memory, say: Say) -> None:
    said = say("I have decided to learn Italian this year, remember this.")
    assert refresh_index(memory.space)
    frame = split_frame(page(memory))
    assert frame.before.startswith("# Memory\n\n<!-- waypost: This part is yours")
    assert frame.part is not None
    assert "2026-01-30 (today) - [Details](daily/2026-01-30.md)" in frame.part
    assert all(said in ids_of(memory, line) for line in frame.part.splitlines() if "Italian" in line)
    assert "<!--" not in frame.part
    assert "[Details](daily/2026-01-30.md)" in frame.part
    assert events(memory.space, event="index_refreshed")


def test_it_is_not_touched_when_nothing_changed_but_the_time(memory: Memory, say: Say, clock: TestClock) -> None:
    say("I have decided to learn Italian this year, remember this.")
    assert refresh_index(memory.space)
    before = page(memory)
    clock.advance(hours=2)
    assert not refresh_index(memory.space)
    assert page(memory) == before
    say("We chose the course in Bologna.", "2026-01-30T11:00:00Z")
    assert refresh_index(memory.space)
    assert "Updated: 2026-01-30 14:00" in page(memory)


def test_people_s_part_stays_to_the_byte_above_and_below(memory: Memory, say: Say) -> None:
    say("I have decided to learn Italian this year.")
    refresh_index(memory.space)
    place = memory.space.journal.root / INDEX
    frame = split_frame(page(memory))
    above = "# Mine\r\n\r\n  odd   spaces \t\r\n- a\r\n\r\n\xff und ä\r\n\r\n"
    text = page(memory)
    ours = text[len(frame.before) : len(text) - len(frame.after)].replace("\n", "\r\n")
    place.write_bytes((above + ours + "\r\n\r\nbelow\r\n").encode("latin-1"))
    say("We chose the course in Bologna, this is important.", "2026-01-30T11:00:00Z")
    assert refresh_index(memory.space)
    after = place.read_bytes()
    assert after.startswith(above.encode("latin-1") + b"<!-- waypost:begin")
    assert after.endswith(b"\n\r\nbelow\r\n")
    assert b"Bologna" in after


def test_what_somebody_writes_into_the_generated_part_moves_above_it(memory: Memory, say: Say) -> None:
    say("I have decided to learn Italian this year.")
    refresh_index(memory.space)
    text = page(memory).replace("## Statistics", "Call Clara on Monday\n\n## Statistics")
    place = memory.space.journal.root / INDEX
    place.write_text(text)
    assert refresh_index(memory.space)
    frame = split_frame(page(memory))
    assert "Call Clara on Monday" in frame.before
    assert frame.part is not None and "Clara" not in frame.part
    assert page(memory).count("## Statistics") == 1
    assert not refresh_index(memory.space)


def test_a_retracted_entry_leaves_the_page_and_a_corrected_one_says_what_holds(memory: Memory, say: Say) -> None:
    first = say("I have decided to learn Italian this year, remember this.")
    second = say("Remember that I prefer tea.", "2026-01-30T11:00:00Z")
    refresh_index(memory.space)
    memory.retract(first)
    memory.correct(second, "Remember that I prefer coffee.")
    assert refresh_index(memory.space)
    part = split_frame(page(memory)).part or ""
    assert "Italian" not in part
    assert "tea" not in part
    assert "coffee" in part


def test_passing_questions_leave_after_a_day_and_are_counted_as_removed(
    memory: Memory, say: Say, clock: TestClock
) -> None:
    say("What is the weather like today?", "2026-01-29T20:00:00Z")
    refresh_index(memory.space)
    assert "weather" in page(memory)
    clock.advance(hours=16)  # 04:00 of the 31st
    note_cleanup(memory.space, archived=["daily/2026-01-24.md"], created=["weekly/2026-W04.md"])
    assert refresh_index(memory.space)
    assert "weather" not in page(memory)
    for told in (
        "Temporary facts removed:** 1",
        "Files archived:** 1",
        "New summaries:** 1",
        "clean-up:** 2026-01-31 04:00",
    ):
        assert told in page(memory)


def test_notes_by_hand_are_told_with_the_id_that_the_index_gave_them(memory: Memory) -> None:
    place = memory.space.journal.root / "daily" / "2026-01-30.md"
    place.parent.mkdir(parents=True)
    place.write_text("# 2026-01-30\n\nRemember: I prefer window seats, this is important to me.\n")
    assert refresh_index(memory.space)
    line = next(line for line in page(memory).splitlines() if "window seats" in line)
    (found,) = ids_of(memory, line)
    assert memory.show(found).version.text.startswith("Remember: I prefer window seats")


def test_summaries_are_linked_with_what_they_are_about(memory: Memory) -> None:
    root = memory.space.journal.root
    for path in ("weekly/2026-W03.md", "monthly/2025-12.md", "yearly/2024.md", "archive/weekly/2025-W50.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(
            f"### Main topics\n- About {path[:-3]} ([2026-01-14](../archive/x.md)) <!-- from a1 -->\n"
        )
    refresh_index(memory.space)
    text = page(memory)
    assert "### Week 3 (2026-01-12 to 2026-01-18) - [Summary](weekly/2026-W03.md)" in text
    assert "- About weekly/2026-W03 (2026-01-14)\n" in text
    assert ids_of(memory, "- About weekly/2026-W03 (2026-01-14)") == ("a1",)
    assert "### December 2025 - [Summary](monthly/2025-12.md)" in text
    assert "### 2024 - [Summary](yearly/2024.md)" in text
    assert "W50" not in text


def test_a_german_journal_has_a_german_page(memory: Memory, say: Say) -> None:
    say("Ich habe beschlossen, dieses Jahr Italienisch zu lernen. Merke dir das bitte.")
    refresh_index(memory.space)
    assert "## Konversationshistorie" in page(memory)
    assert page(memory).startswith("# Gedächtnis")


# -- copies


def test_there_is_one_copy_a_day_of_before_the_first_change(memory: Memory, say: Say, clock: TestClock) -> None:
    space = memory.space
    say("I have decided to learn Italian.")
    refresh_index(space)
    assert index_backups(space) == []  # there was no page to copy
    clock.advance(days=1)
    before = page(memory)
    for hour in (1, 2):
        say(f"I have decided on plan {hour}, remember this.", clock.advance(hours=hour).isoformat())
        assert refresh_index(space)
    assert [(backup.day, backup.text) for backup in index_backups(space)] == [(date(2026, 1, 31), before)]


def test_the_last_14_copies_are_kept(memory: Memory, clock: TestClock) -> None:
    space = memory.space
    for number in range(KEPT_BACKUPS + 4):
        back_up(space, f"page {number}\n")
        back_up(space, "later that day\n")
        clock.advance(days=1)
    (space.journal.root / BACKUPS / "memory.md.backup.99999999").write_text("somebody else's")
    names = sorted(path.name for path in (space.journal.root / BACKUPS).iterdir())
    assert names == ["memory.md.backup.20260216", "memory.md.backup.99999999", "memory.md.backups.tar.bz2"]
    days = [backup.day for backup in index_backups(space)]
    assert days == [date(2026, 2, 16) - timedelta(days=back) for back in range(KEPT_BACKUPS)]
    assert [backup.text for backup in index_backups(space)] == [f"page {number}\n" for number in range(17, 3, -1)]


def test_a_copy_can_be_put_back(memory: Memory, say: Say, clock: TestClock) -> None:
    say("I have decided to learn Italian.")
    refresh_index(memory.space)
    place = memory.space.journal.root / INDEX
    place.write_text("- my own line\n\n" + place.read_text())
    kept = page(memory)
    say("I have decided to move to Rome, remember this.", "2026-01-30T11:00:00Z")
    refresh_index(memory.space)
    place.write_text("all gone\n")
    restore_index(memory.space, date(2026, 1, 30))
    # The copy is of before the first change of the day; there was no page before.
    assert page(memory) == kept
    assert (memory.space.journal.root / BACKUPS / "memory.md.before-restore").read_text() == "all gone\n"
    with pytest.raises(NotFound):
        restore_index(memory.space, date(2025, 1, 1))


# -- preferences


def test_what_matters_most_is_put_among_the_preferences_once(memory: Memory, say: Say) -> None:
    space = memory.space
    goal, small, liked = (say(text) for text in ("I want to get three AWS certificates.", "Nice day.", "I like tea."))
    items = [
        worth(memory, goal, "I want to get three AWS certificates.", 9),
        worth(memory, small, "Nice day.", 7),
        worth(memory, liked, "I like tea.", 5, kind="preference"),
    ]
    assert promote_preferences(space, items) == [goal, liked]
    assert promote_preferences(space, items) == []
    bullets = parse_bullets(space.journal.read(PREFERENCES))
    assert [(one.id, one.text) for one in bullets] == [
        (goal, "I want to get three AWS certificates."),
        (liked, "I like tea."),
    ]
    refresh_index(space)
    assert "- I want to get three AWS certificates.\n" in page(memory)
    assert goal in ids_of(memory, "- I want to get three AWS certificates.")
    assert "(important/preferences.md)" in page(memory)


def test_a_preference_that_a_person_took_out_does_not_come_back(memory: Memory, say: Say) -> None:
    space = memory.space
    liked = say("I like tea.")
    items = [worth(memory, liked, "I like tea.", 9)]
    promote_preferences(space, items)
    (space.journal.root / PREFERENCES).write_text("# Mine\n\nBy hand.\n")
    assert promote_preferences(space, items) == []
    assert space.journal.read(PREFERENCES) == "# Mine\n\nBy hand.\n"
    refresh_index(space)
    assert "tea" not in (split_frame(page(memory)).part or "").split("## History")[0]


def test_the_rest_of_the_preferences_stays_to_the_byte(memory: Memory, say: Say) -> None:
    space = memory.space
    place = space.journal.root / PREFERENCES
    place.parent.mkdir(parents=True)
    place.write_bytes(b"# Preferences\r\n\r\n* window  seats \r\n* I LIKE TEA!\r\n")
    liked, goal = say("I like tea"), say("I want to run a marathon")
    items = [worth(memory, liked, "I like tea", 9), worth(memory, goal, "I want to run a marathon", 8)]
    assert promote_preferences(space, items) == [goal]  # the other stands there already, in another spelling
    assert (
        place.read_bytes()
        == (
            "# Preferences\r\n\r\n* window  seats \r\n* I LIKE TEA!\r\n"
            f"* I want to run a marathon <!-- id={goal} -->\r\n"
        ).encode()
    )


def test_an_answer_is_no_preference(memory: Memory, say: Say) -> None:
    answered = say("Here is your plan.", speaker="assistant")
    assert (
        promote_preferences(memory.space, [worth(memory, answered, "Here is your plan.", 10, speaker="assistant")])
        == []
    )
    assert not memory.space.journal.exists(PREFERENCES)


def test_the_real_scorer_s_worth_decides(memory: Memory, say: Say) -> None:
    say("I prefer short answers, remember this, it is important.")
    items = scored(memory.space, entries_of(memory.space, "daily/2026-01-30.md"), memory.space.clock())
    assert len(promote_preferences(memory.space, items)) == 1


@pytest.mark.parametrize(
    ("text", "lasts"),
    [
        ("My mother fell and broke her hip, she is in hospital.", False),
        ("We sold the van for 900 euros!", False),
        ("Anna and I broke up yesterday.", False),
        ("Karl walks again! He wants to build my fence in spring.", False),
        ("They found diabetes in Karl.", False),
        ("I'm allergic to penicillin.", True),
        ("I don't eat meat, only fish.", True),
        ("I hate phone calls.", True),
    ],
)
def test_what_happened_stands_below_the_preferences_and_not_on_the_index_page(
    memory: Memory, say: Say, text: str, lasts: bool
) -> None:
    space = memory.space
    happened, said, liked = say("We moved house!"), say(text), say("I like tea.")
    for number, (memory_id, words) in enumerate(((happened, "We moved house!"), (said, text), (liked, "I like tea."))):
        assert len(promote_preferences(space, [worth(memory, memory_id, words, 9)])) == 1, number
    headings = {bullet.id: bullet.heading for bullet in parse_bullets(space.journal.read(PREFERENCES))}
    assert headings[happened] == "Also important"
    assert headings[liked] == "Interests and preferences"
    assert headings[said] == headings[liked if lasts else happened]
    refresh_index(space)
    listed = page(memory).partition("### Interests and preferences")[2].partition("\n### ")[0]
    assert "tea" in listed
    assert lasts or text not in listed


# -- who the person is


def test_the_page_says_who_the_person_is_with_days_and_sources(memory: Memory, say: Say) -> None:
    name = say("Guten Tag! Ich heiße Jonas Reinhardt und wohne in Köln.", "2026-01-10T10:00:00Z")
    say("Ich arbeite als Tischler bei Brandt.", "2026-01-11T10:00:00Z")
    say("Meine Frau heißt Miriam.", "2026-01-12T10:00:00Z")
    say("Ich bin allergisch gegen Nüsse.", "2026-01-13T10:00:00Z")
    say("Ich will im Mai einen Halbmarathon laufen.", "2026-01-14T10:00:00Z")
    say("Heute den ersten Halbmarathon im Training geschafft.", "2026-01-20T10:00:00Z")
    refresh_index(memory.space)
    text = page(memory)
    line = "- **Name:** Jonas Reinhardt ([2026-01-10](daily/2026-01-10.md))"
    assert line in text and ids_of(memory, line) == (name,)
    assert "- **Wohnort:** Köln ([2026-01-10]" in text
    assert "- **Sprache:** Deutsch\n" in text
    assert "- **Arbeit:** als Tischler bei Brandt ([2026-01-11]" in text
    assert "- **Familie:** Meine Frau heißt Miriam. ([2026-01-12]" in text
    assert "- **Gesundheit:** Ich bin allergisch gegen Nüsse. ([2026-01-13]" in text
    assert "einen Halbmarathon laufen. ([2026-01-14](daily/2026-01-14.md)) Zuletzt: Heute den ersten" in text


def test_only_what_was_worked_on_lately_is_a_project_with_its_latest_step(memory: Memory, say: Say) -> None:
    say("I decided to build the bakery website with Hugo.", "2026-01-20T10:00:00Z")
    say("The bakery website has a menu page now.", "2026-01-24T10:00:00Z")
    say("We decided to launch the bakery website in March.", "2026-01-28T10:00:00Z")
    for day, text in (("21", "has a fever of 39 degrees"), ("23", "still has fever"), ("25", "has no fever any more")):
        say(f"Our daughter Lotta {text}.", f"2026-01-{day}T10:00:00Z")
    refresh_index(memory.space)
    projects = page(memory).partition("### Active projects\n")[2].partition("\n#")[0]
    assert "akery" in projects and "Latest: We decided to launch the bakery website in March. ([2026-01-28]" in projects
    assert "ever" not in projects and "Lotta" not in projects


def test_an_introduction_is_no_preference_and_preferences_have_their_day(memory: Memory, say: Say) -> None:
    say("Hi there! I'm Priya Nair, I live in Edinburgh and I work as a nurse at the Infirmary.", "2026-01-20T10:00:00Z")
    say("I hate phone calls, I always prefer email.", "2026-01-21T10:00:00Z")
    refresh_index(memory.space)
    liked = page(memory).partition("### Interests and preferences\n")[2].partition("\n#")[0]
    assert "I hate phone calls, I always prefer email. ([2026-01-21](" in liked and "Edinburgh" not in liked


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Meine Frau heißt Miriam, sie ist Lehrerin.", "Frau: Miriam"),
        ("Papa heißt Werner und wird siebzig.", "Papa: Werner"),
        ("Oma Gerda ist bei uns zu Besuch.", "Oma: Gerda"),
        ("Жену зовут Оля, она бухгалтер.", "Жена: Оля"),
        ("Вчера приехал брат Денис из Самары.", "Брат: Денис"),
        ("We visited Aunt May in Leeds.", "Aunt: May"),
    ],
)
def test_people_are_listed_with_their_relation(memory: Memory, say: Say, text: str, person: str) -> None:
    say(text)
    refresh_index(memory.space)
    assert f"{person} ([2026-01-30]" in page(memory)


def test_pets_diet_and_names_have_their_own_lines_and_news(memory: Memory, say: Say, clock: TestClock) -> None:
    say("We adopted a dog! The kids named him Pickle.", "2026-01-02T10:00:00Z")
    say("I'm a vegetarian now.", "2026-01-03T10:00:00Z")
    for day, text in ((4, "Lia thinks I'm mad."), (5, "Lia laughed a lot."), (6, "Dinner with Lia was lovely.")):
        say(text, f"2026-01-{day:02}T10:00:00Z")
    say("Lia has decided to go freelance.", "2026-01-07T10:00:00Z")
    for _ in range(2):
        refresh_index(memory.space)
        above = page(memory).partition("## History")[0]
        assert "- **Pets:** Dog: Pickle (" in above and "- **Diet:** vegetarian (" in above
        assert "- **Often mentioned:** Lia ([2026-01-04](" in above
        assert "Latest: Lia has decided to go freelance. ([2026-01-07](" in above
        clock.advance(days=90)


def test_an_illness_leaves_the_page_and_an_allergy_stays(memory: Memory, say: Say, clock: TestClock) -> None:
    say("I have pneumonia.")
    say("I'm allergic to penicillin.")
    refresh_index(memory.space)
    assert "pneumonia" in page(memory).partition("## History")[0]
    clock.advance(days=60)
    refresh_index(memory.space)
    above = page(memory).partition("### Milestones")[0].partition("## History")[0]
    assert "pneumonia" not in above and "- **Health:** I'm allergic to penicillin." in above


@pytest.mark.parametrize(
    ("language", "plan", "news"),
    [
        ("en", "I'm going to propose to Anna in May.", "She said yes!!!"),
        ("de", "Ich werde Paula einen Antrag machen.", "Sie hat Ja gesagt!!!"),
        ("ru", "Хочу сделать предложение Анне.", "Она сказала «да»!!!"),
    ],
)
def test_a_proposal_that_was_answered_is_not_open(
    memory: Memory, say: Say, language: str, plan: str, news: str
) -> None:
    say(plan, "2026-01-10T10:00:00Z")
    say(news, "2026-01-20T10:00:00Z")
    refresh_index(memory.space)
    opened = {"en": "Open.", "de": "Offen.", "ru": "Пока открыто."}
    assert f") {opened[language]}" not in page(memory)


def test_a_birth_ends_the_expectation(memory: Memory, say: Say) -> None:
    say("My brother Karl and his wife Jana are expecting a baby in March.", "2026-01-10T10:00:00Z")
    say("Jana had the baby last night! A girl, called Nele.", "2026-01-20T10:00:00Z")
    refresh_index(memory.space)
    above = page(memory).partition("## History")[0]
    assert "expecting" not in above and "Child of Jana: Nele (" in above


def test_the_newest_home_holds_and_facts_stay_when_they_are_old(memory: Memory, say: Say, clock: TestClock) -> None:
    say("My name is Ada Byron and I live in Leeds.", "2026-01-10T10:00:00Z")
    say("We moved to Porto last weekend.", "2026-01-20T10:00:00Z")
    refresh_index(memory.space)
    assert "- **Home:** Porto (" in page(memory) and "Leeds" not in page(memory).partition("## History")[0]
    clock.advance(days=300)
    refresh_index(memory.space)
    assert "- **Name:** Ada Byron (" in page(memory) and "- **Home:** Porto (" in page(memory)


def test_what_is_forgotten_leaves_the_page_its_sources_and_its_copies(
    memory: Memory, say: Say, clock: TestClock
) -> None:
    said = say("We moved to Porto last weekend.")
    say("The old bridge of Porto is lovely.", "2026-01-30T11:00:00Z")
    refresh_index(memory.space)
    clock.advance(days=1)
    say("I like tea.", "2026-01-31T10:00:00Z")
    refresh_index(memory.space)
    home = "- **Home:** Porto (["
    assert home in page(memory) and any(home in backup.text for backup in index_backups(memory.space))
    memory.forget(said)
    root = memory.space.journal.root
    assert home not in page(memory) and not any(home in backup.text for backup in index_backups(memory.space))
    assert "bridge of Porto" in page(memory)
    assert said not in (root / SOURCES).read_text()


def test_old_pages_with_comments_are_renewed_without_them(memory: Memory, say: Say) -> None:
    said = say("I have decided to learn Italian this year, remember this.")
    refresh_index(memory.space)
    place = memory.space.journal.root / INDEX
    old = with_part("# Mine\n", f"## History, newest first\n\n- Italian <!-- from {said} -->")
    place.write_text(old)
    assert refresh_index(memory.space)
    assert page(memory).startswith("# Mine\n") and "<!-- from" not in page(memory)


# -- at once


def test_what_is_said_today_is_on_the_page_at_once(memory: Memory, say: Say, clock: TestClock) -> None:
    say("I have decided to learn Italian this year.", "2026-01-30T10:00:00Z")
    refresh_index(memory.space)
    place = memory.space.journal.root / INDEX
    place.write_text(f"My own line.\n\n{page(memory)}")
    said = say("I got married today!", "2026-01-30T11:30:00Z")
    say("What is the weather like?", "2026-01-30T11:31:00Z")
    text = page(memory)
    assert text.startswith("My own line.\n") and text.count("(today)") == 1
    assert "- I got married today!\n" in text and said in ids_of(memory, "- I got married today!")
    assert "- What is the weather like?\n" in text and "Italian" in text
    clock.advance(days=1)
    say("We chose the course in Bologna.", "2026-01-31T10:00:00Z")
    assert "### 2026-01-31 (today)" in page(memory) and "### 2026-01-30 (yesterday)" in page(memory)
    assert "Bologna" in page(memory)
    refresh_index(memory.space)
    assert page(memory).startswith("My own line.\n") and page(memory).count("Bologna") >= 1


def test_a_page_that_somebody_edits_is_left_to_maintenance(memory: Memory, say: Say) -> None:
    say("I have decided to learn Italian this year.")
    refresh_index(memory.space)
    place = memory.space.journal.root / INDEX
    edited = page(memory).replace("## Statistics", "Call Clara\n\n## Statistics")
    place.write_text(edited)
    say("I got married today!", "2026-01-30T11:30:00Z")
    assert page(memory) == edited
    assert refresh_index(memory.space)
    assert "Call Clara" in split_frame(page(memory)).before and "married" in page(memory)


def test_events_are_milestones_and_preferences_stay_however_old(memory: Memory, say: Say, clock: TestClock) -> None:
    say("I can't stand coriander.")
    say("My husband Tom got the keys today, the flat is ours!")
    clock.advance(days=80)
    refresh_index(memory.space)
    parts = page(memory).split("\n### ")
    (preferences,) = [part for part in parts if part.startswith("Interests and preferences")]
    assert "coriander" in preferences and "keys" not in preferences
    assert "- **People:** Husband: Tom (" in page(memory)


def test_importance_is_shown_with_its_reason(memory: Memory, say: Say) -> None:
    said = say("I got married today!")
    refresh_index(memory.space)
    assert "- **Importance:** high, 7 of 10, because it changes a life and it came up in" in page(memory)
    reason = memory.journal.why(said)
    assert reason.reason == "Importance 7 of 10, because it changes a life and it came up in the last 7 days."
    assert reason.to_json()["score"] == 7
    with pytest.raises(NotFound):
        memory.journal.why("01kg81ytb0r5sgfwpgg1yz6cf5")


def test_a_plan_that_was_dropped_leaves_the_page_for_good_and_stays_in_its_file(
    memory: Memory, say: Say, clock: TestClock
) -> None:
    plan = say("I want to move to Lisbon next year, remember this.", "2026-01-10T10:00:00Z")
    promote_preferences(memory.space, [worth(memory, plan, "I want to move to Lisbon next year, remember this.", 9)])
    say("I hate olives.", "2026-01-11T10:00:00Z")
    refresh_index(memory.space)
    assert "- I want to move to Lisbon" in page(memory)
    say("Lisbon is off the table, we stay here.", "2026-01-29T10:00:00Z")
    for _ in range(3):  # what was said long ago is read again only if it is known to matter
        refresh_index(memory.space)
        above = page(memory).partition("## History")[0]
        assert "move to Lisbon" not in above
        assert "olives" in above
        clock.advance(days=90)
    assert "Lisbon" in memory.space.journal.read(PREFERENCES)  # people's own file


def test_single_packed_copies_of_the_page_move_into_the_bundle(memory: Memory, clock: TestClock) -> None:
    place = memory.space.journal.root / BACKUPS
    place.mkdir(parents=True)
    (place / "memory.md.backup.20260110.gz").write_bytes(gzip.compress(b"older\n"))
    (place / "memory.md.backup.20260111").write_text("old\n")
    for text in ("new\n", "newer\n"):
        back_up(memory.space, text)
        clock.advance(days=1)
    assert [backup.text for backup in index_backups(memory.space)] == ["newer\n", "new\n", "old\n", "older\n"]
    assert len(list(place.iterdir())) == 2
    (place / "memory.md.backups.tar.bz2").write_bytes(b"damaged")
    assert [backup.text for backup in index_backups(memory.space)] == ["newer\n"]


@pytest.mark.parametrize(
    ("goal", "news", "small", "reached"),
    [
        ("I want to run a marathon this year.", "Finished my marathon today in 4:02:11!", "The doctor gave me pills.",
         "Reached: Finished my marathon"),
        ("Ich will dieses Jahr einen Marathon laufen.", "Marathon geschafft, in 4:02:11!", "War beim Arzt, alles gut.",
         "Erreicht: Marathon geschafft"),
        ("Хочу в этом году пробежать марафон.", "Пробежал марафон за 4:02:11!", "Был на приёме у врача.",
         "Достигнуто: Пробежал марафон"),
    ],
)  # fmt: skip
def test_goals_have_their_status_and_milestones_are_what_matters_for_good(
    memory: Memory, say: Say, clock: TestClock, goal: str, news: str, small: str, reached: str
) -> None:
    say(goal, "2026-01-10T10:00:00Z")
    refresh_index(memory.space)
    assert reached.partition(":")[0] not in page(memory)
    say(news, "2026-01-24T10:00:00Z")
    say(small, "2026-01-25T10:00:00Z")
    refresh_index(memory.space)
    clock.advance(days=100)
    refresh_index(memory.space)
    above = page(memory)
    assert reached in above and "([2026-01-24](" in above
    milestones = [line for line in above.split("\n") if line.startswith("- ") and small in line]
    assert news in above and milestones == []


def test_a_step_on_the_way_does_not_reach_a_goal(memory: Memory, say: Say) -> None:
    say("Цель на год: вырастить команду чемпионов по робототехнике.", "2026-01-10T10:00:00Z")
    say("Наша команда вышла в финал по робототехнике!", "2026-01-24T10:00:00Z")
    refresh_index(memory.space)
    assert "Последнее: Наша команда вышла" in page(memory) and "Достигнуто" not in page(memory)


def test_the_label_of_work_is_followed_by_who_employs(memory: Memory, say: Say) -> None:
    say("I work at Norbrook and like it there.")
    refresh_index(memory.space)
    assert "- **Work:** Norbrook" in page(memory)


def test_a_reminder_leaves_the_page_after_its_day(memory: Memory, say: Say, clock: TestClock) -> None:
    text = "Merke dir: Die Anmeldung muss bis zum 20. Februar raus."
    said = say(text, "2026-01-28T10:00:00Z")
    promote_preferences(memory.space, [worth(memory, said, text, 9)])
    refresh_index(memory.space)
    assert "- Die Anmeldung muss" in page(memory)
    clock.advance(days=90)
    refresh_index(memory.space)
    assert "Anmeldung" not in page(memory)


@pytest.mark.parametrize(
    ("said", "taken_back"),
    [
        ("My sister Ann got engaged to her boss.", "It was only a joke, of course."),
        ("Meine Schwester Anna hat sich mit ihrem Chef verlobt.", "War natürlich nur ein Spruch."),
        ("Моя сестра Анна вышла замуж за начальника.", "Это была просто шутка."),
    ],
)
def test_what_was_only_a_joke_is_no_milestone(memory: Memory, say: Say, said: str, taken_back: str) -> None:
    say(f"{said} {taken_back}", time="2025-11-03T10:00:00Z")
    say("I bought bread.")
    refresh_index(memory.space)
    assert said not in page(memory)


def test_a_milestone_stays_with_its_correction(memory: Memory, say: Say) -> None:
    text = "Wir heiraten am 3. Mai, die Zusage ist da: Wir sind verlobt! Der Termin ist aber erst am 10. Juni."
    say(text, time="2025-11-03T10:00:00Z")
    refresh_index(memory.space)
    assert all("10. Juni" in line for line in page(memory).splitlines() if "verlobt" in line)
    assert "verlobt" in page(memory)


def test_a_correction_of_another_day_stays_with_what_it_corrects() -> None:
    lines = [f"- 2025-08-{day:02}: We bought a house in Leeds number {day}!" for day in range(2, 5)]
    told = "- 2025-08-07: Die Zusage vom Klinikum ist da, ich habe den Vertrag unterschrieben!"
    corrected = "- 2025-08-08: Im Klinikum fange ich doch erst am 1. November an."
    page = "\n".join(["### August", told, *lines, "- 2025-08-09: Wir haben ein Haus gekauft!", corrected])
    texts = [line.text for line in summary_lines(page)]
    assert any("Zusage" in text for text in texts) <= any("1. November" in text for text in texts)
    assert any("Zusage" in text for text in texts)
