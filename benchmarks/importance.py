"""Does `worth` rank what is worth keeping above the rest? AUC and average precision, and the fit of its weights.

    python benchmarks/importance.py                      # own German and Russian utterances (tests/journal/data)
    python benchmarks/importance.py --topics             # how well topics are found, with the installed engines
    python benchmarks/importance.py --eval DIR           # also the English sets of an evaluation folder with `data.py`
    python benchmarks/importance.py --eval DIR --fit     # fit the weights on its dev part and write them into the package
    cd DIR && python run_importance.py --split dev --system length cues python:importance:scorer   # with this on PYTHONPATH

The fit sees dev only. What is said of it is cross-validated: a conversation (LoCoMo) or session (LongMemEval) is either
fitted or measured, never both.
"""

import argparse
import hashlib
import itertools
import json
import random
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waypost import config
from waypost.embed.registry import open_engine
from waypost.journal.importance.information import features, worth
from waypost.journal.topics.groups import find_topics
from waypost.journal.topics.similarity import Meaning, Subject
from waypost.text.language import language_of

_HERE = Path(__file__).resolve().parent.parent
_OWN = _HERE / "tests" / "journal" / "data"
_WEIGHTS = _HERE / "src" / "waypost" / "journal" / "data" / "importance_worth.toml"
_HEAD = """# Weights of `worth`, fitted by `benchmarks/importance.py --fit` on English conversations (dev parts of LoCoMo and
# LongMemEval utterances, each set with the same total weight, ridge {ridge}). Inputs are log(1 + count).

[weights]
"""
_FOLDS = 10
_RIDGE = 3.0
# What each feature is expected to say, before any data: English chats hold few decisions and traits, journals many.
_EXPECTED = {
    "preference": 0.4,
    "trait": 0.6,
    "goal": 0.6,
    "decision": 0.6,
    "stress": 0.6,
    "people": 0.3,
    "own": 0.3,
} | {"passing": -0.5}
# These may not come out on the other side: what is fitted must stay sensible on other conversations.
_NOT_BELOW = "first event change past dated number people own preference trait goal decision stress aside names quoted"
_NOT_BELOW += " long told where asked_first asked_event own_words event_words details"
_NOT_ABOVE = "second pleasant asked passing exclaims heed vague seeks"

Floats = NDArray[np.float64]


def scorer(texts: Sequence[str]) -> list[float]:
    """The adapter of the evaluation: what the product makes of each utterance alone."""
    return [worth(text, language_of(text)) for text in texts]


def auc(labels: Sequence[int], scores: Sequence[float]) -> float:
    order = np.argsort(scores, kind="stable")
    _, inverse, counts = np.unique(np.asarray(scores)[order], return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = np.empty(len(scores))
    ranks[order] = (ends - (counts - 1) / 2)[inverse]
    positive = np.asarray(labels) == 1
    count = int(positive.sum())
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * (len(labels) - count)))


def average_precision(labels: Sequence[int], scores: Sequence[float]) -> float:
    ordered = np.asarray(labels)[np.argsort(-np.asarray(scores), kind="stable")]
    return float((np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[ordered == 1].mean())


def own(language: str) -> tuple[list[str], list[int]]:
    lines = (_OWN / f"importance_{language}.jsonl").read_text("utf-8").splitlines()[1:]
    rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows], [row["label"] for row in rows]


def _english(folder: Path) -> dict[str, list[tuple[str, int, str]]]:
    """By set: text, label, and the conversation it belongs to."""
    sys.path.insert(0, str(folder))
    import data  # type: ignore[import-not-found]  # the evaluation's own loader

    known = {
        turn["id"]: turn["text"] for one in data.read("lme_pool", "dev")["sessions"].values() for turn in one["turns"]
    }
    sets: dict[str, list[tuple[str, int, str]]] = {}
    for row in data.read("importance", "dev")["rows"]:
        if row["set"] in {"locomo_observation", "lme_evidence"}:
            text = known[row["id"]] if row.get("ref") else row["text"]
            conversation = row["id"].rpartition("/" if "/" in row["id"] else "#")[0]
            # Sessions of one question share their hash: they are about the same.
            conversation = conversation.rsplit("_", 1)[0] if conversation.startswith("answer") else conversation
            sets.setdefault(row["set"], []).append((text, row["label"], conversation))
    return sets


def _table(texts: Sequence[str]) -> tuple[list[str], Floats]:
    rows = [features(text, language_of(text)) for text in texts]
    names = list(rows[0])
    return names, np.asarray([[row[name] for name in names] for row in rows])


def _fitted(names: Sequence[str], table: Floats, labels: Floats, weights: Floats, sets: Floats) -> Floats:
    """Logistic regression around what is expected. Each set has a bias of its own, which ranks nothing within it: the
    base rates of two collections must not pass for a difference of utterances. Returns the mean bias and the weights."""
    expected = np.asarray([0.0] * sets.shape[1] + [_EXPECTED.get(name, 0.0) for name in names])
    free = np.asarray([True] * sets.shape[1] + [True] * len(names))
    full = np.hstack([sets, table])
    held = np.asarray([1e-6] * sets.shape[1] + [_RIDGE] * len(names))
    signs = np.asarray([0] * sets.shape[1] + [_sign(name) for name in names])
    found = expected.copy()
    while True:
        found = _newton(full[:, free], labels, weights, held[free], expected[free], found[free], free)
        wrong = (found * signs < 0) & free
        if not wrong.any():
            return np.concatenate([[found[: sets.shape[1]].mean()], found[sets.shape[1] :]])
        free &= ~wrong
        found[wrong] = 0.0


def _sign(name: str) -> int:
    return 1 if name in _NOT_BELOW.split() else -1 if name in _NOT_ABOVE.split() else 0


def _newton(
    full: Floats,
    labels: Floats,
    weights: Floats,
    held: Floats,
    expected: Floats,
    found: Floats,
    free: NDArray[np.bool_],
) -> Floats:
    for _ in range(50):
        guess = 1 / (1 + np.exp(-np.clip(full @ found, -30, 30)))
        slope = full.T @ (weights * (guess - labels)) + held * (found - expected)
        curve = (full * (weights * guess * (1 - guess))[:, None]).T @ full + np.diag(held)
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-8:
            break
    whole = np.zeros(len(free))
    whole[free] = found
    return whole


def _fold(conversation: str) -> int:
    return hashlib.blake2b(conversation.encode(), digest_size=2).digest()[0] % _FOLDS


def _balanced(sets: dict[str, list[tuple[str, int, str]]]) -> Floats:
    """Each set counts the same, and in each the two labels do."""
    total = sum(map(len, sets.values()))
    parts = []
    for rows in sets.values():
        labels = np.asarray([label for _, label, _ in rows])
        share = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())
        parts.append(share * total / len(sets))
    return np.concatenate(parts)


def fit(folder: Path, *, write: bool) -> None:
    sets = _english(folder)
    rows = [row for part in sets.values() for row in part]
    names, table = _table([text for text, _, _ in rows])
    labels = np.asarray([float(label) for _, label, _ in rows])
    weights = _balanced(sets)
    conversations = np.asarray([conversation for _, _, conversation in rows])
    locomo = sorted({one for one in conversations if one.startswith("conv")})
    folds = np.asarray([locomo.index(one) if one in locomo else _fold(one) for one in conversations])
    which = [place for place, part in enumerate(sets.values()) for _ in part]
    member = np.eye(len(sets))[which]
    guessed = np.zeros(len(rows))
    for fold in sorted(set(folds.tolist())):
        inside = folds != fold
        found = _fitted(names, table[inside], labels[inside], weights[inside], member[inside])
        guessed[~inside] = table[~inside] @ found[1:] + found[0]
    start = 0
    for name, part in sets.items():
        chosen = slice(start, start + len(part))
        mine, them = labels[chosen].astype(int).tolist(), guessed[chosen].tolist()
        print(
            f"cross-validated {name:20} n={len(part):5} AUC {auc(mine, them):.3f} AP {average_precision(mine, them):.3f}"
        )
        start += len(part)
    found = _fitted(names, table, labels, weights, member)
    lines = [f"{name} = {value:.3f}" for name, value in zip(["bias", *names], found.tolist(), strict=True)]
    print(" ".join(lines))
    if write:
        _WEIGHTS.write_text(_HEAD.format(ridge=_RIDGE) + "\n".join(lines) + "\n", "utf-8")


def _topic_cases(language: str) -> list[tuple[Subject, str]]:
    """Mentions of topics within two weeks each, over a year, among other utterances (those that are worth keeping or
    not; for English the topics are alone)."""
    table = tomllib.loads((_HERE / "benchmarks" / "importance_topics.toml").read_text("utf-8"))[language]
    chance = random.Random(3)
    cases: list[tuple[Subject, str]] = []
    for name, texts in table.items():
        first = chance.randrange(365)
        days = (first + later for later in (0, 3, 7, 10, 13))
        cases += [(Subject(text, language, day=day), name) for text, day in zip(texts, days, strict=True)]
    for place, text in enumerate(own(language)[0] if language != "en" else []):
        cases.append((Subject(text, language, day=chance.randrange(365)), f"other {place}"))
    return cases


def topics(*, by_words: bool) -> None:
    """Pairs that are found to be of one topic, of those that are; pairs of two other utterances do not count."""
    settings = config.load()
    for language in ("en", "de", "ru"):
        cases = _topic_cases(language)
        engine = open_engine("minilm" if language == "en" else "multilingual", settings)
        meanings = [] if by_words else [Meaning(engine.embed([subject.text for subject, _ in cases]))]
        of = find_topics([subject for subject, _ in cases], meanings).of
        right = found = wanted = 0
        for (place, (_, name)), (other, (_, other_name)) in itertools.combinations(enumerate(cases), 2):
            if name.startswith("other") and other_name.startswith("other"):
                continue
            same, together = name == other_name, bool(of[place]) and of[place] == of[other]
            right, found, wanted = right + (same and together), found + together, wanted + same
        precision, recall = right / max(found, 1), right / wanted
        how = "words alone" if by_words else engine.name
        print(f"topics {language} {how:24} n={len(cases)} precision {precision:.2f} recall {recall:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=Path, help="the evaluation folder")
    parser.add_argument("--fit", action="store_true", help="write the fitted weights into the package")
    parser.add_argument("--topics", action="store_true", help="measure how topics are found")
    chosen = parser.parse_args()
    if chosen.topics:
        topics(by_words=False)
        topics(by_words=True)
        return
    if chosen.eval is not None:
        fit(chosen.eval, write=chosen.fit)
    for language in ("de", "ru"):
        texts, labels = own(language)
        for name, scores in (("length", [float(len(text)) for text in texts]), ("worth", scorer(texts))):
            print(
                f"own {language} {name:7} n={len(texts)} AUC {auc(labels, scores):.3f}"
                f" AP {average_precision(labels, scores):.3f}"
            )


if __name__ == "__main__":
    main()
