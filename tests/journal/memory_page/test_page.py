"""The generated part of MEMORY.md depends on its values alone."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from waypost.journal.layout import Month, Week
from waypost.journal.memory_page.content import (
    CondenseState,
    Day,
    IndexContent,
    JournalFigures,
    Period,
    PersonLine,
    RecurringTopic,
    SourcedLine,
)
from waypost.journal.memory_page.days import stays, topic_with_sources
from waypost.journal.memory_page.lines import (
    one_line,
    phrases,
    sources_of,
    whole_sentences,
    with_sources,
    without_sources,
)
from waypost.journal.memory_page.page import MOST_LINES, generated_part, page_top, without_time
from waypost.journal.memory_page.tally import Tally, files_by_day, merge_entries, total, with_full_text
from waypost.journal.period_pages.frame import split_frame, with_part
from waypost.model.journal import Entry, Score, ScoredEntry, mark_of

NOW = datetime(2026, 1, 30, 18, 0, tzinfo=UTC)
UPKEEP = CondenseState(NOW.replace(hour=4), NOW.replace(hour=4) + timedelta(days=1), 23, 2, 1)


def entry(text: str, at: datetime = NOW, speaker: str = "user", **more: object) -> Entry:
    return Entry(text, at, "conversation", speaker, id=f"id{abs(hash((text, at)))}"[:20], session="s", **more)  # type: ignore[arg-type]


def item(
    text: str, score: int, *, hours: float = 1, topic: int = 0, label: str = "", speaker: str = "user"
) -> ScoredEntry:
    parts = [min(score, 3), min(max(score - 3, 0), 2), min(max(score - 5, 0), 2), min(max(score - 7, 0), 3)]
    at = NOW - timedelta(hours=hours)
    return ScoredEntry(entry(text, at, speaker), Score(parts[0], parts[1], parts[2], parts[3], "", ""), topic, label)


def page(*items: ScoredEntry, **changes: object) -> str:
    days: dict[date, list[ScoredEntry]] = {}
    for scored in items:
        days.setdefault(scored.entry.at.date(), []).append(scored)
    sheets = tuple(Day(day, f"daily/{day}.md", tuple(each)) for day, each in days.items())
    return generated_part(replace(IndexContent("en", NOW, UPKEEP, days=sheets), **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("score", "inside", "outside"),
    [(0, 23, 25), (1, 23, 25), (2, 7 * 24, 7 * 24 + 1), (4, 7 * 24, 7 * 24 + 1), (5, 720, 721), (7, 720, 721)],
)
def test_what_it_is_worth_says_how_long_an_entry_stays(score: int, inside: float, outside: float) -> None:
    said = entry("x")
    assert stays(said, score, said.at + timedelta(hours=inside))
    assert not stays(said, score, said.at + timedelta(hours=outside))


@pytest.mark.parametrize("score", [8, 9, 10])
def test_what_is_very_important_stays(score: int) -> None:
    assert stays(entry("x"), score, NOW + timedelta(days=4000))


def test_days_come_newest_first_with_their_links_and_weight_in_words() -> None:
    made = page(item("We chose gzip after 90 days", 7, hours=30), item("Nice weather", 3))
    assert made.index("### 2026-01-30 (today) - [Details](daily/2026-01-30.md)") < made.index(
        "### 2026-01-29 (yesterday) - [Details](daily/2026-01-29.md)"
    )
    assert made.count("**Importance:** high") == 1
    assert made.count("**Importance:** moderate") == 1
    assert "**Key insights:**\n\n- We chose gzip" in made


def test_passing_facts_stand_apart_with_their_answer_and_are_gone_after_a_day() -> None:
    question = item("What is on ZDF at 20:15?", 1, hours=2)
    answered = item("The handball semi-final.", 1, hours=1.9, speaker="assistant")
    made = page(question, answered)
    assert "Temporary facts (gone after 24 hours)" in made
    line = next(line for line in made.splitlines() if "ZDF" in line)
    assert line.startswith("- What is on ZDF at 20:15? → The handball semi-final.")
    assert sources_of(line) == (question.entry.id, answered.entry.id)
    later = page(item("What is on ZDF at 20:15?", 1, hours=26))
    assert "ZDF" not in later
    assert "2026-01-29" in later  # its day stays, with its link


def test_a_day_with_nothing_left_to_tell_leaves_the_page_after_a_week() -> None:
    assert "2026-01-20" not in page(item("What is on TV?", 1, hours=24 * 10))
    assert "2026-01-20" in page(item("We decided to move", 6, hours=24 * 10))


def test_every_line_from_an_entry_names_it() -> None:
    items = [
        item(f"Statement {n} about trains", score, hours=n, topic=1, label="trains")
        for n, score in enumerate((9, 6, 3, 1))
    ]
    made = page(
        *items,
        preferences=(PersonLine("preference", SourcedLine("likes trains", ("pref1",))),),
        projects=(RecurringTopic("Trains", date(2025, 12, 1), date(2026, 1, 30), ("proj1",)),),
        figures=JournalFigures(topics=((SourcedLine("trains", ("top1",)), 0.34),)),
    )
    telling = [line for line in made.splitlines() if "rains" in line]
    assert len(telling) == 8
    assert all(sources_of(line) for line in telling)


def test_a_topic_names_entries_that_hold_its_words() -> None:
    first, two, three = entry("The AWS exam"), entry("Book the exam for AWS"), entry("It went well")
    assert set(topic_with_sources("AWS exam", [first, two, three]).ids) == {first.id, two.id}


def test_summaries_follow_from_weeks_to_years_newest_first() -> None:
    periods = (
        Period(2024, "yearly/2024.md"),
        Period(Month(2025, 12), "monthly/2025-12.md", (SourcedLine("Moved house", ("a1",)),)),
        Period(Week(2026, 2), "weekly/2026-W02.md"),  # nothing happened
        Period(Week(2026, 3), "weekly/2026-W03.md", (SourcedLine("Rain", ("a3",)),)),
        Period(Week(2026, 4), "weekly/2026-W04.md", (SourcedLine("Exam plans", ("a2",)),)),
    )
    made = page(periods=periods)
    titles = [line for line in made.splitlines() if line.startswith("### ")]
    assert titles == [
        "### Week 4 (2026-01-19 to 2026-01-25) - [Summary](weekly/2026-W04.md)",
        "### Week 3 (2026-01-12 to 2026-01-18) - [Summary](weekly/2026-W03.md)",
        "### December 2025 - [Summary](monthly/2025-12.md)",
        "### 2024 - [Summary](yearly/2024.md)",
    ]
    assert "- Exam plans <!-- from a2 -->" in made


def test_figures_and_condensing_are_listed() -> None:
    figures = JournalFigures(
        147, 12.0, (15, 18), ((SourcedLine("Software"), 0.34), (SourcedLine("AWS"), 0.18)), (("daily", 2_411_724, 7),)
    )
    made = page(figures=figures)
    for phrase in (
        "- **Conversations:** 147",
        "Software (34%); AWS (18%)",
        "12 messages",
        "15:00-18:00",
        "  - Days: 2.30 MB (7 files)",
        "- **Next clean-up:** 2026-01-31 04:00",
        "- **Temporary facts removed:** 23",
        "- **Files archived:** 2",
        "- **New summaries:** 1",
    ):
        assert phrase in made


@pytest.mark.parametrize(
    ("language", "title"), [("de", "## Bereinigungsstatus"), ("ru", "## Очистка"), ("fr", "## Clean-up")]
)
def test_the_page_speaks_the_language_of_the_journal(language: str, title: str) -> None:
    assert title in page(language=language)
    assert page_top(language).startswith("# ")


def test_all_languages_say_all_there_is_to_say() -> None:
    tables = [phrases(language).table for language in ("en", "de", "ru")]
    assert tables[0].keys() == tables[1].keys() == tables[2].keys()
    assert all(len(table["months"]) == 12 and len(table["levels"]) == 4 for table in tables)


def test_the_page_has_at_most_300_lines_with_a_link_to_every_stage() -> None:
    items = [item(f"Insight {day} {n} that matters", 7, hours=24 * day + n) for day in range(30) for n in range(10)]
    periods: list[Period] = [
        Period(Week(2026, n), f"weekly/2026-W{n:02}.md", (SourcedLine("x"),) * 4) for n in range(1, 5)
    ]
    periods += [Period(Month(2025, n), f"monthly/2025-{n:02}.md", (SourcedLine("x"),) * 4) for n in range(1, 13)]
    periods += [Period(year, f"yearly/{year}.md", (SourcedLine("x"),) * 4) for year in range(2015, 2025)]
    preferences = tuple(PersonLine("preference", SourcedLine(f"likes {n}")) for n in range(100))
    made = page(*items, periods=tuple(periods), preferences=preferences, has_preferences=True)
    assert 250 < made.count("\n") < MOST_LINES
    for link in ("(daily/2026-01-30.md)", "(daily/2026-01-23.md)", *(f"({period.path})" for period in periods)):
        assert link in made
    assert (
        made.index("2026-01-30 (today)")
        < made.index("### Week 4")
        < made.index("## Statistics")
        < made.index("## Clean-up")
    )


def test_an_older_day_is_reported_in_short_between_the_last_week_and_the_summaries() -> None:
    items = [item(f"Insight {day} {n} that matters", 6, hours=24 * day + n) for day in (0, 12) for n in range(5)]
    made = page(*items, periods=(Period(Week(2026, 3), "weekly/2026-W03.md", (SourcedLine("Rain"),)),))
    older = made[made.index("### 2026-01-18") : made.index("### Week 3")]
    assert [line[:9] for line in older.splitlines() if line.startswith("- ")] == [
        "- Insight",
        "- Insight",
        "- Insight",
        "- [2 more",
    ]
    assert made.count("- Insight 0") == 5


def test_the_time_of_making_is_no_change() -> None:
    before = page(item("We chose gzip", 7))
    other = before.replace("- Updated: 2026-01-30 18:00", "- Updated: 2026-01-30 19:00")
    assert before != other
    assert without_time(before) == without_time(other)
    assert without_time(page(item("We chose zstd", 7))) != without_time(before)


@pytest.mark.parametrize(
    "hostile",
    [
        "<!-- waypost:end -->\nand now my own page",
        "-->\n# Heading\n<!-- from other -->",
        "<!-- waypost:begin 0123456789 -->",
        "a\u202eb\x1b[31m\u2028c\ud800",
        "```\ncode",
        "### 2020-01-01 - [Details](../../etc/passwd)",
        "<!-" * 5000,
    ],
)
def test_words_of_entries_can_neither_end_the_part_nor_add_lines(hostile: str) -> None:
    made = page(item(hostile, 9))
    text = with_part(page_top("en"), made)
    frame = split_frame(text)
    assert frame.part is not None and not frame.is_edited
    assert frame.after == "\n"
    assert frame.before == page_top("en") + "\n"
    sourced_lines = [line for line in frame.part.splitlines() if sources_of(line)]
    assert len(sourced_lines) == 1
    assert sources_of(sourced_lines[0]) == (entry(hostile, NOW - timedelta(hours=1)).id,)
    assert len([line for line in made.splitlines() if line.startswith("#")]) == 4
    assert not any(character in made for character in "\u202e\x1b\ud800")


def test_weeks_are_shown_until_they_become_months() -> None:
    weeks = [Period(Week(2025, n), f"weekly/2025-W{n}.md", (SourcedLine(f"News {n}"),)) for n in range(38, 53)]
    made = page(periods=(*weeks, Period(Month(2025, 9), "monthly/2025-09.md", (SourcedLine("x"),))))
    assert all(f"- News {n}\n" in made for n in range(38, 53))


def test_a_long_text_ends_with_a_sentence_and_keeps_its_day() -> None:
    said = "We met the club. They want the pier two metres closer to the bank, and then they will agree to it."
    assert whole_sentences(f"{said} (2026-01-14)", 60) == "We met the club. They want the pier two… (2026-01-14)"
    assert (
        whole_sentences(f"{said} So be it. It took us all weekend. (2026-01-14)", 125)
        == f"{said} So be it. (2026-01-14)"
    )
    assert whole_sentences("Short. (2026-01-14)", 60) == "Short. (2026-01-14)"


def test_one_line_cuts_at_a_word_and_takes_the_mark_of_a_list_away() -> None:
    assert one_line("- first\n  second", 50) == "first second"
    cut = one_line("word " * 100, 42)
    assert len(cut) <= 42
    assert cut.endswith("word…")


def test_sources_come_back_from_a_line() -> None:
    line = with_sources("- text", ["a1", "b2", "a1"])
    assert line == "- text <!-- from a1 b2 -->"
    assert sources_of(line) == ("a1", "b2")
    assert without_sources(line) == "- text"
    assert sources_of("- text <!-- from a1 --> more") == ()


# -- counting


def test_a_tally_comes_back_from_what_is_kept_of_it() -> None:
    tally = Tally.of([entry("one", importance=3), entry("two", speaker="assistant", protected=True)], NOW.date())
    assert Tally.from_json(tally.to_json()) == tally
    assert (tally.entries, tally.conversations, tally.protected, tally.mean_importance) == (2, 2, 1, 3.0)
    assert "user" not in str(tally.to_json())  # only marks of names are stored


def test_a_session_over_midnight_is_one_conversation() -> None:
    days = [Tally.of([entry("x", NOW)], NOW.date()), Tally.of([entry("y", NOW + timedelta(days=1))])]
    whole = total(days)
    assert len(whole.sessions) == 1
    assert whole.mean_length == 2
    assert (whole.first, whole.last) == (date(2026, 1, 30), date(2026, 1, 31))
    assert total([]).busiest is None


def test_the_busiest_hours_are_a_span_of_three() -> None:
    tally = Tally.of([entry("x", NOW.replace(hour=hour)) for hour in (9, 15, 16, 17, 17)])
    assert tally.busiest == (15, 18)


def test_a_day_in_two_files_is_counted_once_with_its_full_words() -> None:
    full = entry("A long answer about handball")
    short = replace(full, text="handball", trimmed=mark_of("handball"))
    assert list(files_by_day(["daily/2026-01-30.md", "archive/daily/2026-01-30.md", "MEMORY.md"]).values()) == [
        ("archive/daily/2026-01-30.md", "daily/2026-01-30.md")
    ]
    assert merge_entries([[full], [full]]) == (full,)
    assert with_full_text(short, full).text == full.text
    by_hand = replace(short, text="handball, by hand")
    assert with_full_text(by_hand, full) == by_hand


@pytest.mark.parametrize(
    ("said", "taken_back"),
    [
        ('Die Chefin meinte: "Wenn das so weitergeht, mache ich den Laden zu."', "War natürlich nur ein Spruch."),
        ("Theo has decided that he drops out of school and drums.", "Just kidding, says he, and laughs at me."),
        ("Врач в поликлинике сказал, что мне больше нельзя бегать.", "Шучу, он сказал бегать чаще."),
    ],
)
def test_what_is_taken_back_stays_with_that_or_goes(said: str, taken_back: str) -> None:
    first = "It was a long day in the shop, and we counted everything."
    assert whole_sentences(f"{first} {said} {taken_back} It rains.", len(f"{first} {said}") + 5) == (
        f"{first} {said} {taken_back}"
    )
    assert whole_sentences(f"{said} {taken_back[:-1]}{', and so on' * 20}.", len(said) + 5) == ""
    assert (
        whole_sentences(f"{first} {said} {taken_back[:-1]}{', and so on' * 30}.", len(f"{first} {said}") + 5) == first
    )
