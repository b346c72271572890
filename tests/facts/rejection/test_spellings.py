"""Which texts repeat a rejected value, and which state something else."""

import time
import tomllib
from pathlib import Path

import pytest

from waypost.facts.rejection.spellings import is_statement, spellings, statements

TABLE = tomllib.loads(Path(__file__).with_name("rejected_variants.toml").read_text("utf-8"))["value"]


def brings_back(value: str, text: str) -> bool:
    rejected = set(spellings(value))
    parts = [part for index, part in enumerate(statements(text)) if index == 0 or is_statement(part)]
    return any(rejected & set(spellings(part)) for part in parts)


def test_the_table_has_enough_of_both_sorts() -> None:
    assert sum(len(row["again"]) for row in TABLE) >= 90
    assert sum(len(row["other"]) for row in TABLE) >= 90


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["text"])
def test_what_wraps_a_value_or_only_adds_to_it_brings_it_back(row: dict[str, list[str]]) -> None:
    assert [text for text in row["again"] if not brings_back(str(row["text"]), text)] == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["text"])
def test_what_narrows_denies_or_changes_a_value_is_another_one(row: dict[str, list[str]]) -> None:
    assert [text for text in row["other"] if brings_back(str(row["text"]), text)] == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Globs look like **/api/**", "Globs look like /api/"),
        ("Call my_name here", "Call myname here"),
        ("Pass *args and **kwargs on", "Pass args and kwargs on"),
        ("The limit is 1 5", "The limit is 15"),
        ("We write C#", "We write C"),
        ("Version 1.2 is out", "Version 12 is out"),
        ("The path is a/b", "The path is ab"),
        ("Он мой", "Он мои"),
    ],
)
def test_signs_that_carry_meaning_are_kept(text: str, other: str) -> None:
    assert not set(spellings(text)) & set(spellings(other))


@pytest.mark.parametrize(
    "unit",
    ["word ", "a, ", "not ", "since ", "a. ", "**a ", "[a](", "> ", "( ", "x said ", "as agreed, ", "see ", "_a"],
)
def test_the_work_grows_no_faster_than_the_text(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * size)[:size]
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            for part in statements(text):
                spellings(part)
            best = min(best, time.process_time() - began)
        return best

    assert cost(64_000) <= 24 * max(cost(8_000), 0.004)
