"""The sentences that stand for longer entries: central among all that was said in the period, and none said twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.journal.summary.items import SummaryItem
from waypost.journal.summary.text_rank import SAME, SAME_VECTORS, choose, content_stems, likeness, textrank
from waypost.journal.wording import SummaryWords, clip, language_at_start, sentences, summary_words

if TYPE_CHECKING:
    from waypost.journal.summary.text_rank import Matrix

WHOLE = 220  # characters of an entry that are not worth cutting
LONGEST_SENTENCE = 260
MOST_SENTENCES = 2000  # that are ranked against each other
_SENTENCES_OF_ONE = 12  # that an entry puts into the ranking
_RICH = 7  # from this score on three sentences of a long entry are kept
_LEAST_WORDS = 4
_LEAST_NEW = 2  # stems that an answer must add
_SHORT = 80  # characters; a thanks that is longer also says for what
_LATER_COST = 0.04  # for each sentence further back in its entry


@dataclass(frozen=True, slots=True)
class Gists:
    """By place of an item: what is left of its words, and how much it speaks for the whole period."""

    texts: Mapping[int, str]
    worths: Mapping[int, float]


def gists_of(
    items: Sequence[SummaryItem], places: Sequence[int], answers: Mapping[int, int], words: SummaryWords
) -> Gists:
    """What to say for each of these items in a line or two, and what that is worth beside the others.

    Of what has an answer the question is kept; an answer that only repeats what it answers says nothing.
    """
    own = {place: _telling_sentences(items[place], words, asks=place in answers) for place in places}
    for place, answer in answers.items():
        if answer in own and items[answer].role == "assistant" and _echoes(items[place].text, own[answer]):
            own[answer] = []
    strongest = sorted(places, key=lambda place: (-items[place].score, place))
    pool = [(place, at, text) for place in strongest for at, text in enumerate(own[place])][:MOST_SENTENCES]
    pool.sort()
    wishes = [items[place].score / 10 - _LATER_COST * at for place, at, _ in pool]
    ranks = textrank(likeness([text for _, _, text in pool]), wishes)
    ranked: dict[int, list[tuple[float, int]]] = {place: [] for place in places}
    for rank, (place, at, _) in zip(ranks, pool, strict=True):
        ranked[place].append((round(rank - _LATER_COST * at, 5), -at))
    texts, worths = {}, {}
    for place in places:
        best = sorted(ranked[place], reverse=True)[: _how_many(items[place], own[place])]
        texts[place] = _joined([clip(own[place][at], LONGEST_SENTENCE) for at in sorted(-at for _, at in best)])
        worths[place] = round(items[place].score / 10 + 0.5 * (best[0][0] if best else 0.0), 5)
    return Gists(texts, worths)


def _joined(found: Sequence[str]) -> str:
    """Sentences after each other; points of a list, which end in no sign, with one between."""
    parts = [one if one[-1:] in ".!?…:;" else f"{one};" for one in found]
    return " ".join(parts).removesuffix(";")


def _how_many(item: SummaryItem, own: Sequence[str]) -> int:
    if sum(map(len, own)) <= WHOLE:
        return len(own)
    return 3 if item.score >= _RICH else 1


def _telling_sentences(item: SummaryItem, words: SummaryWords, *, asks: bool) -> list[str]:
    """Without greetings and thanks, and without questions unless it `asks`; all of a person's where nothing else was said."""
    spoken = summary_words(language_at_start(item.text) or words.language)
    found = sentences(item.text, spoken)[: 4 * _SENTENCES_OF_ONE]
    telling = [one for one in found if (asks if one.endswith("?") else _tells(one, spoken))]
    return (telling or ([] if item.role == "assistant" else found))[:_SENTENCES_OF_ONE]


def _echoes(said: str, answer: Sequence[str]) -> bool:
    """Whether an answer adds next to nothing: "Noted, you drink no coffee"."""
    new = set(content_stems(" ".join(answer))) - set(content_stems(said))
    return len(new) < _LEAST_NEW


def _tells(sentence: str, words: SummaryWords) -> bool:
    empty = words.openers.match(sentence) or words.greetings.match(sentence)
    if empty and len(sentence) < _SHORT:
        return False
    return len(sentence.split()) >= _LEAST_WORDS or any(map(str.isdecimal, sentence))


def unlike(
    items: Sequence[SummaryItem],
    places: Sequence[int],
    gists: Gists,
    said: Sequence[int],
    vectors: Mapping[str, Matrix],
    most: int,
) -> list[int]:
    """At most `most` of `places`, best first, that repeat neither each other nor what is `said` already."""
    order = [*said, *(place for place in places if place not in said)]
    known = [vectors.get(items[place].ids[0]) for place in order]
    by_meaning = bool(known) and all(vector is not None for vector in known)
    alike = likeness([gists.texts[place] for place in order], known if by_meaning else ())
    worths = [2.0 if number < len(said) else gists.worths[place] for number, place in enumerate(order)]
    chosen = choose(worths, alike, most + len(said), same=SAME_VECTORS if by_meaning else SAME)
    return [order[number] for number in chosen if number >= len(said)][:most]
