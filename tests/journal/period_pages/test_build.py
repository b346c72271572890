"""Summaries of weeks, months and years without a language model."""

import random
import re
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.journal.sources import sources_in

from waypost.journal.layout import Month, Week
from waypost.journal.period_pages.build import summarise
from waypost.model.journal import Amendment, Entry, Score, ScoredEntry

ZONE = timezone(timedelta(hours=1))
WEEK = Week(2026, 3)
AWS: dict[str, Any] = {"topic": 1, "label": "AWS Zertifizierung"}
GOAL = (
    "Ich möchte dieses Jahr drei AWS Zertifizierungen machen: Solutions Architect, Developer und SysOps Administrator. "
    "Kannst du mir einen Lernplan erstellen?"
)
PLAN = """Gerne! Hier ist dein Lernplan.

1. **Solutions Architect Associate**: bis Ende März 2026, 2 Stunden täglich
2. **Developer Associate**: bis Ende Mai 2026
3. **SysOps Administrator Associate**: bis Ende Juli 2026

Ich hoffe, das hilft dir weiter. Soll ich dir Erinnerungen einrichten?"""


def entry(
    day: str,
    speaker: str | None,
    text: str,
    points: tuple[int, int, int, int],
    *,
    topic: int = 0,
    label: str = "",
    **more: Any,
) -> ScoredEntry:
    frequency, recency, explicit, relevance = points
    at = datetime.fromisoformat(f"2026-{day}").replace(tzinfo=ZONE)
    ident = more.pop("id", f"id{day.replace('-', '').replace('T', 'x').replace(':', '')}")
    score = Score(frequency, recency, explicit, relevance, "", "")
    return ScoredEntry(Entry(text, at, speaker=speaker, id=ident, session=day[:5], **more), score, topic, label)  # fmt: skip


SEED = [
    entry("01-12T09:10", "Raimund", "Was läuft heute im Fernsehen?", (0, 0, 0, 0)),
    entry("01-12T09:11", "Crowdbot", "Heute läuft um 20:15 Uhr ein Krimi im Ersten.", (0, 0, 0, 0)),
    entry("01-13T20:00", "Raimund", "Gestern war ich auf dem Geburtstag meiner Mutter in Köln.", (2, 2, 0, 1)),
    entry("01-15T14:30", "Raimund", GOAL, (3, 2, 2, 3), **AWS),
    entry("01-15T14:31", "Crowdbot", PLAN, (3, 2, 2, 3), **AWS),
    entry("01-15T15:00", "Raimund", "Merke dir bitte: Ich bin nicht an Fußball interessiert.", (0, 2, 2, 3)),
    entry("01-16T08:00", "Raimund", "Wie weit bin ich mit dem AWS Lernplan?", (3, 2, 1, 0), **AWS),
    entry("01-16T08:01", "Crowdbot", "Du hast die Module IAM und EC2 abgeschlossen.", (3, 2, 0, 0), **AWS),
    entry("01-17T11:00", "Raimund", "Wir nehmen Python 3.11, das ist entschieden.", (0, 2, 0, 2)),
    entry("01-18T11:00", None, "Zahnarzt am 3. Februar um 9 Uhr", (0, 0, 0, 0), kind="note", protected=True),
]


def visible(summary: str) -> str:
    return re.sub(r" ?<!--.*?-->", "", summary)


def section(summary: str, heading: str) -> str:
    return summary.partition(f"### {heading}\n")[2].partition("\n### ")[0]


def test_the_seeds_week_has_its_title_and_headings_in_order() -> None:
    summary = summarise(WEEK, SEED, {})
    assert summary.startswith(
        "## Kalenderwoche 3 (2026-01-12 – 2026-01-18)\n\n### Hauptthemen\n- **AWS Zertifizierung:**"
    )
    assert re.findall("^### (.*)$", summary, re.MULTILINE) == [
        "Hauptthemen",
        "Wichtige Erkenntnisse & Entscheidungen",
        "Persönliche Ereignisse",
        "Wiederkehrende Aktivitäten",
        "Kontext für spätere Referenz",
    ]


def test_goals_decisions_and_what_is_marked_stand_word_for_word_with_day_and_source() -> None:
    found = section(summarise(WEEK, SEED, {}), "Wichtige Erkenntnisse & Entscheidungen")
    link = "([2026-01-15](../archive/daily/2026-01-15.md)) <!-- from id0115x1430 -->"
    assert f"- {GOAL} {link}" in found
    assert "- Ich bin nicht an Fußball interessiert. " in found
    assert "- Wir nehmen Python 3.11, das ist entschieden. " in found
    assert "- Zahnarzt am 3. Februar um 9 Uhr ([2026-01-18](" in found


def test_an_answer_stands_below_its_question_as_its_gist() -> None:
    summary = summarise(WEEK, SEED, {})
    assert (
        "\n  - Crowdbot: Solutions Architect Associate: bis Ende März 2026, 2 Stunden täglich; Developer Associate: bis "
        "Ende Mai 2026; SysOps Administrator Associate: bis Ende Juli 2026 <!-- from id0115x1431 -->"
    ) in summary
    assert "Gerne" not in summary and "Erinnerungen" not in summary
    later = section(summary, "Kontext für spätere Referenz")
    assert later.index("Wie weit bin ich") < later.index("Du hast die Module IAM und EC2 abgeschlossen.")


def test_passing_questions_are_never_told() -> None:
    assert "Fernsehen" not in summarise(WEEK, SEED, {}) and "Krimi" not in summarise(WEEK, SEED, {})


def test_the_day_that_yesterday_means_is_said() -> None:
    events = section(summarise(WEEK, SEED, {}), "Persönliche Ereignisse")
    assert "in Köln. ([2026-01-13](../archive/daily/2026-01-13.md); gestern: 2026-01-12)" in events


def test_recurring_topics_say_how_often_and_when() -> None:
    found = section(summarise(WEEK, SEED, {}), "Wiederkehrende Aktivitäten")
    assert "- **AWS Zertifizierung:** 2 Einträge an 2 Tagen, 2026-01-15 bis 2026-01-16; 2-mal gefragt" in found


def test_a_topic_counts_only_entries_with_its_name() -> None:
    others = [
        entry(f"01-1{day}T12:00", "Raimund", f"Etwas ganz anderes, Nummer {day}.", (3, 2, 0, 1), topic=1)
        for day in (2, 4, 7)
    ]
    summary = summarise(WEEK, [*SEED, *others], {})
    assert "- **AWS Zertifizierung:** 2 Einträge an 2 Tagen" in section(summary, "Wiederkehrende Aktivitäten")


def test_every_line_names_entries_that_exist() -> None:
    summary = summarise(WEEK, SEED, {})
    for line in summary.split("\n"):
        assert not line.lstrip().startswith("- ") or re.search(r"<!-- from \S.* -->$", line)
    assert set(sources_in(summary)) <= {scored.entry.id for scored in SEED}


def test_a_month_tells_its_best_and_a_year_its_highlights_and_preferences() -> None:
    month, year = summarise(Month(2026, 1), SEED, {}), summarise(2026, SEED, {})
    assert month.startswith("## Januar 2026\n") and year.startswith("## Das Jahr 2026\n")
    assert GOAL in month and GOAL in year and "Zahnarzt" in month and "Zahnarzt" in year
    assert "Fußball" in month and "Fußball" in year
    assert "Köln" in month and "Python 3.11" in month
    assert "Köln" not in year and "Fernsehen" not in month + year


def test_a_month_without_a_highlight_is_told_by_its_strongest_entry() -> None:
    quiet = entry("06-03T10:00", "Raimund", "Das Fahrrad ist repariert und fährt wieder gut.", (2, 2, 0, 1))
    weaker = entry("06-04T10:00", "Raimund", "Das Licht am Fahrrad ist kaputt gegangen.", (1, 2, 0, 1))
    year = summarise(2026, [*SEED, weaker, quiet], {})
    assert "### Monat für Monat\n- **Juni:** Das Fahrrad ist repariert" in year and "Licht" not in year


@pytest.mark.parametrize(
    ("text", "title", "heading"),
    [
        (
            "We decided to move the launch to March.",
            "## Week 3 (2026-01-12 – 2026-01-18)",
            "Key insights and decisions",
        ),
        ("Мы решили перенести запуск на март.", "## Неделя 3 (2026-01-12 – 2026-01-18)", "Важные выводы и решения"),
    ],
)
def test_headings_are_in_the_language_of_the_entries(text: str, title: str, heading: str) -> None:
    summary = summarise(WEEK, [entry("01-13T10:00", "user", text, (1, 2, 0, 2))], {})
    assert visible(summary) == f"{title}\n\n### {heading}\n- {text} ([2026-01-13](../archive/daily/2026-01-13.md))\n"


def test_in_a_mixed_week_the_prevailing_language_has_the_headings_and_each_keeps_its_own() -> None:
    english = entry("01-14T10:00", "Raimund", "We decided to pay by invoice.", (1, 2, 0, 2))
    summary = summarise(WEEK, [*SEED, english], {})
    assert "### Hauptthemen" in summary and "- We decided to pay by invoice." in summary


def test_a_week_of_small_talk_says_that_there_is_nothing_to_keep() -> None:
    assert summarise(WEEK, SEED[:2], {}).endswith(
        "\n\nNichts darin muss man sich merken. Was gesagt wurde, steht im Archiv.\n"
    )
    assert summarise(WEEK, [], {}).startswith("## Week 3 ")


def test_the_order_in_which_entries_come_does_not_matter() -> None:
    vectors = {scored.entry.id or "": np.eye(12, dtype=np.float32)[n] for n, scored in enumerate(SEED)}
    expected = [summarise(period, SEED, vectors) for period in (WEEK, Month(2026, 1), 2026)]
    for seed in range(5):
        mixed = random.Random(seed).sample(SEED, len(SEED))
        assert [summarise(period, mixed, vectors) for period in (WEEK, Month(2026, 1), 2026)] == expected


def test_what_was_corrected_is_told_as_it_holds_and_what_was_retracted_not_at_all() -> None:
    at = datetime(2026, 1, 16, tzinfo=ZONE)
    corrected = entry(
        "01-13T10:00", "user", "We use Redis.", (1, 2, 0, 2), amendments=(Amendment(at, "a", "We use Postgres."),)
    )
    retracted = entry("01-14T10:00", "user", "We use Java.", (1, 2, 0, 2), amendments=(Amendment(at, "a", None),))
    summary = summarise(WEEK, [corrected, retracted], {})
    assert "We use Postgres." in summary and "Redis" not in summary and "Java" not in summary


def test_the_same_words_are_told_once_with_all_their_sources() -> None:
    twice = [
        entry(f"01-{day}T10:00", "user", "We pay by invoice only!", (1, 2, 0, 2), id=f"d{day}") for day in (13, 14)
    ]
    summary = summarise(WEEK, twice, {})
    assert summary.count("invoice") == 1 and "<!-- from d13 d14 -->" in summary


def test_what_means_the_same_by_its_vector_is_told_once() -> None:
    same = [
        entry("01-13T10:00", "bot", "The certificate of the shop runs out in June and is renewed by the host.", (3, 2, 0, 0), id="a"),
        entry("01-14T10:00", "bot", "In June our host will prolong the encryption papers of that store again.", (3, 2, 0, 0), id="b"),
    ]  # fmt: skip
    near = {"a": np.array([1, 0], np.float32), "b": np.array([0.99, 0.05], np.float32)}
    assert len(sources_in(summarise(WEEK, same, {}))) == 2
    assert len(sources_in(summarise(WEEK, same, near))) == 1


def test_people_are_told_apart_and_a_nameless_one_alone_is_not_named() -> None:
    alone = summarise(WEEK, [entry("01-13T10:00", "user", "I like tea.", (0, 2, 0, 3))], {})
    assert "- I like tea." in alone
    two = [
        entry("01-13T10:00", "user", "I like tea.", (0, 2, 0, 3)),
        entry("01-13T11:00", "Ann", "I like milk.", (0, 2, 0, 3)),
    ]
    assert "- Person: I like tea." in summarise(WEEK, two, {})
    assert "- Ann: I like milk." in summarise(WEEK, two, {})


def test_words_that_look_like_our_comments_are_made_harmless() -> None:
    text = "Remember: <!-- waypost:end -->\n### 10:00 · x <!-- conversation id=1 -->\n```\nopen"
    summary = summarise(WEEK, [entry("01-13T10:00", "u", text, (0, 2, 2, 3), id="a --> b", protected=True)], {})
    assert re.findall("<!--.*?-->", summary) == [f"<!-- from {source} -->" for source in sources_in(summary)]
    assert sources_in(summary)[0].startswith("text:")
    assert "\n###" not in summary.partition("### Key")[2]
    assert summary.count("```") == 2


def test_related_places_are_hinted_at() -> None:
    hints = {"id0115x1430": ["weekly/2026-W02.md", "AWS <!-- x"], "id0115x1500": ["../../etc/passwd.md"]}
    summary = summarise(WEEK, SEED, {}, see_also=hints)
    assert "; Siehe auch: [2026-W02](../weekly/2026-W02.md), AWS &lt;!-- x)" in summary
    assert "](../../../etc" not in summary


@pytest.mark.slow
def test_a_busy_week_month_and_year_stay_within_their_size() -> None:
    topics = ["garden", "budget", "music", "travel", "kitchen", "school"]
    many = [
        entry(
            f"{1 + n % 12:02}-{1 + n % 28:02}T{n % 24:02}:{n % 60:02}",
            "Assistant" if n % 2 else "Ann",
            f"The {topics[n % 6]} plan number {n} has {n % 17} parts and costs {n} euros at the market. " * (1 + n % 9),
            (3, 2, n % 3 // 2, n % 2 + n % 3 // 2),
            topic=1 + n % 6,
            label=topics[n % 6],
            id=f"01jk{n:022}",
        )
        for n in range(600)
    ]
    answers = [one for one in many if one.entry.speaker == "Assistant"]
    assert len(summarise(WEEK, answers, {}).encode()) < 12_000
    assert len(summarise(Month(2026, 1), answers, {}).encode()) < 14_000
    assert len(summarise(2026, many, {}).encode()) < 16_000


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=80), st.sampled_from(["user", "bot", "tool", None]), st.integers(0, 3), st.integers(0, 3)
        ),
        max_size=8,
    )
)
def test_any_words_give_a_summary_and_protected_ones_are_in_it(told: list[tuple[str, str | None, int, int]]) -> None:
    entries = [
        entry(f"01-13T10:{n:02}", speaker, text, (one, 2, 0, other), id=f"n{n}", protected=n % 2 == 0)
        for n, (text, speaker, one, other) in enumerate(told)
    ]
    summary = summarise(WEEK, entries, {})
    for scored in entries:
        if scored.entry.protected:
            for line in scored.entry.text.replace("\r\n", "\n").strip().split("\n"):
                assert line.replace("<!--", "&lt;!--").strip() in summary


def test_an_answer_that_only_repeats_or_thanks_is_left_out() -> None:
    week = [
        entry("01-13T10:00", "Ann", "Remember that I drink no coffee.", (0, 2, 2, 3)),
        entry("01-13T10:01", "Bot", "Understood, I will remember that you drink no coffee.", (0, 2, 2, 3)),
        entry("01-14T10:00", "Ann", "My sister got married on Saturday in Leeds.", (2, 2, 0, 1)),
        entry("01-14T10:01", "Bot", "Wow, congratulations to your sister!", (2, 2, 0, 1)),
        entry("01-15T10:00", "Ann", "We decided to buy a heat pump.", (1, 2, 0, 2)),
        entry("01-15T10:01", "Bot", "Great idea! For 180 square metres one of 12 kilowatts will do.", (1, 2, 0, 2)),
    ]
    summary = visible(summarise(WEEK, week, {}))
    assert "Understood" not in summary and "congratulations" not in summary and "Great idea" not in summary
    assert "\n  - Assistant: For 180 square metres one of 12 kilowatts will do.\n" in f"{summary}\n"


def test_answers_to_what_must_stay_give_way_when_there_is_no_room() -> None:
    week = []
    for n in range(20):
        week.append(
            entry(
                f"01-13T10:{n:02}",
                "Ann",
                f"We decided to buy machine {n} of the second series.",
                (1, 2, 0, 2),
                id=f"q{n}",
            )
        )
        long = " ".join(f"Part {n}{letter} of the machine has to be oiled each month." for letter in "abcdef")
        week.append(entry(f"01-13T10:{n:02}:30", "Bot", long, (3, 2, 0, 2), id=f"a{n}"))
    summary = summarise(WEEK, week, {})
    assert all(f"machine {n} of the second series." in summary for n in range(20))
    assert 0 < summary.count("  - Assistant: ") < 20 and len(summary.encode()) < 12_000


def test_a_topic_names_only_the_lines_that_it_says_something_about() -> None:
    week = [
        entry("01-13T10:00", "Ann", "We decided to buy heat pumps.", (1, 2, 0, 2), topic=1, label="heat pump, garage"),
        entry("01-14T10:00", "Ann", "We decided to drink tea only.", (1, 2, 0, 2), topic=1, label="heat pump, garage"),
        entry(
            "01-15T10:00", "Ann", "We decided on the small heat pump.", (1, 2, 0, 2), topic=1, label="heat pump, garage"
        ),
    ]
    found = section(visible(summarise(WEEK, week, {})), "Key insights and decisions")
    assert "- **Heat pump, garage**\n" in found
    assert "\n  - We decided to buy heat pumps. (" in found
    assert "\n  - We decided on the small heat pump. (" in found
    assert "\n- We decided to drink tea only. (" in found


def test_a_topic_is_not_named_before_a_single_line() -> None:
    week = [entry("01-13T10:00", "Ann", "We decided to buy heat pumps.", (1, 2, 0, 2), topic=1, label="heat pump")]
    assert "\n- We decided to buy heat pumps. (" in visible(summarise(WEEK, week, {}))


def person(day: str, text: str, points: tuple[int, int, int, int] = (0, 2, 0, 1)) -> ScoredEntry:
    return entry(day, "Raimund", text, points)


def test_a_score_orders_and_trims_but_never_empties_a_page() -> None:
    days = [
        person(f"01-{day:02}T10:00", f"Am {day}. waren wir bei Freunden in Bonn.", (0, 0, 0, 0)) for day in range(1, 21)
    ]
    month = summarise(Month(2026, 1), [*days, person("01-21T10:00", "Ich habe heute geheiratet!", (0, 0, 0, 0))], {})
    assert "geheiratet" in month
    assert 5 <= len(sources_in(month)) <= 8
    assert "2026-01-04" in summarise(Month(2026, 1), days[3:4], {})


def test_a_page_has_no_bare_questions_and_no_acknowledgements() -> None:
    said = [
        person("01-12T10:00", "Was sind 48 Prozent von 6562?", (3, 2, 1, 0)),
        person("01-13T10:00", "Guten Morgen! Meine Schwester Lena ist schwanger. Was schenkt man da?", (0, 2, 2, 3)),
        entry("01-13T10:01", "Bot", "Herzlichen Glückwunsch, das freut mich sehr für euch!", (0, 2, 2, 3)),
        person("01-14T10:00", "Danke, das hilft mir sehr!", (0, 0, 0, 0)),
    ]
    summary = visible(summarise(WEEK, said, {}))
    assert "- Meine Schwester Lena ist schwanger. ([2026-01-13]" in summary
    assert "?" not in summary and "Glückwunsch" not in summary and "Danke" not in summary and "Morgen" not in summary


def test_each_kind_of_statement_has_its_heading() -> None:
    said = [
        person("01-12T10:00", "Wir haben beschlossen, kein neues Auto zu kaufen."),
        person("01-13T10:00", "Ich will bis Mai einen Marathon laufen."),
        person("01-14T10:00", "Gestern waren wir im Zoo in Köln."),
        person("01-15T10:00", "Ich habe Tom versprochen, beim Umzug zu helfen."),
        person("01-16T10:00", "Mein Bruder Max wohnt in Kiel."),
    ]
    summary = summarise(WEEK, said, {})
    insights = section(summary, "Wichtige Erkenntnisse & Entscheidungen")
    assert "Auto" in insights and "Marathon" in insights
    assert "Zoo" in section(summary, "Persönliche Ereignisse")
    later = section(summary, "Kontext für spätere Referenz")
    assert "Tom" in later and "Kiel" in later


def test_events_come_before_long_answers_and_the_output_of_tools_stays_in_the_archive() -> None:
    long = " ".join(f"Step {n} of the plan needs a longer explanation than anybody will read." for n in range(60))
    week = []
    for n in range(12):
        week.append(
            person(f"01-13T{n + 8:02}:00", f"We decided to paint room number {n} in its own colour.", (3, 2, 0, 2))
        )
        week.append(entry(f"01-13T{n + 8:02}:01", "Assistant", f"Answer {n}. {long}", (3, 2, 0, 2)))
    week.append(entry("01-14T07:00", "tool", "13:50:44 INFO export merged 4287 ms", (3, 2, 0, 2)))
    week.append(person("01-15T10:00", "Ten kilometres in 52:10 today, personal best!", (0, 0, 0, 1)))
    summary = visible(summarise(WEEK, week, {}))
    assert "Ten kilometres in 52:10 today, personal best!" in summary
    assert "INFO export" not in summary


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What goes with rice? The curry is nearly ready.", "Naan bread and a cucumber salad go well with rice."),
        ("Was passt zu Reis? Das Curry ist gleich so weit.", "Naan und ein Gurkensalat passen gut zu Reis."),
        ("Что подать к рису? Карри почти сварилось.", "К рису хорошо подходят лепёшки и салат из огурцов."),
    ],
)
def test_neither_the_rest_of_a_question_nor_an_answer_stands_alone(question: str, answer: str) -> None:
    rows = [
        entry("01-13T18:00", "Ann", question, (0, 2, 0, 0)),
        entry("01-13T18:01", "Bot", answer, (2, 2, 1, 1)),
    ]
    page = summarise(WEEK, rows, {})
    asked, rest = question.split("? ")
    assert asked in page or (rest not in page and answer not in page)
    alone = summarise(WEEK, rows[:1], {})
    assert asked in alone or rest not in alone


@pytest.mark.parametrize(
    ("plan", "news", "birth"),
    [
        (
            "I have to hand in the form by 14 May.",
            "I won the cup with our chess club today.",
            "Our son Theo was born this morning!",
        ),
        (
            "Der Antrag muss bis zum 14. Mai raus.",
            "Ich habe mit dem Schachverein den Preis gewonnen.",
            "Unser Sohn Theo ist heute früh geboren!",
        ),
        (
            "Надо сдать анкету до 14 мая.",
            "Выиграл конкурс с шахматным клубом.",
            "Сегодня утром у нас родился сын Фёдор!",
        ),
    ],
)
def test_a_year_is_in_order_of_time_and_leaves_out_what_is_past(plan: str, news: str, birth: str) -> None:
    rows = [
        entry("01-13T18:00", "Ann", news, (2, 2, 1, 3)),
        entry("02-13T18:00", "Ann", plan, (2, 2, 2, 3)),
        entry("11-13T18:00", "Ann", birth, (0, 2, 0, 2)),
    ]
    page = summarise(2026, rows, {})
    assert "14" not in page
    assert page.index(news) < page.index(birth)
    assert "14" in summarise(Month(2026, 2), rows[1:2], {})


def test_a_topic_counts_what_the_person_said_over_the_whole_time_and_no_answers() -> None:
    flute: dict[str, Any] = {"topic": 1, "label": "Querflöte"}
    rows = [
        entry("01-12T09:10", "Ann", "Ich lerne jetzt Querflöte.", (0, 2, 0, 2), **flute),
        entry("01-12T09:11", "Bot", "Querflöte ist ein schönes Instrument.", (0, 2, 0, 2), **flute),
        entry("01-14T09:10", "Ann", "Die Querflöte ist gestimmt.", (0, 2, 0, 2), **flute),
        entry("01-17T09:10", "Ann", "Heute Querflöte im Orchester gespielt.", (0, 0, 0, 0)),
    ]
    assert "**Querflöte:** 3 Einträge ([2026-01-12]" in summarise(WEEK, rows, {})


@pytest.mark.parametrize(
    ("label", "texts"),
    [
        ("Чердаке", ["Нашли на чердаке старый патефон.", "Навёл порядок на чердаке, вынес хлам."]),
        ("Операция", ["Маме назначили операция на глаза в мае.", "Брату сделали операцию на колене, врач доволен."]),
        ("Operation", ["Dad has an operation on his shoulder.", "Grandma's operation is done, the doctor is happy."]),
    ],
)
def test_a_topic_in_another_case_or_about_several_people_is_not_counted(label: str, texts: list[str]) -> None:
    rows = [
        entry(f"01-1{day}T09:10", "Ann", text, (0, 2, 0, 2), topic=1, label=label) for day, text in enumerate(texts, 2)
    ]
    assert f"**{label}:**" not in summarise(WEEK, rows, {})


def test_practice_in_another_language_is_no_news_and_neither_is_its_answer() -> None:
    rows = [
        person("01-12T10:00", "Wir haben am Wochenende die Küche gestrichen und den Herd angeschlossen."),
        person("01-13T10:00", "On Tuesday I am going to take the train to Bristol. Is that correct?"),
        entry("01-13T10:01", "Bot", "Yes, that sentence is perfectly correct and sounds natural.", (0, 2, 2, 3)),
    ]
    page = summarise(WEEK, rows, {})
    assert "Küche" in page and "Bristol" not in page and "natural" not in page


def test_a_short_text_is_told_with_its_qualifier_and_its_quote_closed() -> None:
    rows = [
        person("01-12T10:00", "Ich hab überlegt, ob ich den Verein wechsle. Ist aber nur so ein Gedanke."),
        person("01-13T10:00", "Er rief: »Das Boot sinkt.« Wir haben alle sehr gelacht."),
    ]
    page = summarise(WEEK, rows, {})
    assert "Ist aber nur so ein Gedanke. (" in page
    assert "Er rief: »Das Boot sinkt.« Wir haben alle sehr gelacht. (" in page


LIVES = {
    "en": (
        [
            "Lena failed her sailing exam again.",
            "My aunt Vera had the twins last night! Two girls.",
            "The museum accepted my painting for its summer show!",
            "We watered the plants and watched a documentary.",
            "Lena passed her sailing exam!",
            "I'm thinking about a new bike, maybe a red one.",
            "First concert with the new band today!",
        ],
        ["twins", "accepted my painting", "passed her sailing", "First concert"],
        ["plants", "bike"],
    ),
    "de": (
        [
            "Lena ist durch die Segelprüfung gefallen.",
            "Meine Tante Vera hat gestern Abend die Zwillinge bekommen, alle gesund!",
            "Das Museum hat mein Bild für die Sommerausstellung angenommen!",
            "Wir haben den Balkon geputzt und eine Doku geschaut.",
            "Lena hat die Segelprüfung bestanden!",
            "Ich überlege, ob ich mir vielleicht ein rotes Rad hole.",
            "Heute das erste Konzert mit der neuen Band!",
        ],
        ["Zwillinge", "angenommen", "Segelprüfung bestanden", "erste Konzert"],
        ["Balkon", "Rad"],
    ),
    "ru": (
        [
            "Лена провалила экзамен по парусному спорту.",
            "Тётя Вера вчера родила двойню, все здоровы!",
            "Музей принял мою картину, пригласили на летнюю выставку!",
            "Полили цветы и смотрели документальное кино.",
            "Лена сдала экзамен по парусному спорту!",
            "Думаю, может быть, купить красный велосипед.",
            "Сегодня первый концерт с новой группой!",
        ],
        ["двойню", "Музей", "сдала экзамен", "первый концерт"],
        ["цветы", "велосипед"],
    ),
}


@pytest.mark.parametrize("language", LIVES)
def test_a_year_tells_outcomes_and_what_is_new_before_attempts_and_what_is_daily(language: str) -> None:
    texts, told, left_out = LIVES[language]
    rows = [entry(f"0{month}-13T18:00", "Ann", text, (0, 2, 0, 1)) for month, text in enumerate(texts, 1)]
    rows += [
        entry(f"0{month}-14T18:00", "Ann", f"{texts[2]} {month}", (0, 2, 0, 1)) for month in (4, 6)
    ]  # a month with nothing else would be told by its best entry
    page = visible(summarise(2026, rows, {}))
    assert [text for text in told if text not in page] == []
    assert [text for text in left_out if text in page] == []
    days = re.findall(r"\(\[([\d-]+)", page.rpartition("\n### ")[2])
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("tried", "came_out"),
    [
        ("If Kim gets the kiosk, we will all celebrate at Rosa's.", "Kim got the job at the kiosk!"),
        ("Falls Kim den Kiosk bekommt, feiern wir alle bei Rosa.", "Kim hat die Stelle im Kiosk!"),
        ("Если Ким дадут киоск, отметим все вместе у Розы.", "Ким приняли в киоск!"),
    ],
)
def test_what_was_only_expected_is_not_told_beside_its_outcome(tried: str, came_out: str) -> None:
    rows = [person("01-05T10:00", tried), person("01-20T10:00", came_out)]
    page = summarise(Month(2026, 1), rows, {})
    assert came_out in page and tried not in page
    assert tried in summarise(Month(2026, 1), rows[:1], {})


@pytest.mark.parametrize(
    "text",
    [
        "The committee has decided to close the pool.",
        "Der Ausschuss hat beschlossen, das Bad zu schließen.",
        "Der Antrag ist abgelehnt worden, weil wir zu spät waren.",
        "Er will mir bis Mai einen Ofen bauen.",
    ],
)
def test_a_decision_of_others_is_an_event(text: str) -> None:
    page = summarise(Month(2026, 1), [person("01-05T10:00", text)], {})
    assert "decisions" not in page and "Entscheidungen" not in page and text in page


def test_news_needs_no_answer_below_it() -> None:
    rows = [
        entry(
            "01-13T10:00", "Ann", "Back in the shop, 300 orders are waiting. Any advice besides closing?", (0, 2, 0, 1)
        ),
        entry("01-13T10:01", "Bot", "Sort the orders by day and start with the three oldest ones.", (0, 2, 0, 1)),
    ]
    page = summarise(WEEK, rows, {})
    assert "300 orders" in page and "Sort the orders" not in page


def test_two_events_need_no_topic_above_them() -> None:
    council: dict[str, Any] = {"topic": 1, "label": "Council"}
    rows = [
        entry("01-12T09:10", "Ann", "The council meets us on the harbour today.", (0, 2, 0, 1), **council),
        entry("01-14T09:10", "Ann", "The council wants the boat by spring.", (0, 2, 0, 1), **council),
    ]
    assert "**" not in summarise(WEEK, rows, {})
    more = entry("01-15T09:10", "Ann", "The council paid for the boat.", (0, 2, 0, 1), **council)
    assert "**Council:** 3 entries" in summarise(WEEK, [*rows, more], {})


def test_a_quiet_year_has_room_for_smaller_news() -> None:
    small = [
        "We moored the boat in Whitby!",
        "Kim visited us with her parents.",
        "The garden is full of apples, Kim helped us.",
    ]
    rows = [entry(f"0{month}-13T18:00", "Ann", text, (0, 2, 0, 2)) for month, text in enumerate(small, 1)]
    rows += [entry(f"01-{day}T18:00", "Ann", f"We watered plant {day}.", (0, 0, 0, 1)) for day in range(14, 20)]
    page = visible(summarise(2026, rows, {}))
    assert all(f"- {text}" in page for text in small)
    busy = [
        entry(
            f"0{1 + day // 28}-{1 + day % 28:02}T18:00",
            "Ann",
            f"Kim passed exam number {day}!",
            (0, 2, 0, 2),
            id=f"b{day}",
        )
        for day in range(60)
    ]
    assert small[1] not in visible(summarise(2026, [*rows, *busy], {}))


def test_a_detail_of_a_request_is_no_news() -> None:
    rows = [
        person("01-12T10:00", "Remind me to order paint for the boat. Two litres, white."),
        person("01-13T10:00", "I drink milk again. Not cream, only milk. So I suppose I'm no vegan now."),
    ]
    page = summarise(WEEK, rows, {})
    assert "litres" not in page and "So I suppose I'm no vegan now." in page


def test_a_request_and_an_event_make_no_topic() -> None:
    running: dict[str, Any] = {"topic": 1, "label": "RUN"}
    rows = [
        entry("01-12T09:10", "Ann", "Remind me to order socks for the run.", (0, 2, 0, 1), **running),
        entry("01-14T09:10", "Ann", 'Their sign said "RUN MUM RUN" at the bridge.', (0, 2, 0, 1), **running),
    ]
    assert "**" not in summarise(WEEK, rows, {})
