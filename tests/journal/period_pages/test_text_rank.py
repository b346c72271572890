"""TextRank, and selection without repetition."""

import numpy as np
import pytest

from waypost.journal.period_pages.text_rank import choose, likeness, textrank

TEXTS = [
    "The launch of the shop was moved to March because the warehouse is late.",
    "The warehouse is late, so the launch of the shop moves to March.",
    "For the launch in March the shop needs a payment provider.",
    "Our cat sleeps all day.",
    "The payment provider of the shop charges two percent.",
]


def test_what_others_take_up_ranks_above_what_stands_alone() -> None:
    ranks = textrank(likeness(TEXTS))
    assert max(ranks) == 1.0 and ranks.index(min(ranks)) == 3


@pytest.mark.parametrize(
    ("first", "other", "third"),
    [
        ("Die Häuser am See sind teuer.", "Das Haus an den Seen ist teuer.", "Wir fahren Rad."),
        ("Мы перенесли запуск магазина.", "Запуски магазинов перенесены.", "Кошка спит."),
    ],
)
def test_forms_of_a_word_are_alike_in_each_language(first: str, other: str, third: str) -> None:
    alike = likeness([first, other, third])
    assert alike[0, 1] > 0.3 and alike[0, 2] == alike[1, 2] == 0.0


def test_vectors_outrank_words_where_every_text_has_one() -> None:
    vectors = [np.array(row, np.float32) for row in ([1, 0], [0, 1], [1, 0])]
    alike = likeness(["same words", "same words", "quite others"], vectors)
    assert alike[0, 2] == pytest.approx(1.0) and alike[0, 1] == 0.0
    partly = likeness(["same words", "same words", "quite others"], [vectors[0], None, vectors[2]])
    assert partly[0, 1] > 0.9


def test_nothing_is_chosen_twice_in_other_words() -> None:
    alike = likeness(TEXTS)
    chosen = choose([1.0, 0.9, 0.5, 0.4, 0.3], alike, 4, same=0.6)
    assert alike[0, 1] > 0.6 and chosen[0] == 0 and 1 not in chosen and len(chosen) == 4


def test_what_is_wished_for_rises() -> None:
    assert textrank(likeness(TEXTS), [0, 0, 0, 9.0, 0])[3] == 1.0


def test_the_empty_the_lonely_and_the_wordless_are_ranked_too() -> None:
    assert textrank(likeness([])) == [] and choose([], likeness([]), 3) == []
    assert textrank(likeness(["alone"])) == [1.0]
    assert textrank(likeness(["!", "?"]), [0.0, 0.0]) == [1.0, 1.0]


@pytest.mark.slow
def test_two_thousand_sentences_take_well_under_a_second() -> None:
    from time import process_time

    texts = [f"word{n % 97} word{n % 89} term{n % 83} name{n % 7} thing{n} matter{n % 301}" for n in range(2000)]
    started = process_time()
    alike = likeness(texts)
    assert len(choose(textrank(alike), alike, 50)) == 50
    assert process_time() - started < 5.0  # a third of a second on an idle machine
