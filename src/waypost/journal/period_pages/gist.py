"""Sentences that represent longer entries: central to the period, and without repetition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.journal.importance.utterance import question_kind
from waypost.journal.period_pages.items import ENDS, WHOLE, SummaryItem
from waypost.journal.period_pages.text_rank import SAME, SAME_VECTORS, choose, content_stems, likeness, textrank
from waypost.journal.wording import SummaryWords, clip, language_at_start, sentences, summary_words

if TYPE_CHECKING:
    from waypost.journal.period_pages.text_rank import Matrix

_NUMBER = re.compile(r"\d+")
LONGEST_SENTENCE = 260
MOST_SENTENCES = 2000  # ranked against each other
_SENTENCES_OF_ONE = 12  # per entry in the ranking
_RICH = 7  # least score of a long entry that keeps three sentences, as do statements of people
_LEAST_WORDS = 4
_LEAST_NEW = 2  # stems that an answer must add
_SHORT = 80  # characters; longer thanks also say for what
_REAL_ANSWER = 3  # sentences; so long an answer says more than "noted"
_CENTRAL = 0.1  # how much being central to the period counts beside the weight of an item
_OF_LIFE = 0.3  # more for a sentence about family, health, work, money or a journey
_LATER_COST = 0.04  # for each sentence further back in its entry


@dataclass(frozen=True, slots=True)
class Gists:
    """By index of an item: its shortened text, and how well it represents the period."""

    texts: Mapping[int, str]
    worths: Mapping[int, float]


def gists_of(
    items: Sequence[SummaryItem], indices: Sequence[int], answers: Mapping[int, int], words: SummaryWords
) -> Gists:
    """A line or two for each of these items, and its value beside the others.

    A statement with an answer keeps its questions. An answer that only repeats the question becomes empty.
    """
    own = {index: _informative_sentences(items[index], words, asks=index in answers) for index in indices}
    for index, answer in answers.items():
        if answer in own and items[answer].role == "assistant":
            if len(own[answer]) < _REAL_ANSWER and not _asks(items[index]):  # most of these only acknowledge
                own[answer] = [sentence for sentence in own[answer] if _new_numbers(sentence, items[index].text)]
            if _echoes(items[index].text, own[answer]):
                own[answer] = []
    strongest = sorted(indices, key=lambda index: (-items[index].score, index))
    pool = [(index, number, text) for index in strongest for number, text in enumerate(own[index])][:MOST_SENTENCES]
    pool.sort()
    wishes = [items[index].score / 10 - _LATER_COST * number for index, number, _ in pool]
    ranks = textrank(likeness([text for _, _, text in pool]), wishes)
    of_life = {index: _sentences_of_life(items[index]) for index in indices}
    ranked: dict[int, list[tuple[float, int]]] = {index: [] for index in indices}
    for rank, (index, number, _) in zip(ranks, pool, strict=True):
        worth = rank - _LATER_COST * number + (_OF_LIFE if own[index][number] in of_life[index] else 0.0)
        ranked[index].append((round(worth, 5), -number))
    texts, worths = {}, {}
    for index in indices:
        best = sorted(ranked[index], reverse=True)[: _how_many(items[index], own[index])]
        texts[index] = _join([clip(own[index][at], LONGEST_SENTENCE) for at in sorted(-at for _, at in best)])
        worths[index] = round(items[index].weight / 10 + _CENTRAL * (best[0][0] if best else 0.0), 5)
    return Gists(texts, worths)


def _sentences_of_life(item: SummaryItem) -> set[str]:
    texts = [statement.sentence for statement in item.statements if statement.area is not None]
    return {sentence for text in texts for sentence in (text, f"{text}.")}


def _join(parts: Sequence[str]) -> str:
    """The sentences in a row. List items without a closing sign are separated by semicolons."""
    closed = [part if part[-1:] in ENDS else f"{part};" for part in parts]
    return " ".join(closed).removesuffix(";")


def _how_many(item: SummaryItem, own: Sequence[str]) -> int:
    if sum(map(len, own)) <= WHOLE:
        return len(own)
    return 3 if item.score >= _RICH or item.informs else 1


def _informative_sentences(item: SummaryItem, words: SummaryWords, *, asks: bool) -> list[str]:
    """Sentences without greetings, thanks and (unless it `asks`) questions. A person's only sentences stay."""
    if item.informs:
        return sentences(item.statement_text, words)[:_SENTENCES_OF_ONE]
    spoken_words = summary_words(language_at_start(item.text) or words.language)
    all_sentences = sentences(item.text, spoken_words)[: 4 * _SENTENCES_OF_ONE]
    usable = [sentence for sentence in all_sentences if asks or not sentence.endswith("?")]
    informative = [sentence for sentence in usable if sentence.endswith("?") or _is_informative(sentence, spoken_words)]
    return (informative or ([] if item.role == "assistant" else all_sentences))[:_SENTENCES_OF_ONE]


def _echoes(statement: str, answer: Sequence[str]) -> bool:
    """Whether an answer adds next to nothing: "Noted, you drink no coffee"."""
    new = set(content_stems(" ".join(answer))) - set(content_stems(statement))
    return len(new) < _LEAST_NEW


def _asks(item: SummaryItem) -> bool:
    return "?" in item.text or question_kind(item.text, language_at_start(item.text) or "en").asks


def _new_numbers(sentence: str, statement: str) -> bool:
    return not set(_NUMBER.findall(sentence)) <= set(_NUMBER.findall(statement))


def _is_informative(sentence: str, words: SummaryWords) -> bool:
    empty = words.openers.match(sentence) or words.greetings.match(sentence)
    if empty and len(sentence) < _SHORT:
        return False
    return len(sentence.split()) >= _LEAST_WORDS or any(map(str.isdecimal, sentence))


def select_distinct(
    items: Sequence[SummaryItem],
    indices: Sequence[int],
    gists: Gists,
    used: Sequence[int],
    vectors: Mapping[str, Matrix],
    most: int,
) -> list[int]:
    """At most `most` of the indices, best first, that repeat neither each other nor those already `used`."""
    order = [*used, *(index for index in indices if index not in used)]
    known_vectors = [vectors.get(items[index].ids[0]) for index in order]
    by_meaning = bool(known_vectors) and all(vector is not None for vector in known_vectors)
    alike = likeness([gists.texts[index] for index in order], known_vectors if by_meaning else ())
    worths = [2.0 if number < len(used) else gists.worths[index] for number, index in enumerate(order)]
    selected = choose(worths, alike, most + len(used), same=SAME_VECTORS if by_meaning else SAME)
    return [order[number] for number in selected if number >= len(used)][:most]
