import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from waypost.config import RemoteEngine, Settings
from waypost.embed.fake import FakeEngine
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine
from waypost.errors import ConfigError, EngineUnavailable


@pytest.fixture
def bare(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, models=(tmp_path / "models",), person="p")


def test_every_engine_is_opened_by_its_name(installed: Settings) -> None:
    with_server = replace(installed, openai=RemoteEngine("http://127.0.0.1:9", "m", 5))
    engines = {name: open_engine(name, with_server) for name in ("minilm", "multilingual", "ollama", "openai")}
    assert {name: (engine.name, engine.dimensions) for name, engine in engines.items()} == {
        "minilm": ("minilm-l6-v2", 384),
        "multilingual": ("use-multilingual-v3", 512),
        "ollama": ("ollama:nomic-embed-text", 768),
        "openai": ("openai:m", 5),
    }


@pytest.mark.parametrize("name", ["minilm", "multilingual"])
def test_missing_weights_are_said_at_once_with_the_command_that_helps(bare: Settings, name: str) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        open_engine(name, bare)
    assert "waypost model install" in caught.value.remedy


@pytest.mark.parametrize("name", ["", "bert", "openai", "onnx"])
def test_a_name_that_cannot_be_opened_is_a_mistake_in_the_settings(bare: Settings, name: str) -> None:
    with pytest.raises(ConfigError):
        open_engine(name, bare)


def test_a_directory_is_opened_as_an_engine_of_its_own(bare: Settings, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"model\.onnx"):
        open_engine(f"onnx:{tmp_path}", bare)


@pytest.mark.slow
def test_what_the_command_line_always_imports_is_light() -> None:
    modules = [
        "protocol",
        "registry",
        "install",
        "weights",
        "sources",
        "fake",
        "wordpiece",
        "minilm",
        "onnx_dir",
        "remote",
    ]
    program = f"import sys; [__import__('waypost.embed.' + m) for m in {modules}]; "
    program += "print([m for m in ('numpy', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_fake_engine_puts_texts_with_common_words_near_each_other() -> None:
    engine: Engine = FakeEngine(size=128)
    question = engine.embed_question("the retry budget of workers")
    near, far = engine.embed(["workers share a retry budget", "cats sleep on window sills"])
    assert question @ near > 0.4 > abs(float(question @ far))
    assert engine.name == "fake-128"
    np.testing.assert_allclose(np.linalg.norm(engine.embed(["", "a"]), axis=1), 1.0, atol=1e-6)
    assert engine.embed([]).shape == (0, 128)


def test_the_fake_engine_fails_when_it_is_told_to() -> None:
    with pytest.raises(EngineUnavailable):
        FakeEngine(fail=True).embed(["a"])
    picky = FakeEngine(fail=lambda texts: "bad" in texts, calls=[])
    picky.embed(["good"])
    with pytest.raises(EngineUnavailable):
        picky.embed(["bad"])
    assert picky.calls == [["good"]]
