"""How many there are is said as a person would say it."""

import pytest

from waypost.text.plural import counted


@pytest.mark.parametrize(
    ("number", "told"),
    [(0, "0 memories"), (1, "1 memory"), (1.0, "1 memory"), (1.5, "1.5 memories"), (2500, "2,500 memories")],
)
def test_one_is_told_in_the_singular(number: float, told: str) -> None:
    assert counted(number, "memory", "memories") == told


def test_most_words_take_an_s() -> None:
    assert (counted(1, "file"), counted(2, "file")) == ("1 file", "2 files")
