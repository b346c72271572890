"""The expected ids and values were written by the package that publishes the weights."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from waypost.config import Settings
from waypost.embed import safetensors, weights
from waypost.embed.multilingual import MAX_TOKENS, Multilingual
from waypost.embed.sentencepiece import SentencePiece, compile_table
from waypost.errors import ModelCorrupt

EXPECTED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "use_multilingual_expected.json").read_text(encoding="utf-8")
)
TEXTS = [case["text"] for case in EXPECTED]


@pytest.fixture(scope="module")
def folder(installed: Settings) -> Path:
    return weights.find(weights.MULTILINGUAL, installed.models)


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[str, NDArray[Any]]:
    return compile_table((folder / "sp.model").read_bytes())


@pytest.fixture(scope="module")
def tokenizer(table: dict[str, NDArray[Any]]) -> SentencePiece:
    return SentencePiece(table)


@pytest.mark.slow
def test_the_installed_table_is_what_this_version_compiles(folder: Path, table: dict[str, NDArray[Any]]) -> None:
    stored = safetensors.load(folder / weights.MULTILINGUAL.derived[0])
    for name, array in table.items():
        np.testing.assert_array_equal(stored[name], array)


@pytest.mark.parametrize("case", EXPECTED, ids=range(len(EXPECTED)))
def test_a_text_has_the_pieces_of_the_original(case: dict[str, Any], tokenizer: SentencePiece) -> None:
    assert tokenizer.encode(case["text"], 10_000) == case["ids"]


@pytest.mark.slow
def test_vectors_are_those_of_the_original(multilingual: Multilingual) -> None:
    vectors = multilingual.embed(TEXTS)
    expected = np.array([case["vector"] for case in EXPECTED], np.float32)
    np.testing.assert_allclose(vectors[:, ::16], expected, atol=2e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@pytest.mark.slow
def test_a_text_has_the_same_vector_alone_and_in_any_batch(multilingual: Multilingual) -> None:
    together = multilingual.embed(TEXTS * 5)
    alone = np.stack([multilingual.embed_question(text) for text in TEXTS])
    np.testing.assert_allclose(together, np.tile(alone, (5, 1)), atol=5e-6)


def test_a_question_finds_its_text_in_another_language(multilingual: Multilingual) -> None:
    passages = multilingual.embed(
        [
            "The meeting was moved to Thursday because the room is taken.",
            "Backups are written every night and kept for thirty days.",
            "The cat sleeps on the warm window sill.",
        ]
    )
    for question, expected in (
        ("Wie lange werden die Sicherungen aufbewahrt?", 1),
        ("На какой день перенесли встречу?", 0),
        ("猫はどこで寝ていますか。", 2),
    ):
        assert int(np.argmax(passages @ multilingual.embed_question(question))) == expected


def test_special_pieces_are_not_found_in_a_text(tokenizer: SentencePiece) -> None:
    begin, *inner, end = tokenizer.encode("<s> </s> <unk> extra_token_id_1", 100)
    assert (begin, end) == (1, 2)
    assert not {1, 2, 3, 4, 5} & set(inner)


def test_a_long_text_is_cut_and_still_ends_with_the_closing_piece(tokenizer: SentencePiece) -> None:
    whole = tokenizer.encode("Erinnerung " * 2000, 100_000)
    cut = tokenizer.encode("Erinnerung " * 2000, MAX_TOKENS)
    assert len(whole) > MAX_TOKENS == len(cut)
    assert cut == [*whole[: MAX_TOKENS - 1], whole[-1]]


def test_no_texts_give_no_vectors(multilingual: Multilingual) -> None:
    assert multilingual.embed([]).shape == (0, multilingual.dimensions) == (0, 512)


def test_a_lone_surrogate_is_embedded_like_something_unknown(multilingual: Multilingual) -> None:
    assert np.isfinite(multilingual.embed(["a\ud800b"])).all()


@pytest.mark.parametrize("damaged", [b"\x0a", b"\x0a\x7fabc", b"\x0a\x03\x12\x01a", b"\xff" * 20])
def test_a_damaged_tokenizer_model_is_refused(damaged: bytes) -> None:
    with pytest.raises(ModelCorrupt):
        compile_table(damaged)
