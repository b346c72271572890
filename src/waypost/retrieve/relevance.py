"""Whether a text matches a message at all, by an engine and by words.

A question and its answer are often less similar than the engine's threshold ("Wer prüft die Übersetzungen?"). But mostly
they share telling words. So shared words count towards the threshold, rare ones more, for engines that were measured.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

from waypost.retrieve.calibration import ServingEngines
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold

USUAL = 0.7  # of an engine that nobody has measured
USUAL_STANDING = 0.6  # of texts at the threshold of a measured engine, as `certainty` counts it
LEAST_UNMEASURED = -0.2
ENOUGH_TERMS = 0.5  # of the words of a message, if only words decide
LEAST_QUOTED = 0.6  # of the telling words of a question, in a row, from which on a text has the question itself
FEWEST_QUOTED = 4  # words in a row, …
_FEWEST_TELLING = 3  # … and telling ones among them; in a whole question of more words one less is enough
SEEN_ELSEWHERE = 50  # texts without any of the words, so that rarity means something among a handful of texts
_DATA = Path(__file__).with_name("data") / "nearness.toml"
_PART = re.compile(r"[^/:]+")
_PLAIN_WORD = re.compile(r"[^\W_]+")  # without markup: `_word_` and `**word**` are the same word


def least_cosine(engine: str) -> float:
    """From which cosine on an engine sees a text near to a message."""
    return _of(engine, "least", USUAL)


def measured_nearness(engine: str, cosine: float, standing: float) -> float:
    """How near a text is, 0 at the threshold and 1 when it says the same.

    Where nobody measured the engine, `standing` decides. Among few texts that says little, so it never speaks much against.
    """
    least = _of(engine, "least", 0.0)
    return (cosine - least) / (1 - least) if least else max(LEAST_UNMEASURED, standing - USUAL_STANDING)


def worth_of_words(engine: str) -> float:
    """What the same words add to a cosine of this engine; nothing where nobody has measured it."""
    return _of(engine, "words", 0.0)


def nearness(
    cosines: Mapping[str, float], engines: ServingEngines, message: str, text: str, shared: float = 0.0
) -> float:
    """How near a text is, 0 at the threshold and 1 when it says the same; negative: not near.

    `message` and `text` are languages: they decide which engine judges. Without a cosine, because nothing is embedded
    yet, at least half of the words must be `shared`.
    """
    for engine in engines.by_preference(message, text):
        if engine is not None and engine in cosines:
            least = least_cosine(engine)
            return min(1.0, (cosines[engine] + worth_of_words(engine) * shared - least) / (1 - least))
    return shared - ENOUGH_TERMS if shared >= ENOUGH_TERMS else -1.0


def words_shared(terms: Collection[str], texts: Mapping[int, tuple[str, str]]) -> dict[int, float]:
    """The share of a message's words that each text has, weighted by rarity. Texts come with their language."""
    wanted = set(terms)
    there = {number: wanted & _terms_of(*text) for number, text in texts.items()}
    counts = Counter(term for shared_terms in there.values() for term in shared_terms)
    all_texts = len(texts) + SEEN_ELSEWHERE
    rarity = {term: math.log(all_texts / (counts[term] + 0.5)) for term in wanted}
    whole = sum(rarity.values())
    return {
        number: sum(rarity[term] for term in shared_terms) / whole if whole else 0.0
        for number, shared_terms in there.items()
    }


def shares_words(terms: Collection[str], text: str, language: str) -> bool:
    """Whether a text has at least half of the words of a message."""
    there = _terms_of(text, language)
    return bool(terms) and sum(term in there for term in terms) >= ENOUGH_TERMS * len(terms)


def plain_words(text: str) -> list[str]:
    """The words of a text in one spelling, without punctuation and markup."""
    return [fold(word) for word in _PLAIN_WORD.findall(text)]


def share_quoted(words: Sequence[str], language: str, text: str) -> float:
    """The share of a question's telling words that a text has in the same row. 0 if these are too few to be a quotation.

    `words` are the `plain_words` of the question.
    """
    stops = stop_words("en") | (stop_words(language) if language in ("de", "ru") else frozenset())
    telling = [word not in stops for word in words]
    there = f" {' '.join(plain_words(text))} "
    start = best = 0
    for end in range(1, len(words) + 1):
        while start < end and f" {' '.join(words[start:end])} " not in there:
            start += 1
        own, size = sum(telling[start:end]), end - start
        is_whole = size == len(words) > FEWEST_QUOTED
        if size >= FEWEST_QUOTED and own >= _FEWEST_TELLING - is_whole:
            best = max(best, own)
    share = best / sum(telling) if best else 0.0
    return share if share >= LEAST_QUOTED else 0.0


def _terms_of(text: str, language: str) -> set[str]:
    keywords = keyword_terms(text, language)
    return {*keywords.words, *keywords.stems}


@cache
def _of(engine: str, table: str, otherwise: float) -> float:
    values = _known()[table]
    return next((values[part] for part in _PART.findall(engine) if part in values), otherwise)


@cache
def _known() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(_DATA.read_text("utf-8"))
