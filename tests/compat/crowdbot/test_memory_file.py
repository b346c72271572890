"""Old memory files are split by timestamps of every form, and no line is lost."""

import time
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.compat.crowdbot.memory_file import Legacy, parse_legacy, sections_of
from waypost.compat.crowdbot.timestamps import read_head

NOON = datetime(2026, 1, 15, 14, 30)


def entries(text: str, day: date | None = None) -> list[tuple[datetime | None, str | None, str]]:
    return [(piece.at, piece.speaker, piece.text) for piece in parse_legacy(text, day).pieces]


# -- timestamps


@pytest.mark.parametrize(
    "line",
    [
        "[2026-01-15 14:30] User: hello",
        "[2026-01-15 14:30:00] Benutzer: hello",
        "2026-01-15 14:30 - User: hello",
        "2026-01-15T14:30:00 user: hello",
        "**User** (15.01.2026, 14:30): hello",
        "**[2026-01-15 14:30] User:** hello",
        "User [2026-01-15 14:30]: hello",
        "- **2026-01-15 14:30** User: hello",
        "> 15. Januar 2026, 14:30 Uhr - Nutzer: hello",
        "January 15, 2026 at 2:30 PM - User: hello",
        "15 января 2026, 14:30 - Пользователь: hello",
        "Пользователь (15.01.2026 14:30): hello",
        "2026-01-15 14:30 | user | hello",
        "### 2026-01-15 14:30 - User\nhello",
        "## 2026-01-15\n### Benutzer - 14:30:00\nhello",
        "## 15.01.2026\n\n14:30 - User: hello",
        "# Донесение от 15 января 2026\n(14:30) Пользователь: hello",
        "Datum: 15.01.2026\n[14:30] ich: hello",
    ],
)
def test_a_time_is_read_in_every_form_in_which_it_is_written(line: str) -> None:
    rows = [row for row in entries(line) if row[1]]
    assert rows == [(NOON, "user", "hello")]


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-15 was a good day for all of us",
        "On 2026-01-15 we met",
        "Erstellt: 2026-01-15",
        "**Letzte Aktualisierung:** 2026-01-30 18:17:00",
        "| 2026-01-15 | 14:30 | row |",
        "Version 1.2.2026",
        "see 12:30:45:99 and 99:99",
        "2026-13-45 14:30: no such day",
    ],
)
def test_a_date_inside_a_sentence_a_label_or_a_table_is_no_timestamp(line: str) -> None:
    legacy = parse_legacy(line)
    assert (legacy.pieces, legacy.curated) == ((), line)


def test_an_appointment_in_a_days_notes_is_no_timestamp() -> None:
    assert entries("## 2026-01-15\n- 14:30 Uhr Zahnarzt\n- 15:00: Besuch") == [
        (datetime(2026, 1, 15), None, "- 14:30 Uhr Zahnarzt"),
        (datetime(2026, 1, 15, 15, 0), None, "Besuch"),
    ]


def test_a_stated_zone_is_kept() -> None:
    assert entries("[2026-01-15T14:30:00Z] user: a\n[2026-01-15 14:30 +01:00] user: b") == [
        (NOON.replace(tzinfo=UTC), "user", "a"),
        (NOON.replace(tzinfo=timezone(timedelta(hours=1))), "user", "b"),
    ]


# -- entries


def test_an_answer_keeps_its_lines_its_headings_and_its_code() -> None:
    answer = "# Plan\n\n1. Januar: VPC\n\n```python\n# 2026-02-01\nlog('[2026-02-01 10:00] ERROR')\n```\nEnde"
    text = f"### Benutzer - 14:30:00\nLernplan?\n\n### Crowdbot - 14:31:20\n{answer.replace('# Plan', '### Plan')}\n"
    legacy = parse_legacy(text, date(2026, 1, 15))
    assert [(piece.speaker, piece.text) for piece in legacy.pieces] == [
        ("user", "Lernplan?"),
        ("Crowdbot", answer.replace("# Plan", "### Plan")),
    ]
    assert {piece.kind for piece in legacy.pieces} == {"conversation"}


def test_a_heading_in_an_answer_is_its_own_and_after_the_last_one_it_begins_a_section() -> None:
    text = "## 2026-01-15\n### Bot - 10:00\nPlan\n## Phase 1\nVPC\n### User - 10:05\nDanke\n## Wohnort\nMarmagen"
    legacy = parse_legacy(text)
    assert [piece.text for piece in legacy.pieces] == ["Plan\n## Phase 1\nVPC", "Danke"]
    assert legacy.curated == "## Wohnort\nMarmagen"


def test_a_fence_that_nobody_closed_does_not_swallow_what_is_said_later() -> None:
    text = "## 2026-01-15\n[10:00] User: look\n```\nbroken\n[10:05] User: next\n```js\nfine\n```\n[10:06] Bot: yes"
    assert [row[2] for row in entries(text)] == ["look\n```\nbroken", "next\n```js\nfine\n```", "yes"]


def test_who_speaks_without_a_time_spoke_at_the_last_one() -> None:
    text = "## 2026-01-15 14:30\n**User:** hi\n**Bot:** hello\nagain"
    assert entries(text) == [(NOON, "user", "hi"), (NOON, "assistant", "hello\nagain")]


def test_names_that_speak_again_and_again_are_speakers_and_a_single_word_is_not() -> None:
    chat = "\n".join(f"[2026-01-15 14:3{n}] {name}: hi {n}" for n, name in enumerate(["Raimund", "Anna"] * 3))
    assert [(row[1], row[2]) for row in entries(chat)][:2] == [("Raimund", "hi 0"), ("Anna", "hi 1")]
    assert entries("[2026-01-15 14:30] Idee: neu bauen") == [(NOON, None, "Idee: neu bauen")]


def test_notes_of_a_day_are_distinguished_by_their_headings() -> None:
    text = "## 2026-01-15 – Köln\nIm Dom\n### Abends\nKino\n"
    assert [row[2] for row in entries(text)] == ["Köln\nIm Dom", "### Abends\nKino"]


def test_a_heading_of_a_higher_level_ends_the_days() -> None:
    legacy = parse_legacy("# Book\n## 2026-01-15\nDay\n# About\nMe")
    assert (legacy.curated, [piece.text for piece in legacy.pieces]) == ("# Book\n# About\nMe", ["Day"])


def test_a_kind_that_is_named_is_kept() -> None:
    text = "## 10:15 [preference]\nDeutsch\n## 11:00 (agent)\nPDF: 12 Seiten\n- [12:00] (preference) Mag Tee"
    assert [(piece.kind, piece.text) for piece in parse_legacy(text, date(2026, 2, 23)).pieces] == [
        ("preference", "Deutsch"),
        ("workflow_result", "PDF: 12 Seiten"),
        ("preference", "Mag Tee"),
    ]


# -- preferences, and the text above


@pytest.mark.parametrize("title", ["Interessen & Präferenzen", "Preferences", "Предпочтения", "Meine Vorlieben:"])
def test_a_section_of_preferences_gives_one_preference_a_bullet(title: str) -> None:
    text = (
        f"## {title}\n- **Nicht:** Fußball (2025-12-10)\n- Projekte\n  - AWS\n\nDeutsch\nund Russisch\n\n## Rest\nmore"
    )
    legacy = parse_legacy(text)
    assert [(piece.kind, piece.text) for piece in legacy.pieces] == [
        ("preference", "**Nicht:** Fußball (2025-12-10)"),
        ("preference", "Projekte\n  - AWS"),
        ("preference", "Deutsch\nund Russisch"),
    ]
    assert legacy.curated == "## Rest\nmore"


def test_a_sentence_that_names_preferences_is_no_such_section() -> None:
    assert parse_legacy("## We talked about his preferences in music\n- jazz").pieces == ()


def test_what_the_old_tool_computed_can_be_kept_apart() -> None:
    text = "# Me\nRaimund\n## Meta-Statistiken\n- **Gesamtgespräche:** 147\n### Größe\n4 MB\n## Notizen\nx"
    legacy = parse_legacy(text, apart=("generated",))
    assert legacy.generated == "## Meta-Statistiken\n- **Gesamtgespräche:** 147\n### Größe\n4 MB"
    assert legacy.curated == "# Me\nRaimund\n## Notizen\nx"
    assert "147" in parse_legacy(text).curated


def test_a_long_page_is_cut_before_its_headings() -> None:
    assert list(sections_of("intro\n# A\na\n\n## B\nb\n")) == ["intro", "# A\na", "## B\nb"]


# -- nothing is lost

_LINES = st.sampled_from(
    [
        "## 2026-01-15", "### 2026-01-16 (Heute) - [Details](daily/20260116.md)", "### Benutzer - 14:30:00", "### Crowdbot - 18:00",
        "[2026-01-15 14:30] User: hallo: du", "[2026-01-17 09:00] Raimund: hm", "- 2026-01-18: Tag", "- 14:31: text", "**Bot:** ja",
        "### User", "## Präferenzen", "## Preferences", "### Unter", "- mag Tee", "  - grünen", "* 12:00", "---", "***", "```", "~~~",
        "````python", "# Titel", "## Konversationshistorie", "## Statistiken", "Zeile", "", "  ", "\ttab", "Datum: 20.01.2026",
        "1. eins", "#", "######", "> Zitat", "**User** (16.01.2026, 10:00):", "[14:31]", "| a | b |", "User:", "   ### 12:00",
        "2026-01-15", "15.01.2026 10:00 Nutzer", "<!-- remark -->", "# 10:00 Bot: x ##", "- [10:00] (preference)", "(agent)",
    ]
) | st.text(st.characters(codec="utf-8", exclude_characters="\n\r\ufeff"), max_size=30)  # fmt: skip


def lost(text: str, legacy: Legacy) -> list[str]:
    """Lines of the file that are lost. A line may be kept whole or without its lead."""
    parts = [*(piece.text for piece in legacy.pieces), legacy.curated, legacy.generated]
    left = Counter(line.rstrip() for part in parts for line in part.split("\n") if line.strip())
    spent = Counter(line.rstrip() for line in legacy.spent)
    missing = []
    for line in (line.rstrip() for line in text.split("\n") if line.strip()):
        if spent[line]:
            spent[line] -= 1
            continue
        closed = line.rstrip("#").rstrip()  # a heading may end so
        ends = [ending for ending in left if left[ending] and (line.endswith(ending) or closed.endswith(ending))]
        if not ends:
            missing.append(line)
            continue
        left[max(ends, key=len)] -= 1
    return missing + [line for line, count in left.items() if count]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(_LINES, max_size=25), st.sampled_from([None, date(2026, 1, 14)]), st.booleans())
def test_every_line_is_in_an_entry_or_above_or_was_spent_on_when_and_who(
    lines: list[str], day: date | None, apart: bool
) -> None:
    text = "\n".join(lines)
    legacy = parse_legacy(text, day, apart=("generated",) if apart else ())
    assert lost(text, legacy) == []
    assert all(piece.text.strip() for piece in legacy.pieces)
    for line in legacy.spent:  # only a time, a name, a section title or a rule
        head = read_head(line, is_heading=line.lstrip().startswith("#"))
        title = line.strip("# \t").casefold()
        assert (
            (head and not head.text)
            or not any(map(str.isalnum, line))
            or title.startswith(("präferenzen", "preferences", "konversationshistorie"))
        )


def test_a_test_of_loss_that_can_fail() -> None:
    assert lost("a\nb", Legacy((), "a", ())) == ["b"]
    assert lost("a", Legacy((), "a\ninvented", ())) == ["invented"]


@pytest.mark.parametrize(
    "line",
    ["[" * 100_000, "1:" * 50_000, "**" * 50_000 + "x", "2026-01-15 " * 20_000, "a " * 50_000 + ":", "#" * 100_000],
)
def test_hostile_lines_are_read_in_no_time(line: str) -> None:
    begun = time.process_time()
    parse_legacy(f"{line}\n# {line}\n- {line}")
    assert time.process_time() - begun < 1.0
