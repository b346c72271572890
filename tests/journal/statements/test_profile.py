"""What people say about themselves, in three languages."""

from datetime import date

import pytest

from waypost.journal.statements.profile import personal_facts


@pytest.mark.parametrize(
    ("text", "language", "slot", "value"),
    [
        ("Я больше не работаю бухгалтером, с апреля я финансовый аналитик", "ru", "work", "финансовый аналитик"),
        ("Я не работаю врачом", "ru", "work", None),
        ("Я работаю не врачом.", "ru", "work", None),
        ("Я работаю не только врачом", "ru", "work", "не только врачом"),
        ("Я не живу в Москве, я живу в Туле", "ru", "home", "в Туле"),
        ("Никогда не жил в Сочи, живу в Казани", "ru", "home", "в Казани"),
        ("Больше не преподаю химию", "ru", "work", None),
        ("Я не говорю по-немецки.", "ru", "languages", None),
        ("Ich arbeite nicht mehr als Koch, ich arbeite als Lehrer", "de", "work", "als Lehrer"),
        ("Ich spreche kein Deutsch", "de", "languages", None),
        ("I no longer live in Paris, I live in Rome", "en", "home", "Rome"),
        ("I speak no German", "en", "languages", None),
        ("No, I work as a nurse", "en", "work", "as a nurse"),
    ],
)
def test_what_is_negated_is_no_fact_about_a_person(text: str, language: str, slot: str, value: str | None) -> None:
    facts = personal_facts(text, language, "id", date(2026, 1, 5))
    assert [fact.text for fact in facts if fact.slot == slot] == ([value] if value else [])


def test_what_is_taken_back_is_no_fact_about_a_person() -> None:
    assert personal_facts("Ich arbeite als Koch. Nein, Spaß.", "de", "id", date(2026, 1, 5)) == []
