"""Texts, questions and vectors to measure with: the same ones on every machine with the same Python and numpy.

Real texts are the paragraphs of the docstrings of Python's library and of numpy: English about software, as short and
as uneven as what agents note down. Large sets are generated: words drawn by Zipf's law from the vocabulary of the real
texts, and vectors drawn from a normal distribution with the mean and covariance of real ones.
"""

import ast
import random
import re
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.text.language import language_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

GENERATED_WORDS = 60
_LONGEST = 60  # words; longer paragraphs are cut at a sentence
_SHORTEST = 5
_NO_PROSE = (">>>", "---", "\\", "==")
_NOT_OURS = {"site-packages", "test", "tests", "idlelib"}
_WORD = re.compile(r"[A-Za-z]{2,}")


def real_texts(count: int) -> list[str]:
    """Different texts of 5 to 60 words, in a fixed order."""
    found = list(dict.fromkeys(_pieces()))
    joined = (f"{one} {other}" for one, other in pairwise(found))  # should a library be smaller
    found = list(dict.fromkeys([*found, *joined]))
    random.Random(7).shuffle(found)
    if len(found) < count:
        raise SystemExit(f"Only {len(found)} texts are here; {count} are wanted.")
    return found[:count]


def questions(texts: Sequence[str], count: int) -> list[str]:
    """Questions of four or five words of a text each."""
    chance = random.Random(11)
    asked: list[str] = []
    while len(asked) < count:
        words = [word for word in _WORD.findall(chance.choice(texts)) if len(word) > 3]
        if len(words) >= 5:
            start = chance.randrange(len(words) - 4)
            asked.append(f"What do we know about {' '.join(words[start : start + chance.choice((4, 5))])}?")
    return asked


def of_length(texts: Sequence[str], tokens: int, count: int, tokens_in: Callable[[str], int]) -> list[str]:
    """Texts of about so many tokens, made of the words of real ones."""
    chance = random.Random(tokens)
    words = [word for text in texts for word in text.split() if word.isalpha()]
    made = []
    for number in range(count):
        start = chance.randrange(len(words) - tokens)
        length = tokens
        while tokens_in(" ".join(words[start : start + length])) > tokens - 1:
            length -= 1
        made.append(f"{number} " + " ".join(words[start : start + length]))
    return made


def generated_texts(texts: Sequence[str], count: int) -> Iterator[str]:
    """Texts of 60 words each, drawn by Zipf's law from the words of real ones in the order of their frequency."""
    import numpy as np

    ranked = [word for word, _ in Counter(word for text in texts for word in text.split()).most_common()]
    weights = 1 / np.arange(1, len(ranked) + 1)
    chance = np.random.default_rng(13)
    steps = np.cumsum(weights / weights.sum())
    for _ in range(count):
        drawn = np.searchsorted(steps, chance.random(GENERATED_WORDS))
        yield " ".join(ranked[min(int(place), len(ranked) - 1)] for place in drawn)


def generated_vectors(real: "Floats", count: int) -> "Floats":
    """Unit vectors that lie in space as the real ones do."""
    import numpy as np

    mean = real.mean(0)
    factor = np.linalg.cholesky(np.cov(real.T) + 1e-6 * np.eye(real.shape[1])).astype(np.float32)
    chance = np.random.default_rng(17)
    made = chance.standard_normal((count, real.shape[1]), np.float32) @ factor.T + mean
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    vectors: Floats = made.astype(np.float32)
    return vectors


def _pieces() -> Iterator[str]:
    import numpy as np

    for root in (Path(sysconfig.get_paths()["stdlib"]), Path(np.__file__).parent):
        for path in sorted(root.rglob("*.py")):
            if not _NOT_OURS & set(path.relative_to(root).parts):
                for paragraph in _paragraphs(path):
                    yield from _cut(paragraph)


def _paragraphs(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, UnicodeDecodeError):  # the library has such files on purpose
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                yield " ".join(paragraph.split())


def _cut(paragraph: str) -> Iterator[str]:
    """Pieces at sentence ends; code, tables, and what does not look English are left out."""
    if not paragraph.isascii() or any(mark in paragraph for mark in _NO_PROSE):
        return
    piece: list[str] = []
    for sentence in re.split(r"(?<=[.:;]) ", paragraph):
        words = sentence.split()[:_LONGEST]
        if piece and len(piece) + len(words) > _LONGEST:
            yield from _english(piece)
            piece = []
        piece += words
    yield from _english(piece)


def _english(words: list[str]) -> Iterator[str]:
    text = " ".join(words)
    if len(words) >= _SHORTEST and language_of(text) == "en":
        yield text
