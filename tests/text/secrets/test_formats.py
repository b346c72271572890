"""At least 98 of 100 samples of every known format are masked, in any carrier."""

import random
from pathlib import Path

import pytest
from tests.text.secret_samples import CARRIERS, FORMATS, GROUPS, NAMED, Rates, rates

from waypost.text.secrets.masking import mask
from waypost.text.secrets.table import data

pytestmark = pytest.mark.slow  # too slow for the fast suite

SAMPLES_PER_CARRIER = 20
SOME_SAMPLES = 10  # more than a hundred of each format
LEAST = 0.98


@pytest.fixture(
    scope="module",
    params=[pytest.param(SOME_SAMPLES, id="some"), pytest.param(SAMPLES_PER_CARRIER, id="all", marks=pytest.mark.soak)],
)
def measured(request: pytest.FixtureRequest) -> dict[str, Rates]:
    return {group: rates(formats, carriers, request.param) for group, (formats, carriers) in GROUPS.items()}


@pytest.mark.parametrize("where", CARRIERS)
def test_what_was_masked_once_holds_nothing_to_mask_again(where: str) -> None:
    rng = random.Random(where)
    once = [mask(CARRIERS[where].format("".join(make(rng)))).text for make in FORMATS.values()]
    assert [text for text in once if mask(text).findings] == []


def test_the_corpus_has_at_least_150_formats_with_hundreds_of_samples_each() -> None:
    assert len(FORMATS) >= 150
    assert len(NAMED) >= 40
    assert len(CARRIERS) * SAMPLES_PER_CARRIER >= 300


@pytest.mark.parametrize("group", GROUPS)
def test_every_format_is_masked_in_nearly_every_sample(measured: dict[str, Rates], group: str) -> None:
    weak = {name: (round(rate, 3), missed) for name, (rate, missed) in measured[group].items() if rate < LEAST}
    assert weak == {}


@pytest.mark.parametrize("group", ["shape", "name"])
def test_over_all_formats_99_of_100_samples_are_masked(measured: dict[str, Rates], group: str) -> None:
    rates = [rate for rate, _ in measured[group].values()]
    assert sum(rates) / len(rates) >= 0.99


def test_every_format_is_listed_in_the_documents() -> None:
    page = (Path(__file__).parents[3] / "benchmarks" / "notes" / "secret-formats.md").read_text("utf-8")
    assert [row["name"] for row in data()["format"] if f"`{row['name']}`" not in page] == []


@pytest.mark.parametrize("value", ["x" * 36, "0" * 36, "EXAMPLE" * 6])
def test_a_prefix_before_a_row_of_placeholders_is_no_token(value: str) -> None:
    assert mask("gh" + "p_" + value[:36]).findings == ()
