"""The installed models: these tests use the real ones, and nothing here downloads anything."""

from pathlib import Path

import pytest
from tests.made_once import open_once

from waypost import config
from waypost.config import Settings
from waypost.embed import weights
from waypost.embed.minilm import Minilm
from waypost.embed.multilingual import Multilingual
from waypost.errors import EngineError


@pytest.fixture(scope="session")
def installed() -> Settings:
    return config.load()


def _folder(model: weights.Model, settings: Settings) -> Path:
    try:
        return weights.find(model, settings.models)
    except EngineError as error:
        pytest.fail(f"These tests need the models. Run `waypost model install` first. ({error})")


@pytest.fixture(scope="session")
def minilm_folder(installed: Settings) -> Path:
    return _folder(weights.MINILM, installed)


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path, installed: Settings) -> Minilm:
    """The one that memories of other tests use too: loaded twice, it would take the memory twice."""
    assert minilm_folder
    engine = open_once("minilm", installed)
    assert isinstance(engine, Minilm)
    return engine


@pytest.fixture(scope="session")
def multilingual(installed: Settings) -> Multilingual:
    assert _folder(weights.MULTILINGUAL, installed)
    engine = open_once("multilingual", installed)
    assert isinstance(engine, Multilingual)
    return engine
