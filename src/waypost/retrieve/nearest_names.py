"""Names of code that resemble one that does not exist: a typo, another ending, the same words in another order."""

from collections.abc import Iterable
from difflib import SequenceMatcher

from waypost.text.identifiers import identifier_parts
from waypost.text.stems import fold, stem

MOST = 3
ALIKE = 0.75  # of letters in the same order; below it names are hardly related
SAME_WORDS = 0.5  # of the words that two names have together


def nearest_names(wanted: str, names: Iterable[str]) -> list[str]:
    """At most three of these qualified names, the most similar first. Only the part after the last dot is compared."""
    low, words = wanted.lower(), _words(wanted)
    alike: dict[str, tuple[float, str]] = {}
    for name in names:
        last = name.rpartition(".")[2]
        if last not in alike:
            alike[last] = (max(_letters(low, last.lower()), _shared(words, _words(last))), name)
    ranked = sorted(
        (pair for pair in alike.values() if pair[0] > 0), key=lambda pair: (-pair[0], len(pair[1]), pair[1])
    )
    return [name for _, name in ranked[:MOST]]


def _letters(wanted: str, name: str) -> float:
    if min(len(wanted), len(name)) < ALIKE * max(len(wanted), len(name)):
        return 0.0
    matcher = SequenceMatcher(None, wanted, name, autojunk=False)
    if matcher.quick_ratio() < ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= ALIKE else 0.0


def _words(name: str) -> frozenset[str]:
    return frozenset(stem(fold(part), "en") for part in identifier_parts(name))


def _shared(words: frozenset[str], others: frozenset[str]) -> float:
    share = len(words & others) / len(words | others) if words and others else 0.0
    return share if share >= SAME_WORDS and len(words & others) > 1 else 0.0
