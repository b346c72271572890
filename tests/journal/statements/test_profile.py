"""What people say about themselves, in three languages."""

from datetime import date

import pytest

from waypost.journal.statements.profile import (
    SINGLE,
    PersonalFact,
    SpokenText,
    facts_over_time,
    holding,
    personal_facts,
)


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


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("I'm Nora, I restore pianos for a living.", "en", {"name": "Nora", "work": "restore pianos for a living"}),
        ("Hello, Pavel here, based in Leeds", "en", {"name": "Pavel", "home": "Leeds"}),
        ("Hey! Zoe from Bristol", "en", {"name": "Zoe", "home": "Bristol"}),
        (
            "Hallo, ich bin die Friederike und betreibe eine kleine Buchhandlung",
            "de",
            {"name": "Friederike", "work": "betreibe eine kleine Buchhandlung"},
        ),
        ("Moin, Fiete aus Husum", "de", {"name": "Fiete", "home": "Husum"}),
        ("Ich bin Bäcker und komme aus Husum", "de", {}),
        ("Ich arbeite meistens nachts als Taxifahrer", "de", {"work": "als Taxifahrer"}),
        ("Привет, это Олег, я водитель", "ru", {"name": "Олег", "work": "водитель"}),
        ("Зоя, из Тулы", "ru", {"name": "Зоя", "home": "из Тулы"}),
        ("We moved to Notion", "en", {}),
        ("I work for free on weekends", "en", {}),
        ("Call me Tuesday", "en", {}),
        ("Ich spreche aus eigener Erfahrung", "de", {}),
        ("Wir wohnen im Zoom", "de", {}),
        ("Я работаю дома весь день", "ru", {}),
        ("Let's say my name is Rob and I live in Rome, what then", "en", {}),
        ('My boss said "I live in Madrid"', "en", {}),
    ],
)
def test_people_introduce_themselves_in_many_ways(text: str, language: str, expected: dict[str, str]) -> None:
    facts = personal_facts(text, language, "id", date(2026, 1, 5))
    assert {fact.slot: fact.text for fact in facts if fact.slot in SINGLE} == expected


def held_after(language: str, *texts: str) -> list[str]:
    said = (SpokenText(text, language, str(place), date(2026, 1, 5)) for place, text in enumerate(texts))
    return [fact.text for fact in holding(facts_over_time(said)) if fact.slot not in ("status", "dropped")]


@pytest.mark.parametrize(
    ("language", "plan", "dropped"),
    [
        ("en", "I want to learn Finnish this winter.", "I gave up on Finnish."),
        ("en", "I work at Initech as a tester.", "I quit Initech on Monday."),
        ("de", "Ich will im Herbst einen Triathlon schaffen.", "Der Triathlon ist gestrichen."),
        ("ru", "Хочу выучить финский зимой.", "Финский забросил."),
    ],
)
def test_what_was_dropped_later_does_not_hold(language: str, plan: str, dropped: str) -> None:
    assert held_after(language, plan) != []
    assert held_after(language, plan, dropped) == []


@pytest.mark.parametrize(
    ("language", "plan", "other"),
    [
        ("en", "I want to learn Finnish this winter.", "I gave up sugar."),
        ("en", "I want to run a marathon in spring.", "I gave up beer for the marathon."),
        ("en", "I want to learn Finnish this winter.", "Should I give up on Finnish?"),
        ("de", "Ich will im Herbst einen Triathlon schaffen.", "Das Kino ist gestrichen."),
        ("ru", "Хочу выучить финский зимой.", "Сахар забросил."),
    ],
)
def test_what_ends_something_else_ends_no_plan(language: str, plan: str, other: str) -> None:
    assert plan in held_after(language, plan, other)


def test_an_allergy_outlasts_what_happened_and_a_short_list_is_whole() -> None:
    facts = [PersonalFact("health", "I'm allergic to nuts.", "a", date(2025, 1, 1))]
    facts += [PersonalFact("health", f"I broke toe {toe}.", f"b{toe}", date(2025, 2, 1)) for toe in range(9)]
    assert holding(facts)[0].text == "I'm allergic to nuts."
    assert len(holding(facts)) == 8
    assert holding(facts[:6]) == facts[:6]
