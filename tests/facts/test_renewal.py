"""How likely a newer fact states another value for the subject of an older one."""

import tomllib
from importlib.resources import files

import pytest

from waypost.facts.renewal import STATED, ends_another_value, likelihood, wording_evidence


@pytest.mark.parametrize(
    ("language", "older", "newer", "feature"),
    [
        ("en", "The valve opens at 3 bar.", "The valve now opens at 5 bar.", "signal"),
        ("en", "The valve opens at 3 bar.", "The valve opens at 5 bar.", "one_apart"),
        ("en", "Garden tools cost 20 euros.", "Kitchen tools cost 30 euros.", "two_apart"),
        ("en", "Backend standup is at noon.", "Data standup is at nine.", "contrast"),
        ("en", "The staging port is 80.", "The production port is 81.", "qualifiers"),
        ("en", "The port is 80.", "The production port is 81.", "qualifier"),
        ("en", "Copies are kept for 14 days.", "Copies are kept for 30 days.", "amounts"),
        ("en", "Merges demand an approval.", "Merges demand two approvals.", "amounts"),
        ("en", "Copies are kept for 14 days.", "Copies are kept for 14 days in Oslo.", "same_literal"),
        ("en", "Copies are kept in Oslo.", "Copies are kept for 14 days.", "amount_apart"),
        ("en", "The importer runs on Sunday.", "The importer runs on Friday.", "one_thing"),
        ("de", "Der Regensensor nutzt Kanal Nord.", "Der Windsensor nutzt Kanal Nord.", "ends"),
        ("de", "Der Zug hält in Köln.", "Der Zug hält ab sofort in Bonn.", "signal"),
        ("ru", "Склад закрывается в 18:00.", "Теперь склад закрывается в 20:00.", "signal"),
        ("ru", "Копии храним 14 дней.", "Копии храним 30 дней.", "amounts"),
    ],
)
def test_features_of_two_wordings(language: str, older: str, newer: str, feature: str) -> None:
    assert wording_evidence(older, newer, language)[feature] == 1.0
    assert wording_evidence(older, older, language)[feature] == 0.0 or feature in ("one_thing", "ends", "same_literal")


def test_facts_that_begin_with_different_words_have_two_subjects() -> None:
    one = wording_evidence("Codes are kept by Claire.", "Claire gave the codes to Paul.", "en")
    two = wording_evidence("Parcels are weighed in Kassel.", "Letters are weighed in Hanover.", "en")
    assert (one["beginnings"], two["beginnings"]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("language", "older", "newer", "other"),
    [
        (
            "en",
            "Parcels leave from dock 4.",
            "Parcels leave from dock 9 now.",
            "Letters leave from gate 9.",
        ),
        ("de", "Der Kran hebt 8 Tonnen.", "Der Kran hebt jetzt 12 Tonnen.", "Der Stapler hebt 2 Paletten."),
        ("ru", "Кран поднимает 8 тонн.", "Кран теперь поднимает 12 тонн.", "Лифт поднимает 6 человек."),
    ],
)
def test_another_value_is_likelier_than_another_subject(language: str, older: str, newer: str, other: str) -> None:
    likely, unlikely = (likelihood(wording_evidence(older, text, language), STATED) for text in (newer, other))
    assert likely > 0.5 > unlikely


@pytest.mark.parametrize(
    ("older", "newer", "language", "ends_another"),
    [
        ("Copies are kept for 14 days.", "Copies are kept for 30 days, no longer 14.", "en", False),
        ("Copies are kept for 14 days.", "Badges last 21 days instead of 7.", "en", True),
        ("Copies are kept for 14 days.", "Badges last 21 days.", "en", False),
        ("Der Port ist 8080.", "Der Port ist jetzt 9090 statt 8080.", "de", False),
        ("Der Port ist 8080.", "Das Limit ist jetzt 20 statt 10.", "de", True),
        ("Порт 8080.", "Лимит теперь 20 вместо 10.", "ru", True),
    ],
)
def test_a_former_value_belongs_to_the_fact_that_has_it(
    older: str, newer: str, language: str, ends_another: bool
) -> None:
    assert ends_another_value(older, newer, language) is ends_another


@pytest.mark.parametrize("text", ["", "…", "()", "not", "1 " * 300, "now " * 300, "\u202e\u0000 8080"])
def test_any_text_has_evidence(text: str) -> None:
    for pair in ((text, "The port is 9090."), ("The port is 9090.", text), (text, text)):
        assert 0.0 <= likelihood(wording_evidence(*pair, "en"), STATED) <= 1.0


def test_every_coefficient_belongs_to_a_feature() -> None:
    source = files("waypost.facts").joinpath("data", "renewal.toml").read_text(encoding="utf-8")
    models = tomllib.loads(source)
    words = set(wording_evidence("a b", "a c", "en"))
    assert models["stated_by_words"].keys() == words | {"constant"}
    assert models["asked_by_words"].keys() == words | {"constant", "first", "words_more"}
    assert models["asked_by_words"].keys() < models["asked"].keys()


def test_a_former_value_of_another_kind_says_nothing_about_a_fact() -> None:
    older, newer = (
        "The database address is in PG_DSN.",
        "It is read from ORDERS_URL now, the old name was removed in #1182.",
    )
    assert not ends_another_value(older, newer, "en", of_one_kind=True)
    assert ends_another_value(
        "Copies are kept for 30 days.", "Badges last 21 days, no longer 14 days.", "en", of_one_kind=True
    )
