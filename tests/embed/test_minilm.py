import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from waypost.embed.minilm import Minilm

TEXTS = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "",
    "The retry budget of the scheduler is shared by all workers, see scheduler/retry.py.",
    "Größe, Ёлка, 日本語, 🎉",
    "memory " * 400,
]


@pytest.mark.slow
def test_the_published_similarities_of_the_model_come_out(minilm: Minilm) -> None:
    """From the model's own documentation: .6660 and .1046."""
    vectors = minilm.embed(TEXTS[:3])
    assert vectors[0] @ vectors[1] == pytest.approx(0.6660, abs=1e-4)
    assert vectors[0] @ vectors[2] == pytest.approx(0.1046, abs=1e-4)
    assert vectors[1] @ vectors[2] == pytest.approx(0.1411, abs=1e-4)


@pytest.mark.slow
def test_vectors_are_of_length_one_and_single_precision(minilm: Minilm) -> None:
    vectors = minilm.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), minilm.dimensions) == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@pytest.mark.slow
def test_a_text_has_the_same_vector_alone_and_in_any_batch(minilm: Minilm) -> None:
    together = minilm.embed(TEXTS)
    backwards = minilm.embed(TEXTS[::-1])[::-1]
    alone = np.stack([minilm.embed([text])[0] for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=2e-6)
    np.testing.assert_allclose(backwards, alone, atol=2e-6)


@pytest.mark.slow
def test_numpy_and_onnxruntime_give_the_same_vector(minilm: Minilm, minilm_folder: Path) -> None:
    bulk = minilm.embed(TEXTS)
    fresh = Minilm(minilm_folder)
    cold = np.stack([fresh.embed_question(text) for text in TEXTS])
    assert float(np.min(np.sum(bulk * cold, axis=1))) > 0.99999
    np.testing.assert_allclose(cold, bulk, atol=5e-6)


@pytest.mark.slow
def test_a_warm_engine_answers_a_question_like_a_passage(minilm: Minilm) -> None:
    minilm.warm()
    np.testing.assert_allclose(minilm.embed_question(TEXTS[4]), minilm.embed([TEXTS[4]])[0], atol=2e-6)


@pytest.mark.slow
def test_only_the_first_256_tokens_are_seen(minilm: Minilm) -> None:
    longer = "memory " * 254
    vectors = minilm.embed([longer, longer + "quite another thing", "memory " * 100])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[2], atol=1e-3)


def test_no_texts_give_no_vectors(minilm: Minilm) -> None:
    assert minilm.embed([]).shape == (0, 384)


@pytest.mark.slow
def test_a_question_in_a_new_process_does_not_load_onnxruntime(minilm_folder: Path) -> None:
    program = (
        "import sys, pathlib; from waypost.embed.minilm import Minilm; assert 'numpy' not in sys.modules;"
        f"v = Minilm(pathlib.Path({str(minilm_folder)!r})).embed_question('where is it?');"
        "print(len(v), 'onnxruntime' in sys.modules, 'tokenizers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["384", "False", "False"]
