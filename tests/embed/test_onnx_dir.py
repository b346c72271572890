"""A sentence encoder small enough to follow by hand: each token's vector is its row of a table."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from waypost.embed import onnx_format as onnx
from waypost.embed.onnx_dir import OnnxDirectory, read_settings
from waypost.errors import ConfigError, EngineUnavailable, ModelCorrupt

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "blue", "query", "text", ":"]
TABLE = np.zeros((len(VOCABULARY), 4), np.float32)
TABLE[VOCABULARY.index("[CLS]")] = [0, 0, 0, 1]
TABLE[VOCABULARY.index("red")] = [1, 0, 0, 0]
TABLE[VOCABULARY.index("green")] = [0, 1, 0, 0]
TABLE[VOCABULARY.index("blue")] = [0, 0, 1, 0]
TABLE[VOCABULARY.index("query")] = [0, 0, 0, 5]
TABLE[VOCABULARY.index("[PAD]")] = [100, 100, 100, 100]  # padding that is not masked would show


def model_bytes(kind: int = onnx.INT64, inputs: tuple[str, ...] = ("input_ids", "attention_mask")) -> bytes:
    nodes = [onnx.node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    given = [onnx.value(name, kind, ["batch", "length"]) for name in inputs]
    output = onnx.value("last_hidden_state", onnx.FLOAT, ["batch", "length", 4])
    return onnx.model(nodes, [onnx.tensor("table", TABLE)], given, [output])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(model_bytes())
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    return tmp_path


def unit(*values: float) -> NDArray[np.float32]:
    vector = np.array(values, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def test_the_mean_of_the_tokens_is_normalised(folder: Path) -> None:
    engine = OnnxDirectory(folder)
    vectors = engine.embed(["red green", "red"])
    np.testing.assert_allclose(vectors, [unit(1, 1, 0, 1), unit(1, 0, 0, 1)], atol=1e-6)
    assert engine.dimensions == 4


def test_padding_does_not_touch_a_vector(folder: Path) -> None:
    engine = OnnxDirectory(folder)
    together = engine.embed(["red", "red green blue " * 20])
    np.testing.assert_allclose(together[0], engine.embed(["red"])[0], atol=1e-6)


@pytest.mark.parametrize("kind", [onnx.INT32, onnx.INT64])
def test_a_model_gets_the_inputs_it_names_in_the_type_it_wants(folder: Path, kind: int) -> None:
    names = ("input_ids", "attention_mask", "token_type_ids")
    (folder / "model.onnx").write_bytes(model_bytes(kind, names))
    np.testing.assert_allclose(OnnxDirectory(folder).embed_question("blue"), unit(0, 0, 1, 1), atol=1e-6)


def test_own_settings_choose_pooling_prefixes_length_and_normalisation(folder: Path) -> None:
    (folder / "waypost.toml").write_text('pooling = "cls"\nnormalise = false\n')
    np.testing.assert_allclose(OnnxDirectory(folder).embed(["red"])[0], [0, 0, 0, 1])
    (folder / "waypost.toml").write_text('query_prefix = "query "\ntext_prefix = "blue "\nmax_tokens = 4\n')
    engine = OnnxDirectory(folder)
    np.testing.assert_allclose(engine.embed_question("red"), unit(1, 0, 0, 6), atol=1e-6)
    np.testing.assert_allclose(engine.embed(["red green"])[0], unit(1, 0, 1, 1), atol=1e-6)


def test_defaults_come_from_what_sentence_transformers_wrote(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    prompts = {"prompts": {"query": "query: ", "document": "text: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    settings = read_settings(folder)
    assert (settings.pooling, settings.query_prefix, settings.text_prefix) == ("cls", "query: ", "text: ")
    assert settings.max_tokens == 128
    (folder / "waypost.toml").write_text('pooling = "mean"\n')
    assert read_settings(folder).pooling == "mean"


@pytest.mark.parametrize(
    "content",
    ["pooling = 'max'", "pooling = 3", "max_tokens = 2", "max_tokens = true", "colour = 'red'", "not toml"],
)
def test_settings_that_cannot_be_meant_are_refused(folder: Path, content: str) -> None:
    (folder / "waypost.toml").write_text(content)
    with pytest.raises(ConfigError):
        OnnxDirectory(folder)


def test_a_pooling_that_waypost_lacks_is_refused(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": false}')
    with pytest.raises(ConfigError, match="pooling"):
        OnnxDirectory(folder)


def test_the_name_follows_the_content_and_not_the_place(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    name = OnnxDirectory(folder).name
    copy = tmp_path_factory.mktemp("elsewhere")
    for file in ("model.onnx", "vocab.txt"):
        (copy / file).write_bytes((folder / file).read_bytes())
    assert OnnxDirectory(copy).name == name
    (copy / "waypost.toml").write_text('query_prefix = "query "\n')
    assert OnnxDirectory(copy).name != name
    (folder / "vocab.txt").write_text("\n".join([*VOCABULARY, "more"]) + "\n")
    assert OnnxDirectory(folder).name != name


def test_a_tokenizer_json_is_read_by_the_tokenizers_library(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    _write_tokenizer(folder)
    np.testing.assert_allclose(OnnxDirectory(folder).embed(["blue red"])[0], unit(1, 0, 1, 0), atol=1e-6)


def test_a_cased_model_is_left_to_the_tokenizers_library(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    _write_tokenizer(folder)
    np.testing.assert_allclose(OnnxDirectory(folder).embed(["blue red"])[0], unit(1, 0, 1, 0), atol=1e-6)


def test_without_the_tokenizers_library_the_remedy_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "vocab.txt").unlink()
    _write_tokenizer(folder)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EngineUnavailable) as caught:
        OnnxDirectory(folder)
    assert "pip install tokenizers" in caught.value.remedy


def _write_tokenizer(folder: Path) -> None:
    vocabulary = {piece: number for number, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def test_a_directory_without_a_model_or_tokenizer_is_refused(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    with pytest.raises(EngineUnavailable, match=r"tokenizer\.json"):
        OnnxDirectory(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(EngineUnavailable, match=r"model\.onnx"):
        OnnxDirectory(folder)


def test_a_damaged_tokenizer_is_refused(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelCorrupt):
        OnnxDirectory(folder)


@pytest.mark.parametrize("content", [b"", b"no model", model_bytes()[:-40]])
def test_a_damaged_model_is_refused(folder: Path, content: bytes) -> None:
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(ModelCorrupt):
        OnnxDirectory(folder).embed(["red"])


def test_a_model_with_other_inputs_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(model_bytes(inputs=("input_ids", "pixel_values")))
    with pytest.raises(ModelCorrupt, match="pixel_values"):
        OnnxDirectory(folder).embed(["red"])


def test_a_vocabulary_larger_than_the_model_fails_as_unavailable(folder: Path) -> None:
    (folder / "vocab.txt").write_text("\n".join([*VOCABULARY, "violet"]) + "\n")
    engine = OnnxDirectory(folder)
    engine.embed(["red"])
    with pytest.raises(EngineUnavailable, match="onnxruntime failed"):
        engine.embed(["violet"])


def test_a_model_that_gives_no_numbers_is_refused(folder: Path) -> None:
    nodes = [onnx.node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    table = onnx.tensor("table", np.full_like(TABLE, np.nan))
    given = [onnx.value("input_ids", onnx.INT64, ["batch", "length"])]
    output = onnx.value("last_hidden_state", onnx.FLOAT, ["batch", "length", 4])
    (folder / "model.onnx").write_bytes(onnx.model(nodes, [table], given, [output]))
    with pytest.raises(ModelCorrupt, match="vectors"):
        OnnxDirectory(folder).embed(["red"])


def test_a_model_that_pools_by_itself_is_taken_at_its_word(folder: Path) -> None:
    nodes = [
        onnx.node("Gather", ["table", "input_ids"], ["last_hidden_state"]),
        onnx.node("ReduceMax", ["last_hidden_state"], ["sentence_embedding"], axes=[1], keepdims=0),
    ]
    given = [onnx.value("input_ids", onnx.INT64, ["batch", "length"])]
    outputs = [
        onnx.value("last_hidden_state", onnx.FLOAT, ["batch", "length", 4]),
        onnx.value("sentence_embedding", onnx.FLOAT, ["batch", "width"]),
    ]
    (folder / "model.onnx").write_bytes(onnx.model(nodes, [onnx.tensor("table", TABLE)], given, outputs))
    engine = OnnxDirectory(folder)
    assert engine.dimensions == 4
    np.testing.assert_allclose(engine.embed_question("red red green"), unit(1, 1, 0, 1), atol=1e-6)


def test_without_onnxruntime_the_remedy_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EngineUnavailable) as caught:
        OnnxDirectory(folder).embed(["red"])
    assert "pip install onnxruntime" in caught.value.remedy


@pytest.mark.slow
def test_loading_a_model_leaves_nothing_in_the_home_directory(folder: Path, tmp_path: Path) -> None:
    """The library's own telemetry would put a device's id and events there."""
    home = tmp_path / "home of nobody"
    home.mkdir()
    code = "import sys; from pathlib import Path; from waypost.embed.onnx_session import OnnxSession; OnnxSession(Path(sys.argv[1]))"
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", code, str(folder / "model.onnx")], env=environment, check=True)
    assert list(home.rglob("*")) == []
