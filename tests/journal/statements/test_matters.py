"""Which sentences no longer hold, in three languages."""

from datetime import date

import pytest

from waypost.journal.statements.matters import DatedSentence, is_past, is_turning_point, last_day_named, outdated

END = date(2025, 12, 31)


def said(language: str, *rows: tuple[int, str]) -> list[DatedSentence]:
    return [DatedSentence(text, language, date(2025, month, 3)) for month, text in rows]


@pytest.mark.parametrize(
    ("language", "earlier", "later"),
    [
        ("en", "My brother Max is getting married in the autumn.", "My brother Max got married, it rained all day."),
        ("en", "Dad needs an operation on his shoulder.", "Dad's operation went well, he is home again."),
        ("en", "We decided to buy a house near the lake.", "We got the keys to the house!"),
        ("en", "Grandma takes ibuprofen every evening.", "Grandma is not allowed ibuprofen any more."),
        ("de", "Meine Schwester will im Sommer heiraten.", "Meine Schwester hat geheiratet, es war ein Fest!"),
        ("de", "Mama muss am Fuß operiert werden.", "Mamas Operation ist erledigt, alles fertig."),
        ("de", "Opa nimmt jeden Abend seine Herztropfen.", "Opa darf die Herztropfen nicht mehr nehmen."),
        ("de", "Es wird ein Junge, sagt die Hebamme.", "Unser Sohn Emil ist geboren, 3.600 Gramm!"),
        ("ru", "Решили строить веранду за домом.", "Веранду закончили, осталось покрасить."),
        ("ru", "Сестра выходит замуж осенью.", "Сестра вышла замуж, гуляли два дня!"),
        ("ru", "Папе надо пить капли от давления утром.", "Папе теперь нельзя те капли, выписали сироп."),
    ],
)
def test_what_was_carried_out_replaced_or_forbidden_no_longer_holds(language: str, earlier: str, later: str) -> None:
    assert outdated(said(language, (2, earlier), (9, later)), END) == {0}


@pytest.mark.parametrize(
    ("language", "earlier", "later"),
    [
        ("en", "My brother Max is getting married in the autumn of 2027.", "My sister got married in a castle!"),
        ("en", "Our daughter was born last night!", "Our daughter passed her swimming test."),
        ("de", "Papa muss am Knie operiert werden.", "Mamas Operation ist gut gelaufen, alles fertig."),
        ("de", "Ich vertrage keine Nüsse.", "Den Rasenmäher darf ich sonntags nicht mehr benutzen."),
        ("ru", "Маме надо пить капли от давления.", "Больше не хожу в бассейн по утрам."),
    ],
)
def test_other_people_and_other_matters_stay(language: str, earlier: str, later: str) -> None:
    assert 0 not in outdated(said(language, (2, earlier), (9, later)), END)


def test_only_the_newest_work_and_home_hold() -> None:
    rows = said("en", (1, "I work as a baker at Miller's."), (6, "I now work as a teacher at Hill School."))
    assert outdated(rows, END) == {0}


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "I have to return the ladder by 14 May.", date(2025, 5, 14)),
        ("en", "I need to call the bank tomorrow.", date(2025, 3, 4)),
        ("de", "Die Anmeldung muss bis zum 8. Juni raus.", date(2025, 6, 8)),
        ("de", "Ich muss am Freitag noch zum Amt.", date(2025, 3, 10)),
        ("ru", "Надо сдать отчёт до 20 апреля.", date(2025, 4, 20)),
        ("ru", "Мне надо завтра позвонить в банк.", date(2025, 3, 4)),
    ],
)
def test_a_reminder_is_past_after_its_day(language: str, text: str, day: date) -> None:
    sentence = DatedSentence(text, language, date(2025, 3, 3))
    assert last_day_named(sentence) == day
    assert is_past(sentence, END)
    assert not is_past(sentence, day)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "My birthday is on 9 May."),
        ("en", "The bins are due every Friday."),
        ("de", "Ich muss jeden Dienstag bis 18 Uhr zur Gymnastik."),
        ("de", "Die Abgabe ist am 3. März 2027."),
        ("ru", "По пятницам надо поливать цветы у мамы."),
        ("ru", "Мой день рождения 9 мая."),
        ("en", "I will work in Leeds from 2 June."),
        ("de", "Ich werde ab dem 2. Juni in Graz arbeiten."),
        ("ru", "Буду работать в Томске с 2 июня."),
    ],
)
def test_what_comes_again_or_lies_ahead_is_not_past(language: str, text: str) -> None:
    assert not is_past(DatedSentence(text, language, date(2025, 3, 3)), END)


def test_an_accident_with_an_operation_to_come_has_happened() -> None:
    assert outdated(said("en", (4, "Ben broke his arm skating, surgery tomorrow.")), END) == set()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Our son Theo was born this morning!"),
        ("de", "Wir haben uns in Venedig verlobt!"),
        ("ru", "Сестра вышла замуж, гуляли два дня!"),
    ],
)
def test_births_and_weddings_are_turning_points(language: str, text: str) -> None:
    assert is_turning_point(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I want to buy a house."),
        ("de", "Wir haben den Rasen gemäht."),
        ("ru", "Хочу купить дом у моря."),
    ],
)
def test_wishes_and_everyday_things_are_none(language: str, text: str) -> None:
    assert not is_turning_point(text, language)
