"""Trains the model that reads two facts (`waypost/embed/renewal_model.py`). Needs torch, which Waypost itself never does.

    python -m benchmarks.renewal_model src/waypost/embed/data/renewal.npz [--rounds 8] [--seed 0]

The pairs are those of `values/` and of `values/learn/`, by authors who saw neither rules nor other sets: renewals (R), two facts about
one thing that both hold (H), paraphrases (P), other subjects in the same form (D). Each text's nearest two of other pairs are
added as pairs that are no renewals. The authors in `NOT_READ` are left out: every second round prints how well the model
orders their pairs, as the area under the curve. `current_values_fit.py` then weighs the model among other evidence.
"""

import argparse
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from benchmarks.current_values import _rows
from benchmarks.current_values_fit import NOT_READ
from torch import Tensor, nn
from torch.nn import functional

from waypost import config
from waypost.embed import weights
from waypost.embed.multilingual import DIMENSIONS, Multilingual, TextPieces
from waypost.embed.renewal_model import HEADS, MOST_PIECES, WIDEST, nearness_of_pieces, units
from waypost.facts.renewal import wording_evidence

_VALUES = Path(__file__).with_name("values")
_READ = ("seen", "unseen", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
RENEWAL, BESIDE, PARAPHRASE, DISTINCT, NEAR = "R", "H", "P", "D", "N"
_NEAREST = 2  # texts of other pairs, for each text
_SHARE_OF_NEAR = 0.4  # of these pairs, in each round: there are many
_WIDTH, _INNER, _LAYERS, _OVERLAPS = 128, 256, 2, 4
_FEATURES = DIMENSIONS + 3 * 256
_BATCH, _RATE, _DECAY, _DROPPED, _SMOOTHED = 32, 1e-3, 0.05, 0.2, 0.03
_WARM_UP = 0.1  # share of the steps


class FactPair(NamedTuple):
    author: str
    kind: str
    language: str
    older: str
    newer: str


def pairs() -> Iterator[FactPair]:
    for author in (*_READ, *NOT_READ):
        for name, kind in (("updates", RENEWAL), ("paraphrases", PARAPHRASE), ("distinct", DISTINCT)):
            yield from (FactPair(author, kind, *row[:3]) for row in _rows(name, author))
    for half in ("fit", "unseen"):
        yield from (FactPair(f"beside-{half}", BESIDE, row[0], row[2], row[3]) for row in _rows("beside", half))
    for path in sorted((_VALUES / "learn").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            yield FactPair(path.stem, *(field.strip() for field in line.split(" | ")[:4]))


class ReadTexts:
    """What the multilingual network sees of each text, read once."""

    def __init__(self) -> None:
        self._engine = Multilingual(weights.find(weights.MULTILINGUAL, config.load(os.environ).models))
        self._texts: dict[str, TextPieces] = {}

    def __getitem__(self, text: str) -> TextPieces:
        if text not in self._texts:
            self._texts[text] = self._engine.pieces(text, MOST_PIECES)
        return self._texts[text]


def with_near_pairs(some: Sequence[FactPair], texts: ReadTexts) -> list[FactPair]:
    """The pairs, and for each text the nearest ones of other pairs of the same author and language."""
    made = list(some)
    for author, language in dict.fromkeys((pair.author, pair.language) for pair in some):
        own = [pair for pair in some if (pair.author, pair.language) == (author, language)]
        sides = [(place, text) for place, pair in enumerate(own) for text in (pair.older, pair.newer)]
        vectors = np.stack([texts[text].vector for _, text in sides])
        places = np.array([place for place, _ in sides])
        for at, near in enumerate(vectors @ vectors.T):
            near[places == places[at]] = -1.0
            made += [
                FactPair(author, NEAR, language, sides[at][1], sides[other][1])
                for other in np.argsort(-near)[:_NEAREST]
            ]
    return made


class Reading(nn.Module):
    """The same network as in `renewal_model.py`, with the same names of weights."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.inln, self.p, self.f = nn.LayerNorm(_FEATURES), nn.Linear(_FEATURES, _WIDTH), nn.Linear(_OVERLAPS, _WIDTH)
        self.seg, self.pos = nn.Embedding(2, _WIDTH), nn.Embedding(MOST_PIECES, _WIDTH)
        self.ls = nn.ModuleList(
            nn.TransformerEncoderLayer(
                _WIDTH, HEADS, _INNER, _DROPPED, activation="gelu", batch_first=True, norm_first=True
            )
            for _ in range(_LAYERS)
        )
        self.ln, self.drop, self.cls = (
            nn.LayerNorm(_WIDTH),
            nn.Dropout(_DROPPED),
            nn.Parameter(torch.randn(_WIDTH) * 0.02),
        )
        self.h = nn.Sequential(nn.Linear(3 * _WIDTH + words, 96), nn.GELU(), nn.Dropout(_DROPPED), nn.Linear(96, 1))
        for embedding in (self.seg, self.pos):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, features: Tensor, overlaps: Tensor, sides: Tensor, places: Tensor, words: Tensor) -> Tensor:
        """`sides` is 0 for pieces of the older text, 1 for the newer one and 2 for padding."""
        is_text = sides < 2
        x = self.p(self.drop(self.inln(features))) + self.f(overlaps) + self.seg(sides.clamp(max=1)) + self.pos(places)
        x = torch.cat([self.cls.expand(len(x), 1, -1), x], 1)
        padding = torch.cat([torch.zeros(len(x), 1, dtype=torch.bool), ~is_text], 1)
        for layer in self.ls:
            x = layer(x, src_key_padding_mask=padding)
        x = self.ln(x)
        means = [
            (x[:, 1:] * (sides == side)[..., None]).sum(1) / (sides == side).sum(1, keepdim=True).clamp(min=1)
            for side in (0, 1)
        ]
        logits: Tensor = self.h(torch.cat([x[:, 0], *means, words], 1))[:, 0]
        return logits


class Batches:
    """Pairs as tensors. The features of the words are in deviations from their mean among the training pairs."""

    def __init__(self, some: Sequence[FactPair], texts: ReadTexts, is_read: np.ndarray) -> None:
        self._pairs, self._texts = some, texts
        forward, self.names = self._wording([(pair.older, pair.newer, pair.language) for pair in some])
        backward, _ = self._wording([(pair.newer, pair.older, pair.language) for pair in some])
        self.mean, self.deviation = forward[is_read].mean(0), forward[is_read].std(0) + 1e-3
        self._words = [((rows - self.mean) / self.deviation).clip(-WIDEST, WIDEST) for rows in (forward, backward)]

    def _wording(self, some: Sequence[tuple[str, str, str]]) -> tuple[np.ndarray, list[str]]:
        names, rows = list[str](), list[list[float]]()
        for older, newer, language in some:
            evidence = wording_evidence(older, newer, language)
            names = names or list(evidence)
            cosine = float(self._texts[older].vector @ self._texts[newer].vector)
            rows.append([*(evidence[name] for name in names), cosine])
        return np.array(rows, np.float32), names

    def batch(self, places: np.ndarray, swapped: np.ndarray) -> tuple[Tensor, ...]:
        sides = list[tuple[TextPieces, TextPieces]]()
        for at, turned in zip(places, swapped, strict=True):
            both = self._texts[self._pairs[at].older], self._texts[self._pairs[at].newer]
            sides.append((both[1], both[0]) if turned else both)
        longest = max(len(older.ids) + len(newer.ids) for older, newer in sides)
        features = torch.zeros(len(sides), longest, _FEATURES)
        overlaps = torch.zeros(len(sides), longest, _OVERLAPS)
        side = torch.full((len(sides), longest), 2)
        place = torch.zeros(len(sides), longest, dtype=torch.long)
        for row, (older, newer) in enumerate(sides):
            first, length = len(older.ids), len(older.ids) + len(newer.ids)
            features[row, :length] = torch.from_numpy(np.concatenate([older.features, newer.features]))
            overlaps[row, :length] = torch.from_numpy(nearness_of_pieces(units(older), units(newer)))
            side[row, :first], side[row, first:length] = 0, 1
            place[row, :first], place[row, first:length] = torch.arange(first), torch.arange(length - first)
        words = np.where(swapped[:, None], self._words[1][places], self._words[0][places])
        return features, overlaps, side, place, torch.from_numpy(words.astype(np.float32))


def area_under_curve(is_right: np.ndarray, scores: np.ndarray) -> float:
    ranks = scores.argsort().argsort()
    right = int(is_right.sum())
    return float((ranks[is_right].mean() - (right - 1) / 2) / (len(scores) - right))


def trained(rounds: int, seed: int) -> Mapping[str, np.ndarray]:
    torch.manual_seed(seed)
    random, texts = np.random.default_rng(seed), ReadTexts()
    some = with_near_pairs(list(pairs()), texts)
    kinds = np.array([pair.kind for pair in some])
    is_read = np.array([pair.author not in NOT_READ for pair in some])
    batches, none = Batches(some, texts, is_read), np.zeros(len(some), bool)
    read, left_out = np.flatnonzero(is_read), np.flatnonzero(~is_read)
    network = Reading(len(batches.names) + 1)
    in_round = (kinds[read] != NEAR).sum() + (kinds[read] == NEAR).sum() * _SHARE_OF_NEAR
    steps = math.ceil(rounds * in_round / _BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (steps * _WARM_UP)) * max(0.01, 1 - step / steps)
    )
    for number in range(rounds):
        order = read[(kinds[read] != NEAR) | (random.random(len(read)) < _SHARE_OF_NEAR)]
        random.shuffle(order)
        network.train()
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            is_renewal = kinds[places] == RENEWAL
            swapped = ~is_renewal & (random.random(len(places)) < 0.5)  # what both hold, holds in both orders
            wanted = torch.from_numpy(is_renewal.astype(np.float32)) * (1 - 2 * _SMOOTHED) + _SMOOTHED
            loss = functional.binary_cross_entropy_with_logits(network(*batches.batch(places, swapped)), wanted)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        if number % 2 or number == rounds - 1:
            network.eval()
            with torch.no_grad():
                parts = np.array_split(left_out, math.ceil(len(left_out) / 128))
                scores = np.concatenate([network(*batches.batch(part, none[part])).numpy() for part in parts])
            area = area_under_curve(kinds[left_out] == RENEWAL, scores)
            print(f"round {number + 1}: area under the curve of {', '.join(NOT_READ)}: {area:.3f}", flush=True)
    arrays = {name: array.numpy().astype(np.float16) for name, array in network.state_dict().items()}
    return {**arrays, "mean": batches.mean, "deviation": batches.deviation, "wording": np.array(batches.names)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("into", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    np.savez_compressed(given.into, **trained(given.rounds, given.seed))


if __name__ == "__main__":
    main()
