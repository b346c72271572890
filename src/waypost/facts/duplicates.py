"""Whether a new fact is already known: skip it, merge it, add it, or offer it as a correction.

Similar vectors suggest a duplicate; equal commitments decide (`waypost.facts.agreement`). Compare only facts of the
same kind and domain, never journal entries or conversation turns: each of those happened.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from waypost.facts.agreement import TextRelation, compare

# Cosines by embedding model: above the first a fact is skipped, from the second on it is merged. Other models are
# calibrated to pass the same share of near pairs as MiniLM. The tests have 328 English pairs (paraphrases and minimal
# pairs): MiniLM puts 46 % of them above 0.95 and 85 % above 0.85. The multilingual model reaches that at 0.913 and
# 0.803, set to 0.92 and 0.80. Of 26,686 unrelated pairs in three languages none reaches its merge threshold (the
# highest: 0.66).
THRESHOLDS: Mapping[str, tuple[float, float]] = {"minilm-l6-v2": (0.95, 0.85), "use-multilingual-v3": (0.92, 0.80)}
# An uncalibrated model decides nothing: no cosine exceeds 2, so only equal texts are duplicates.
UNCALIBRATED = (2.0, 2.0)

_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")


class DuplicateVerdict(Enum):
    ADD = "add"  # a fact of its own
    SKIP = "skip"  # the existing fact already says it
    MERGE = "merge"  # a new version of the existing fact, with the evidence of both
    CONFLICT = "conflict"  # add, and offer it as a correction of the existing one


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: DuplicateVerdict
    reason: str


_VERDICTS = {
    TextRelation.SAME: DuplicateVerdict.SKIP,
    TextRelation.LESS: DuplicateVerdict.SKIP,
    TextRelation.MORE: DuplicateVerdict.MERGE,
    TextRelation.DIFFERENT: DuplicateVerdict.CONFLICT,
    TextRelation.APART: DuplicateVerdict.ADD,
}


def thresholds(engine: str) -> tuple[float, float]:
    """The (skip, merge) thresholds of `engine`. Without calibration no cosine passes."""
    return THRESHOLDS.get(engine, UNCALIBRATED)


def judge(
    new: str, existing: str, similarity: float | None, *, skip_above: float = 0.95, merge_above: float = 0.85
) -> Judgement:
    """What to do with `new` next to `existing`, given the cosine of their vectors.

    Without a `similarity`, as no model can embed, only equal texts are duplicates. A fact with a different commitment
    is never skipped or merged. A fact that says more than the existing one is never skipped.
    """
    if normal_form(new) == normal_form(existing):
        return Judgement(DuplicateVerdict.SKIP, "the same text")
    if similarity is None:
        return Judgement(DuplicateVerdict.ADD, "judged by text alone, and the texts differ")
    if not similarity >= merge_above:  # also true for NaN
        return Judgement(DuplicateVerdict.ADD, f"similarity {similarity:.2f} is below {merge_above:.2f}")
    agreement = compare(existing, new)
    verdict = _VERDICTS[agreement.relation]
    if verdict is DuplicateVerdict.SKIP and not similarity > skip_above:
        verdict = DuplicateVerdict.MERGE
    return Judgement(verdict, agreement.reason)


def normal_form(text: str) -> str:
    """`text` in one composition and spacing, without the last full stop."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip().removesuffix(".").rstrip()


def merge_texts(existing: str, new: str) -> str:
    """The text of the merged fact: the one that says all of both, else the sentences of both without repetition."""
    if normal_form(existing) == normal_form(new):
        return existing
    relation = compare(existing, new).relation
    if relation in (TextRelation.SAME, TextRelation.LESS):
        return existing
    if relation is TextRelation.MORE:
        return new
    sentences = _sentences(existing)
    for sentence in _sentences(new):
        _join(sentences, sentence)
    return " ".join(_with_full_stop(sentence) for sentence in sentences)


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def _join(sentences: list[str], sentence: str) -> None:
    """Add `sentence`, unless one of `sentences` says it. A sentence that says less is replaced."""
    for index, existing in enumerate(sentences):
        if normal_form(existing) == normal_form(sentence):
            return
        relation = compare(existing, sentence).relation
        if relation in (TextRelation.SAME, TextRelation.LESS):
            return
        if relation is TextRelation.MORE:
            sentences[index] = sentence
            return
    sentences.append(sentence)


def _with_full_stop(sentence: str) -> str:
    return sentence if sentence[-1] in ".!?…" else f"{sentence}."
