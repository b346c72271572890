"""Facts of the same form that differ in one value, with verbs that no word list has."""

import pytest

from waypost.facts.contradictions import contradiction

LIKE = 0.8


@pytest.mark.parametrize(
    ("older", "newer", "current", "former"),
    [
        ("The beacon blinks every 10 seconds.", "The beacon blinks every 4 seconds.", "4 seconds", "10 seconds"),
        ("Parcels get weighed in hall B2.", "Parcels get weighed in hall C7 since the move.", "C7", "B2"),
        ("Merges demand an approval.", "Merges demand two approvals.", "two", "approval"),
        ("Invoices end up in the mailbox billing.", "Invoices end up in the mailbox finance.", "finance", "billing"),
        (
            "Der Roboter wiegt Pakete mit Waage Alpha.",
            "Der Roboter wiegt Pakete jetzt mit Waage Delta.",
            "Delta",
            "Alpha",
        ),
        ("Датчик мигает раз в 10 секунд.", "Датчик мигает раз в 4 секунды.", "4 секунды", "10 секунд"),
        ("Посылки взвешивает Ирина.", "Посылки отныне взвешивает Олег.", "Олег", "Ирина"),
    ],
)
def test_another_value_at_the_same_place_contradicts(older: str, newer: str, current: str, former: str) -> None:
    difference = contradiction(older, newer, LIKE)
    assert difference is not None
    assert current in difference.current
    assert former in difference.former


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We ship parcels with Hermes.", "We ditched Hermes and ship parcels by bike."),
        ("Die Pakete im Lager wiegt Beate.", "Die Pakete im Lager wiegt statt Beate jetzt der Karim."),
        ("Посылки взвешивает Ирина.", "Посылки взвешивает Олег, Ирина уволилась."),
    ],
)
def test_a_value_that_the_newer_fact_rejects_is_contradicted(older: str, newer: str) -> None:
    assert contradiction(older, newer, LIKE) is not None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Room 4 glows at night.", "Room 5 glows at night."),
        ("The pump beacon blinks every 10 seconds.", "The valve beacon blinks every 4 seconds."),
        ("The staging beacon blinks 3 times.", "The production beacon blinks 5 times."),
        ("The parser chokes on tabs.", "The printer chokes on tabs."),
        ("Copies sleep 14 days.", "Copies sleep 2 weeks."),
        ("Don't use globals for settings.", "Don't use globals for counters."),  # what is denied is no value
        ("Der Zug nach Köln piept 3-mal.", "Der Zug nach Mainz piept 7-mal."),
        ("Ключ от дачи греет Веру.", "Ключ от гаража греет Ивана."),
    ],
)
def test_other_subjects_do_not_contradict(older: str, newer: str) -> None:
    assert contradiction(older, newer, LIKE) is None
    assert contradiction(newer, older, LIKE) is None
