"""The examples of benchmarks/notes/summaries.md are what the code makes. To write them anew, run this file."""

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from waypost.journal.layout import Week
from waypost.journal.period_pages.build import summarise
from waypost.model.journal import Entry, Score, ScoredEntry

PAGE = Path(__file__).parents[3] / "benchmarks" / "notes" / "summaries.md"
Row = tuple[str, str, str, tuple[int, int, int, int], str]  # when, who, what, points, topic

ENGLISH: list[Row] = [
    ("05-04T08:02", "Nora", "Is it going to rain in Leeds today?", (0, 0, 0, 0), ""),
    ("05-04T08:03", "HomeBot", "Yes, light rain from noon, clearing in the evening.", (0, 0, 0, 0), ""),
    ("05-04T19:10", "Nora", "We decided to sell honey only from our own hives, no imports.", (2, 2, 0, 2), "honey, stall"),
    ("05-05T20:00", "Nora", "Yesterday my daughter swam her first kilometre.", (2, 2, 0, 1), ""),
    ("05-06T18:30", "Nora", "How many jars do I need for the June market?", (3, 2, 1, 0), "honey, stall"),
    ("05-06T18:31", "HomeBot", "Good question! Last June you sold 140 jars in two days. With the second stall you should plan "
     "for about 200 jars of 250 grams. Shall I write an order for the glass works?", (3, 2, 0, 0), "honey, stall"),
    ("05-08T09:00", "Nora", "Remember: I'm allergic to penicillin.", (0, 2, 2, 3), ""),
]  # fmt: skip
GERMAN: list[Row] = [
    ("05-04T08:02", "Jonas", "Was läuft heute im Kino?", (0, 0, 0, 0), ""),
    ("05-04T08:03", "Helfer-Bot", "Heute läuft um 20 Uhr ein Dokumentarfilm über Gletscher.", (0, 0, 0, 0), ""),
    ("05-05T17:40", "Jonas", "Ich habe entschieden: Die Werkstatt wird auf Wärmepumpe umgestellt, kein Gas mehr.", (2, 2, 0, 2),
     "Wärmepumpe, Werkstatt"),
    ("05-06T12:15", "Jonas", "Welche Förderung gibt es für die Wärmepumpe?", (3, 2, 1, 0), "Wärmepumpe, Werkstatt"),
    ("05-06T12:16", "Helfer-Bot", "Gerne! Die Grundförderung beträgt 30 Prozent der Kosten. Dazu kommen 20 Prozent, wenn die "
     "alte Heizung vor 2006 eingebaut wurde. Der Antrag muss vor dem Auftrag gestellt werden. Soll ich dir das Formular "
     "heraussuchen?", (3, 2, 0, 0), "Wärmepumpe, Werkstatt"),
    ("05-09T21:05", "Jonas", "Gestern haben wir Omas neunzigsten Geburtstag in Bremen gefeiert.", (2, 2, 0, 1), ""),
    ("05-10T10:00", "Jonas", "Merk dir: Ich trinke keinen Kaffee, nur Tee.", (0, 2, 2, 3), ""),
]  # fmt: skip
RUSSIAN: list[Row] = [
    ("05-04T08:02", "Вера", "Какая сегодня погода в Твери?", (0, 0, 0, 0), ""),
    ("05-04T08:03", "Бот", "Сегодня в Твери ясно, около двенадцати градусов.", (0, 0, 0, 0), ""),
    ("05-05T11:20", "Вера", "Мы решили печатать книгу в Туле, тираж 300 экземпляров.", (2, 2, 0, 2), "книга, бумага"),
    ("05-07T16:45", "Вера", "Какую бумагу взять для книги?", (3, 2, 1, 0), "книга, бумага"),
    ("05-07T16:46", "Бот", "Хороший вопрос! Для книги с рисунками подойдёт матовая бумага 120 граммов на метр. Офсетная бумага "
     "дешевле, но рисунки на ней тусклее. Попросите у типографии пробный лист.", (3, 2, 0, 0), "книга, бумага"),
    ("05-08T20:10", "Вера", "Вчера брат вернулся из экспедиции на Камчатку.", (2, 2, 0, 1), ""),
    ("05-09T09:30", "Вера", "Запомни: по средам я не работаю.", (0, 2, 2, 3), ""),
]  # fmt: skip
EXAMPLES = {"English": ENGLISH, "German": GERMAN, "Russian": RUSSIAN}


def summary(rows: list[Row]) -> str:
    """The week of the rows as an editor shows it: without the addresses of links, and without comments."""
    entries = []
    for number, (when, who, text, points, topic) in enumerate(rows, 1):
        at = datetime.fromisoformat(f"2026-{when}").replace(tzinfo=timezone(timedelta(hours=1)))
        entry = Entry(text, at, speaker=who, id=f"01kq{number}", session=when[:5])
        entries.append(ScoredEntry(entry, Score(*points, "", ""), int(bool(topic)), topic))
    made = summarise(Week(2026, 19), entries, {})
    return re.sub(r" <!-- from .*? -->|\[(?=[\d-]{10}\])|\]\([^)]*\)", "", made)


@pytest.mark.parametrize("language", EXAMPLES)
def test_the_examples_of_the_page_are_what_is_made(language: str) -> None:
    shown = re.search(rf"### {language}\n\n```markdown\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert shown is not None and shown[1] == summary(EXAMPLES[language])


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    for name, told in EXAMPLES.items():
        made = f"### {name}\n\n```markdown\n{summary(told)}```"
        page = re.sub(rf"### {name}\n\n```markdown\n.*?```", lambda _, made=made: made, page, flags=re.DOTALL)  # type: ignore[misc]
    PAGE.write_text(page, "utf-8")
