"""Soft trim: which entries are shortened, and how."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.journal.trim.entry import trim_entry
from waypost.journal.trim.tool_output import HEAD, LONGEST_OUTPUT, TAIL
from waypost.model.journal import Amendment, Entry, mark_of

AT = datetime(2026, 1, 30, 18, 0, 20, tzinfo=timezone(timedelta(hours=1)))
TV = """Im ZDF läuft heute Abend um zwanzig Uhr fünfzehn das Halbfinale
der Handball-Europameisterschaft zweitausendsechsundzwanzig.
Dieses Spiel wird live ausgestrahlt."""


def said(text: str, **fields: object) -> Entry:
    return Entry(text, AT, speaker="bot", id="01jk", **fields)  # type: ignore[arg-type]


def core(text: str, question: str, score: int = 1) -> str:
    return trim_entry(said(text), score, "assistant", question).text


def test_an_answer_about_television_becomes_one_line_with_its_date() -> None:
    entry = trim_entry(said(TV), 1, "assistant", "Was läuft heute auf ZDF um 20:15?")
    assert entry.text == "Halbfinale der Handball-Europameisterschaft zweitausendsechsundzwanzig (30.01.2026)"
    assert entry.trimmed == mark_of(entry.text) and not entry.is_edited


def test_two_thousand_characters_become_one_line() -> None:
    padding = "Die Mannschaft hat sich lange vorbereitet und freut sich auf viele Zuschauer. " * 24
    text = core(TV + "\n\n" + padding, "Was läuft heute auf ZDF um 20:15?")
    assert "Halbfinale" in text and "\n" not in text and len(text) < 200


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (
            "What's on ZDF at 20:15 today?",
            "Sure! Today at 8:15 pm ZDF shows the semi-final of the European Handball Championship. It is live. "
            "Would you like to know what is on other channels?",
            "Shows the semi-final of the European Handball Championship (2026-01-30)",
        ),
        (
            "Что сегодня по телевизору в 20:15?",
            "Конечно! Сегодня в 20:15 на Первом канале покажут полуфинал чемпионата Европы по гандболу. Матч идёт в "
            "прямом эфире. Хотите узнать о других каналах?",
            "На Первом канале покажут полуфинал чемпионата Европы по гандболу (30.01.2026)",
        ),
        (
            "Wie wird das Wetter morgen in Marmagen?",
            "Morgen wird es in Marmagen wechselnd bewölkt bei 1 bis 6 Grad. Nachts kann es leicht frieren. Soll ich dir "
            "auch die Vorhersage für Köln geben?",
            "Wechselnd bewölkt bei 1 bis 6 Grad (31.01.2026)",
        ),
    ],
)
def test_the_core_answers_the_question_in_its_language(question: str, answer: str, expected: str) -> None:
    assert core(answer, question) == expected


def test_a_denial_is_not_cut_off_from_what_it_denies() -> None:
    answer = "Nein, heute läuft im Ersten kein Fußball, dafür gibt es um 20:15 Uhr einen Krimi. Der nächste Spieltag ist später."
    assert core(answer, "Läuft heute Fußball?").startswith("Nein, heute läuft im Ersten kein Fußball")


def test_a_morning_is_no_tomorrow() -> None:
    answer = "Am Morgen ist die Bibliothek in der Altstadt geschlossen, sie öffnet um 14 Uhr für alle. " * 2
    assert "2026" not in core(answer, "Wann öffnet die Bibliothek?")


def test_an_answer_to_nothing_keeps_a_sentence_of_its_own() -> None:
    answer = "The capital of Australia is Canberra, which was founded in 1913. It is inland. " * 4
    assert core(answer, "") == "The capital of Australia is Canberra, which was founded in 1913"


@pytest.mark.parametrize("score", [2, 5, 10])
def test_an_answer_that_is_worth_something_stays(score: int) -> None:
    entry = said(TV)
    assert trim_entry(entry, score, "assistant", "Was läuft heute?") is entry


@pytest.mark.parametrize(
    "kept",
    [
        said(TV, protected=True),
        said(TV, kind="note"),
        said(TV, kind="preference"),
        said(TV, trimmed="0123456789"),
        said(TV, amendments=(Amendment(AT, "anna", "Es ist das Finale."),)),
    ],
)
@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_what_is_protected_noted_preferred_trimmed_or_amended_is_never_touched(kept: Entry, role: str) -> None:
    long = Entry(**{name: getattr(kept, name) for name in kept.__dataclass_fields__} | {"text": TV * 9})
    assert trim_entry(long, 0, role, "Was läuft heute?") is long


@given(st.text(max_size=1500), st.integers(0, 10))
def test_a_persons_words_are_never_touched(text: str, score: int) -> None:
    entry = said(text)
    assert trim_entry(entry, score, "person", "a question") is entry


def test_long_output_keeps_its_first_and_last_part_and_says_how_much_is_gone() -> None:
    lines = [f"{number:03} everything is fine here" for number in range(100)]
    text = "\n".join(lines)
    trimmed = trim_entry(said(text), 4, "tool").text
    head, mark, tail = (
        trimmed.partition("[… ")[0],
        trimmed.split("\n[")[1].split("]\n")[0],
        trimmed.rpartition("…]\n")[2],
    )
    assert text.startswith(head.rstrip()) and text.endswith(tail) and len(head) <= HEAD + 1 and len(tail) <= TAIL
    assert head.rstrip().split("\n")[-1] in lines and tail.split("\n")[0] in lines
    assert mark == f"… {len(text) - len(head.rstrip()) - len(tail)} characters left out …"


def test_output_of_five_hundred_characters_stays_and_so_does_what_is_to_be_kept_for_ever() -> None:
    short = said("x" * LONGEST_OUTPUT)
    assert trim_entry(short, 0, "tool") is short
    vital = said("x y " * 400)
    assert trim_entry(vital, 8, "tool") is vital


def test_a_block_of_code_that_a_cut_leaves_open_is_closed() -> None:
    text = "Result:\n```json\n" + '{"a": 1}\n' * 200 + "```\nDone."
    fences = [line for line in trim_entry(said(text), 0, "tool").text.split("\n") if line.startswith("```")]
    assert fences == ["```json", "```", "```", "```"]


@pytest.mark.parametrize(
    "cluster", ["e\u0301\u0308", "👩\u200d🔬", "🇩🇪", "👍🏽", "\u1112\u1161\u11ab", "☺\ufe0f", "\ud83d\ude00"]
)
@pytest.mark.parametrize("shift", range(4))
def test_no_character_is_torn_apart(cluster: str, shift: int) -> None:
    text = "x" * (HEAD - shift) + cluster + "z" * 400 + cluster + "y" * (TAIL - shift)
    trimmed = trim_entry(said(text), 0, "tool").text
    head, _, rest = trimmed.partition("\n[… ")
    tail = rest.partition("…]\n")[2]
    assert head.strip("xz") in {"", cluster} and tail.strip("yz") in {"", cluster}


def test_search_results_become_their_titles() -> None:
    text = "\n\n".join(
        f"{number}. Handball in Europe, part {number}\n   https://example.org/{number}\n   {'A snippet about it. ' * 5}"
        for number in range(1, 6)
    )
    trimmed = trim_entry(said(text), 3, "tool").text
    assert trimmed == "5 results: " + "; ".join(f"Handball in Europe, part {number}" for number in range(1, 6))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"- [Ergebnis Nummer {n}](https://example.org/{n}) {'und etwas dazu ' * 5}" for n in range(12)),
        '{"query": "x", "results": ['
        + ", ".join(f'{{"title": "Ergebnis Nummer {n}", "url": "https://example.org/{n}", "text": "{"lang " * 20}"}}' for n in range(12))
        + "]}",
        "\n".join(f"Title: Ergebnis Nummer {n}\nURL: https://example.org/{n}\nund noch ein Satz dazu, der länger ist" for n in range(12)),
    ],
    ids=["links", "json", "labels"],
)  # fmt: skip
def test_search_results_are_known_in_other_forms(text: str) -> None:
    trimmed = trim_entry(said(text), 0, "tool").text
    assert trimmed.startswith("12 ") and "Ergebnis Nummer 7" in trimmed and "Nummer 8" not in trimmed
    assert trimmed.endswith(("; 4 weitere", "; 4 more"))


def test_a_text_with_an_address_in_it_is_no_list_of_results() -> None:
    text = "See https://example.org/a for the first part.\n" + "\n".join(
        f"Line {n} of the log says nothing." for n in range(40)
    )
    assert "left out" in trim_entry(said(text), 0, "tool").text


@given(st.text(max_size=900), st.sampled_from(["assistant", "tool"]), st.integers(0, 9), st.text(max_size=40))
def test_trimming_makes_shorter_and_never_twice(text: str, role: str, score: int, question: str) -> None:
    entry = said(text)
    once = trim_entry(entry, score, role, question)
    assert once is entry or (len(once.text) < len(text) and once.text.strip() and once.trimmed == mark_of(once.text))
    assert trim_entry(once, score, role, question) is once


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    ["*" * 60_000, "[" * 60_000, "a." * 30_000, "`" * 60_000, "> " * 30_000, "(" * 60_000 + "http", "{" * 60_000, "http://" * 9_000,
     "1. " * 20_000, "**a " * 15_000, "_a" * 30_000, "![](" * 15_000, "\n```" * 15_000, " \t" * 30_000 + "x", "." * 60_000, "\n" * 60_000 + "http", "1." * 30_000, "a \udc80 b. " * 5_000, "[" * 100_000 + "http"],
    ids=range(19),
)  # fmt: skip
@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_hostile_text_is_trimmed_in_a_moment(hostile: str, role: str) -> None:
    assert len(trim_entry(said(hostile), 0, role, "What?").text) <= len(hostile)
