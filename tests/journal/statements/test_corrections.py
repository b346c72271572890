"""Sentences that retract or correct the one before them."""

import pytest

from waypost.journal.statements.corrections import corrects, in_context, retracts


@pytest.mark.parametrize(
    "sentence",
    [
        "Just kidding.",
        "False alarm, all good.",
        "He didn't mean it.",
        "War natürlich nur ein Spruch.",
        "Spaß beiseite.",
        "Sie meinte das nicht ernst.",
        "Нет, шучу, конечно!",
        "Ложная тревога.",
    ],
)
def test_what_was_no_more_than_a_joke_is_taken_back(sentence: str) -> None:
    assert retracts(sentence)
    assert corrects(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "We can't come after all.",
        "Actually, it's on Friday.",
        "The flat fell through.",
        "Wegen der Frist fange ich aber erst am 1. November an.",
        "Kommt doch erst am Montag.",
        "Stattdessen fahren wir in die Bretagne.",
        "Мы едем всё-таки только в июне.",
        "Открытие не в июне, а в июле.",
        "Вместо этого едем на Волгу.",
    ],
)
def test_what_is_so_in_another_way_is_corrected(sentence: str) -> None:
    assert corrects(sentence)
    assert not retracts(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "We had fun.",
        "He told a joke.",
        "Ich habe Spaß am Klettern.",
        "Das war ein Erfolg.",
        "Wir haben doch gewonnen.",
        "Мама рассказала шутку.",
        "Мы купили диван.",
    ],
)
def test_other_sentences_change_nothing(sentence: str) -> None:
    assert not corrects(sentence)


def test_a_sentence_keeps_what_corrects_it_and_is_empty_when_taken_back() -> None:
    text = "Ab Mai bin ich in Bonn. Doch erst ab Juni, sagen sie. Es regnet."
    assert in_context("Ab Mai bin ich in Bonn.", text, "de") == "Ab Mai bin ich in Bonn. Doch erst ab Juni, sagen sie."
    assert in_context("Es regnet.", text, "de") == "Es regnet."
    assert in_context("She'll close the shop.", "She'll close the shop. It was only a joke.", "en") == ""
