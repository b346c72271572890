"""Facts that say themselves that they hold only for a while, in three languages."""

import pytest

from waypost.facts.temporary import seconds_of

DAY = 86_400


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The staging server is down today.", 1),
        ("Nur heute ist der Testserver langsam.", 1),
        ("Сегодня вечером сборка отключена.", 1),
        ("This week nobody merges to main.", 7),
        ("Bis Freitag gilt ein Release-Stopp.", 7),
        ("На этой неделе не выкатываем.", 7),
        ("For now the cache is disabled.", 14),
        ("Vorübergehend läuft der Export auf db2.", 14),
        ("Временно используем старый ключ.", 14),
    ],
)
def test_the_words_give_the_lifetime(text: str, days: int) -> None:
    assert seconds_of(text) == days * DAY


@pytest.mark.parametrize(
    "text",
    ["Sessions expire after one week.", "Tokens live 15 minutes.", "Rechnungen werden wöchentlich verschickt.", "Отчёт готовится неделю.",
     "Temporary files live in /tmp."],
)  # fmt: skip
def test_other_facts_last(text: str) -> None:
    assert seconds_of(text) is None
