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
        ("Ich bin Bäcker und komme aus Husum", "de", {"work": "Bäcker", "home": "Husum"}),
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


@pytest.mark.parametrize(
    ("language", "text", "home"),
    [
        ("ru", "Подруга Лена развелась и переехала в Самару.", None),
        ("ru", "Моя сестра переехала в Омск.", None),
        ("ru", "Родители недавно переехали в Сочи.", None),
        ("ru", "Я рада: Лена переехала в Омск.", None),
        ("ru", "Я скучаю, она переехала в Омск.", None),
        ("ru", "Я рада что сестра переехала в Омск.", None),
        ("ru", "В июне переехала в Казань.", "в Казань"),
        ("ru", "Мы с Русланом переехали в Казань!", "в Казань"),
        ("ru", "Я развелась и переехала в Самару.", "в Самару"),
        ("de", "Meine Freundin ist nach Hamburg gezogen.", None),
        ("de", "Wir sind traurig, dass Lena nach Hamburg gezogen ist.", None),
        ("de", "Die Müllers sind nach Bremen gezogen.", None),
        ("de", "Letzten Mai bin ich nach Bremen umgezogen.", "Bremen"),
        ("de", "Bin gestern nach Bremen gezogen.", "Bremen"),
        ("de", "Hier ist es ruhig, seit wir nach Bremen gezogen sind.", "Bremen"),
        ("en", "My friend Ann moved to Leeds.", None),
        ("en", "I heard that Ann and her boys moved to Leeds.", None),
        ("en", "We moved to Leeds last year.", "Leeds"),
    ],
)
def test_only_who_speaks_of_themselves_tells_where_they_live(language: str, text: str, home: str | None) -> None:
    assert slots_of(language, text).get("home") == ([home] if home else None)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "de",
            "Hallo! Ich bin Jana, 38, Apothekerin in Freiburg.",
            {"name": "Jana", "age": "38", "work": "Apothekerin", "home": "Freiburg"},
        ),
        ("de", "Ich bin Bäcker, 52, aus Husum", {"age": "52", "work": "Bäcker", "home": "Husum"}),
        ("de", "Ich bin 44 Jahre alt, Koch und wohne in Kiel.", {"age": "44", "work": "Koch", "home": "Kiel"}),
        ("de", "Ich bin Ines, 29, Mutter, aus Ulm.", {"name": "Ines", "age": "29", "home": "Ulm"}),
        ("de", "Wir sind Jana, 38, und Peter.", {}),
        ("de", "Ich bin 10, 15 Minuten später da", {}),
        (
            "en",
            "I'm Tom, 41, a teacher from Leeds",
            {"name": "Tom", "age": "41", "work": "a teacher", "home": "Leeds"},
        ),
        (
            "en",
            "Hi there, I'm Ada, a marine biologist based in Cork, 36.",
            {"name": "Ada", "age": "36", "work": "a marine biologist", "home": "Cork"},
        ),
        ("en", "I'm 41, a mother of two, from Leeds.", {"age": "41", "home": "Leeds"}),
        ("en", "My name is Ben, 19, student in York.", {"name": "Ben", "age": "19", "work": "student", "home": "York"}),
        ("en", "I'm 41, minutes late.", {}),
        (
            "ru",
            "Меня зовут Дарья, мне 33, я ветеринар в Казани.",
            {"name": "Дарья", "age": "33", "work": "ветеринар", "home": "в Казани"},
        ),
        ("ru", "мне 33, я ветеринар в Казани", {"age": "33", "work": "ветеринар", "home": "в Казани"}),
        ("ru", "Я Глеб, 27 лет, из Твери, пожарный инженер.", {"name": "Глеб", "age": "27", "home": "из Твери", "work": "пожарный инженер"}),
        ("ru", "Мне 20 писем прислали, и все из Твери.", {}),
        ("en", "I've been vegetarian for a month now", {"diet": "vegetarian"}),
        ("de", "Ich bin seit einem Monat Vegetarierin.", {"diet": "Vegetarierin"}),
        ("ru", "Я уже месяц вегетарианка.", {"diet": "вегетарианка"}),
        ("en", "I've not been vegetarian for a month.", {}),
        ("de", "Ich bin seit März keine Veganerin mehr.", {}),
        ("ru", "Я больше не вегетарианка, сдалась на шашлыках.", {}),
        ("ru", "Я давно не веган.", {}),
    ],
)  # fmt: skip
def test_people_list_who_they_are(language: str, text: str, expected: dict[str, str]) -> None:
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


def slots_of(language: str, *texts: str) -> dict[str, list[str]]:
    said = (SpokenText(text, language, str(place), date(2026, 1, 5)) for place, text in enumerate(texts))
    by_slot: dict[str, list[str]] = {}
    for fact in holding(facts_over_time(said)):
        by_slot.setdefault(fact.slot, []).append(fact.text)
    return by_slot


@pytest.mark.parametrize(
    ("language", "texts", "work"),
    [
        ("en", ["As of today I'm lead engineer on the Riverside footbridge."], "lead engineer on the Riverside footbridge"),
        ("en", ["I'm a nurse.", "On Saturdays I teach yoga."], "a nurse"),
        ("en", ["I'm a nurse.", "I teach yoga at the Lotus.", "Today was my last day at the Lotus."], "a nurse"),
        ("de", ["Ich arbeite als Koch.", "Sonntags unterrichte ich Yoga."], "als Koch"),
        ("ru", ["Я архитектор, живу в Туле.", "По средам я преподаю в детской студии."], "архитектор"),
        ("ru", ["Я архитектор, живу в Туле.", "Преподаю в детской студии.", "Из студии я ухожу с марта."], "архитектор"),
    ],
)  # fmt: skip
def test_work_is_what_people_mainly_do_now(language: str, texts: list[str], work: str) -> None:
    assert slots_of(language, *texts)["work"] == [work]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I'm going to be an uncle!"),
        ("en", "I don't want to run the department."),
        ("de", "Er will mir im Herbst den Zaun bauen."),
        ("ru", "Он хочет в Москву, а я не хочу никуда уезжать."),
        ("ru", "Я сказала, что хочу подождать до весны."),
    ],
)
def test_what_others_want_and_what_people_do_not_want_is_no_goal(language: str, text: str) -> None:
    assert "goal" not in slots_of(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "She fell on the stairs and broke her wrist."),
        ("de", "Er liegt in der Uniklinik und wird operiert."),
        ("ru", "У неё диагноз, она в больнице."),
    ],
)
def test_health_of_somebody_unnamed_is_not_listed(language: str, text: str) -> None:
    assert "health" not in slots_of(language, text)


@pytest.mark.parametrize(
    ("language", "text", "slot"),
    [
        ("en", "I'm allergic to shellfish.", "health"),
        ("en", "I'm lactose intolerant.", "health"),
        ("de", "Ich vertrage keine Milch.", "health"),
        ("de", "Ich bin laktoseintolerant.", "health"),
        ("ru", "У меня аллергия на кошек.", "health"),
        ("en", "I hate phone calls.", "preference"),
        ("en", "So I suppose I'm a vegetarian now.", "diet"),
        ("en", "I stopped eating meat.", "diet"),
        ("de", "Ich bin jetzt Vegetarierin.", "diet"),
        ("ru", "Я больше не ем мясо.", "diet"),
    ],
)
def test_needs_and_tastes_are_found_in_their_usual_forms(language: str, text: str, slot: str) -> None:
    assert slot in slots_of(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", 'He said, "You hate running," and laughed.'),
        ("de", "Er sagte: „Du magst keine Hunde“, und lachte."),
        ("ru", "Он сказал: «Ты ненавидишь бегать», и засмеялся."),
        ("en", "She hates coriander."),
    ],
)
def test_what_others_say_or_like_is_nobody_s_preference(language: str, text: str) -> None:
    assert "preference" not in slots_of(language, text)


def test_a_love_that_ended_is_listed_no_longer() -> None:
    assert "people" not in slots_of("en", "My boyfriend Hugo cooks.", "Hugo and I broke up.")
    assert slots_of("en", "Hugo proposed to me!", "My husband Hugo cooks.")["people"] == ["Husband: Hugo"]


def test_news_of_others_belong_to_their_name_and_reach_no_goal() -> None:
    facts = slots_of("de", "Ich will mit Paula einen Kletterkurs machen.", "Paula meint, der Baum blüht bald.")
    assert "status" not in facts
    facts = slots_of("en", "My brother Karl cooks.", "Karl has decided to move to Leeds.")
    assert facts["news"] == ["Karl has decided to move to Leeds."]
