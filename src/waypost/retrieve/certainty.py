"""How likely a hit answers its question: one probability for code, facts and the journal.

Ranking compares candidates with each other, so the best one stands out however far it is from the question. Certainty looks
at each hit by itself, by features from 0 to 1 or nearly so:

    meaning    cosine of question and text, 0 at the engine's threshold and 1 for the same text
    lead       how far its meaning is ahead of the best other memory, or behind it: what stands out answers, however far it is
    words      share of the question's words that the text has; rare ones count more, "often" or "use" only if it has them
    rank       score of what people and agents wrote, among the others
    total      the same for code: the sum of the parts of its score
    named      it is defined under the name that the question uses
    misses     the question uses a name that no code has, and neither has this text
    before     the turn before it asks nearly the same
    topic      of a first fact: the share of the question's words that ask for it, or for the project as a whole
    abroad     the text is in another language than the question: then fewer words can be the same, and cosines are lower
    role       tests, documents, examples and old versions, where the question does not ask for them

A logistic model adds them up. With `abroad`, meaning and words count by themselves and once more. `benchmarks/signal/fit.py` fits its coefficients, in `data/certainty.toml`.

What a person stated on purpose is also compared with prompts, which ask for work and seldom have its words. There it counts
how each statement stands among the others (`stated_evidence`):

    meaning    cosine of prompt and statement
    standing   deviations of that cosine from the mean of all statements; as if a few more were there that have nothing to do with it
    lead       how far the cosine is ahead of the best other statement, or behind it
    ahead      how far the share of the prompt's words that it has is ahead of the best other statement; rare words count more
    matters    share of the matters of software in the prompt that it is about too (`data/development.toml`)
    names      both use the same name: of a symbol, a file, a version
    cues       how many sorts of words it has by which people state a rule, a decision or a reason
    abroad     it is in another language than the prompt
    english    both are English, and the engine for that compared them
"""

import math
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from waypost.retrieve.calibration import ServingEngines, is_english
from waypost.retrieve.code_words import code_words
from waypost.retrieve.everyday import DEVELOPMENT, related
from waypost.retrieve.lexicon import words_of
from waypost.retrieve.relevance import words_shared
from waypost.store.protocol import TermCounts
from waypost.text.identifiers import identifier_parts
from waypost.text.keywords import keyword_terms, query_terms, stop_words
from waypost.text.stems import fold, stem

STANDING = 5.0  # deviations that count as 1
TOTAL = 3.0  # of a code score's parts that counts as 1
LEAST_MEANING = -0.3  # an engine that sees nothing in common does not outweigh words
MOST_WORDS = 60  # of a question that are compared
_DATA = Path(__file__).with_name("data")
_WORD = re.compile(r"\w+(?:-\w+)*")
_PROJECT = "project"  # no topic of its own
_PURPOSE = "purpose"
_SHORT = 4  # letters
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "ning")  # of short English words

Evidence = Mapping[str, float]

STATED = "stated"  # the model for what a person stated, beside a prompt
_UNRELATED = (5, 0.1, 0.08)  # statements that seem to be there besides, and mean and deviation of their cosines
_MOST_CUES = 3  # that count


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The telling words of a question, each as the terms by which a text may have it."""

    words: tuple[frozenset[str], ...]
    asking: frozenset[int] = frozenset()  # which of them belong to the form of a question: "often", "heißt"
    kinds: frozenset[int] = frozenset()  # which of them only say what kind of code is meant: "function", "Klasse"

    @property
    def terms(self) -> list[str]:
        return sorted(frozenset().union(*self.words))


def question_words(text: str, language: str) -> AskedWords:
    """Words of German and Russian count as had if their English counterpart is there: code is named in English."""
    stops = stop_words("en") | (stop_words(language) if language in ("de", "ru") else frozenset())
    words: dict[str, frozenset[str]] = {}
    before = ""
    for written in _WORD.findall(text):
        folded = fold(written)
        if folded in stops or len(words) >= MOST_WORDS:
            continue
        parts = identifier_parts(written)
        if len(parts) > 1:  # a text may have the parts of a name, and not the name
            words |= {part: _alternatives(part) for part in map(fold, parts)}
        terms = {fold(written)} if len(parts) > 1 else set(_alternatives(written))
        if language in ("de", "ru"):
            listed = code_words()
            groups = listed.in_english(folded, language) + listed.phrase(before, folded, language)
            terms |= {stem(word, "en") for group in groups for word in group}
            before = folded
        terms |= related(folded)
        if terms:
            words.setdefault(folded, frozenset(terms))
    kinds = frozenset(at for at, word in enumerate(words) if word in code_words().kinds)
    asking = frozenset(at for at, word in enumerate(words) if word in words_of(language).asking)
    return AskedWords(tuple(words.values()), asking, kinds if len(kinds) < len(words) else frozenset())


def _alternatives(word: str) -> frozenset[str]:
    return frozenset(term for own in ("en", "de") for group in _terms(word, own) for term in group)


def _terms(text: str, language: str) -> tuple[list[str], list[str]]:
    terms = keyword_terms(text, language)
    return terms.words, terms.stems


@dataclass(frozen=True, slots=True)
class Rarity:
    """What each word of a question is worth: the rarer in the space, the more."""

    words: AskedWords
    weights: tuple[float, ...]
    weights_in_code: tuple[float, ...]  # code does not say what kind it is: such words are worth nothing there

    @classmethod
    def of(cls, words: AskedWords, counts: TermCounts) -> "Rarity":
        weights = tuple(_rarity(terms, counts) for terms in words.words)
        return cls(words, weights, tuple(0.0 if at in words.kinds else each for at, each in enumerate(weights)))

    def share(self, text: str, language: str, *, is_code: bool = False) -> float:
        """The share of the question's words that a text has."""
        weights = self.weights_in_code if is_code else self.weights
        there = terms_of(text, german=language == "de")
        asking = frozenset[int]() if is_code else self.words.asking
        shared = missing = 0.0
        for at, (weight, terms) in enumerate(zip(weights, self.words.words, strict=True)):
            if not terms.isdisjoint(there):
                shared += weight
            elif at not in asking:
                missing += weight
        return shared / (shared + missing) if shared else 0.0


@lru_cache(maxsize=2_000)  # 8 MB; the same memories answer many questions
def terms_of(text: str, *, german: bool) -> frozenset[str]:
    """The words of a text and their stems."""
    return frozenset[str]().union(*_terms(text, "en"), *(_terms(text, "de") if german else ()))


def _rarity(terms: Collection[str], counts: TermCounts) -> float:
    most = max((counts.counts.get(term, 0) for term in terms), default=0)
    return math.log(1 + (counts.passages + 50) / (most + 0.5))


def certainty(evidence: Evidence, of: str) -> float:
    """The probability that a hit with this evidence answers. `of` is `prose`, `code` or `stated`."""
    model = _data()[of if "meaning" in evidence or of == STATED else f"{of}_without_meaning"]
    total = model["constant"] + sum([model.get(name, 0.0) * value for name, value in evidence.items()])
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@dataclass(frozen=True, slots=True)
class StatedText:
    """What a person stated, with what a prompt is compared by."""

    text: str
    language: str
    cosines: Mapping[str, float]  # by engine
    names: frozenset[str]
    cues: int


Matters = tuple[frozenset[str], ...]


def matters_in(text: str) -> Matters:
    """The matters of software that a text is about, each as the words for it."""
    words = (fold(part) for written in _WORD.findall(text)[:MOST_WORDS] for part in identifier_parts(written))
    return tuple(dict.fromkeys(matter for word in words if (matter := related(word, DEVELOPMENT))))


def share_of_matters(matters: Matters, terms: frozenset[str]) -> float:
    return sum(not terms.isdisjoint(matter) for matter in matters) / max(1, len(matters))


def stated_evidence(
    prompt: str, language: str, names: frozenset[str], texts: Sequence[StatedText], engines: ServingEngines
) -> list[Evidence]:
    """The evidence that each of the texts matters to a prompt, in which these names are."""
    terms_of_texts = [terms_of(each.text, german=each.language == "de") for each in texts]
    shares = words_shared(query_terms(prompt), {place: (each.text, each.language) for place, each in enumerate(texts)})
    matters = matters_in(prompt)
    evidences = list[Evidence]()
    for place, (each, own) in enumerate(zip(texts, terms_of_texts, strict=True)):
        evidence = {
            "matters": share_of_matters(matters, own),
            "ahead": shares[place] - max((share for other, share in shares.items() if other != place), default=0.0),
            "names": float(not names.isdisjoint(each.names)),
            "cues": min(1.0, each.cues / _MOST_CUES),
            "abroad": float(spoken(language) != spoken(each.language)),
            "english": float(is_english(language) and is_english(each.language)),
        }
        engine = next((name for name in engines.by_preference(language, each.language) if name in each.cosines), None)
        if engine is not None:
            cosines = [other.cosines[engine] for other in texts if engine in other.cosines]
            evidence |= _standing(each.cosines[engine], cosines)
        evidences.append(evidence)
    return evidences


def _standing(cosine: float, cosines: Sequence[float]) -> dict[str, float]:
    """How a cosine stands among all of them."""
    count, usual, deviation = _UNRELATED
    mean = (sum(cosines) + count * usual) / (len(cosines) + count)
    squares = sum((each - mean) ** 2 for each in cosines) + count * deviation**2
    ordered = sorted((*cosines, usual), reverse=True)
    best_other = ordered[1] if cosine == ordered[0] else ordered[0]
    standing = (cosine - mean) / math.sqrt(squares / (len(cosines) + count)) / STANDING
    return {"meaning": cosine, "standing": standing, "lead": cosine - best_other}


def spoken(language: str) -> str:
    return "en" if is_english(language) else language


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads((_DATA / "certainty.toml").read_text("utf-8"))


def topic_shares(question: str, language: str) -> dict[str, float]:
    """The topics of first facts that a question asks for, with the share of its words that do.

    Words for the project as a whole count for every topic that has a word of its own there.
    """
    stops = stop_words("en") | (stop_words(language) if language in ("de", "ru") else frozenset())
    written = [*map(fold, _WORD.findall(question))][:MOST_WORDS]
    words = [word for word in written if word not in stops]
    if " ".join(written) in _topics().of_project:
        return {_PURPOSE: 1.0}
    project = _topics().words[_PROJECT]
    whole = sum(map(project.has, words))
    shares: dict[str, float] = {}
    for topic, asking in _topics().words.items():
        own = [word for word in words if asking.has(word)]
        if own and topic != _PROJECT:
            shares[topic] = (len(own) + whole - sum(map(project.has, own))) / len(words)
    return shares


@dataclass(frozen=True, slots=True)
class TopicWords:
    """How words begin that ask for a topic. Short ones begin too many others: "cli" is no "client", "main" no "maintainer"."""

    openings: tuple[str, ...]
    short: frozenset[str]  # with their endings

    @classmethod
    def of(cls, words: str) -> "TopicWords":
        openings = [*map(fold, words.split())]
        short = [word for word in openings if len(word) <= _SHORT and word.isascii()]
        forms = (f"{word}{ending}" for word in short for ending in _ENDINGS)
        return cls(tuple(word for word in openings if word not in short), frozenset(forms))

    def has(self, word: str) -> bool:
        return word in self.short or word.startswith(self.openings)


@dataclass(frozen=True, slots=True)
class Topics:
    """Which words ask for which first fact, and which questions ask what the project is without naming it."""

    words: Mapping[str, TopicWords]
    of_project: frozenset[str]


@cache
def _topics() -> Topics:
    data = tomllib.loads((_DATA / "first_facts.toml").read_text("utf-8"))
    questions = frozenset(" ".join(map(fold, _WORD.findall(question))) for question in data.pop("questions"))
    return Topics({topic: TopicWords.of(words) for topic, words in data.items()}, questions)


# The embedding models whose cosines the coefficients were fitted to. Without a model, others apply.
FITTED_FOR = frozenset({"minilm-l6-v2", "use-multilingual-v3"})


def is_fitted_for(engines: Iterable[str]) -> bool:
    """Whether certainty means what it says with these embedding models."""
    return all(name in FITTED_FOR for name in engines)
