"""Which engines a space opens, and what it does without them."""

import pytest

from waypost.config import Settings
from waypost.embed.fake import FakeEngine
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine
from waypost.errors import EngineUnavailable
from waypost.facts.renewal import wording_evidence
from waypost.flows.engines.choice import EngineChoice

OLDER, NEWER = "The press runs firmware 4.2.", "Since Saturday, firmware 4.6 is on the press."
WORDING = wording_evidence(OLDER, NEWER, "en")


def unavailable(_: str) -> Engine:
    raise EngineUnavailable("No weights are installed.", "")


def test_two_facts_are_read_with_the_built_in_multilingual_engine(settings: Settings) -> None:
    choice = EngineChoice(lambda name: open_engine(name, settings), "minilm", multilingual=True)
    score = choice.renewal_score(OLDER, NEWER, WORDING)
    assert score is not None
    assert score == choice.renewal_score(OLDER, NEWER, WORDING)


@pytest.mark.parametrize(
    "choice",
    [
        EngineChoice(unavailable, "minilm", multilingual=True),
        EngineChoice(lambda _: FakeEngine(), "minilm", multilingual=True),
        EngineChoice(lambda _: FakeEngine(), "minilm", multilingual=False),
    ],
    ids=["no weights", "another engine", "switched off"],
)
def test_without_that_engine_no_fact_is_read(choice: EngineChoice) -> None:
    assert choice.renewal_score(OLDER, NEWER, WORDING) is None
