"""The model reads two facts: does the newer one state another value for the subject of the older one?"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from waypost.config import Settings
from waypost.embed import weights
from waypost.embed.multilingual import Multilingual
from waypost.embed.renewal_model import MOST_PIECES, RenewalModel
from waypost.facts.renewal import wording_evidence

VALUES = Path(__file__).parents[2] / "benchmarks" / "values"
UNSEEN = "oda"  # an author whose pairs took no part in training
LEAST_AREA = 0.65  # measured .67 in German to .94 in Russian; the cosine of the two texts reaches .06


@pytest.fixture(scope="module")
def model(installed: Settings) -> RenewalModel:
    return RenewalModel(Multilingual(weights.find(weights.MULTILINGUAL, installed.models)))


def score(model: RenewalModel, older: str, newer: str, language: str = "en") -> float:
    return model.score(older, newer, wording_evidence(older, newer, language))


@cache
def pairs(name: str) -> list[list[str]]:
    lines = (VALUES / f"{name}-{UNSEEN}.txt").read_text("utf-8").splitlines()
    return [[field.strip() for field in line.split(" | ")][:3] for line in lines]


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_it_tells_the_renewals_of_an_author_it_never_read_from_facts_about_other_subjects(
    model: RenewalModel, language: str
) -> None:
    renewed = [row for row in pairs("updates") if row[0] == language]
    both_hold = [row for row in pairs("distinct") if row[0] == language]
    high = np.array([score(model, older, newer, language) for _, older, newer in renewed])
    low = np.array([score(model, older, newer, language) for _, older, newer in both_hold])
    assert len(high) >= 30
    assert len(low) >= 18
    assert (high[:, None] > low[None]).mean() >= LEAST_AREA


def test_a_pair_has_the_same_score_alone_and_after_others(model: RenewalModel) -> None:
    older, newer = "The press runs firmware 4.2.", "Since Saturday, firmware 4.6 is on the press."
    first = score(model, older, newer)
    score(model, newer, older)
    assert score(model, older, newer) == first


@pytest.mark.parametrize("text", ["", "   ", "🙂", "a " * 5_000, "\x00\u202e", "х" * 3_000])
def test_any_text_has_a_finite_score(model: RenewalModel, text: str) -> None:
    for pair in ((text, "The press runs firmware 4.2."), ("The press runs firmware 4.2.", text), (text, text)):
        assert np.isfinite(score(model, *pair))


def test_only_the_beginning_of_a_long_text_is_read(model: RenewalModel) -> None:
    engine = Multilingual(model._engine._path.parent)
    assert len(engine.pieces("word " * 1_000, MOST_PIECES).ids) == MOST_PIECES
