"""The installed models: these tests use the real ones, and nothing here downloads anything."""

from pathlib import Path

import pytest

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
def minilm(minilm_folder: Path) -> Minilm:
    return Minilm(minilm_folder, threads=1)


@pytest.fixture(scope="session")
def multilingual(installed: Settings) -> Multilingual:
    return Multilingual(_folder(weights.MULTILINGUAL, installed))
