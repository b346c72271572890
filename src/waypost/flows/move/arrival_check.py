"""Check a moved memory: rows and checksums of every table, keywords, and the answers to some questions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from waypost.errors import StoreError
from waypost.flows.move.new_ids import NewIds
from waypost.flows.move.notes import Sums
from waypost.flows.move.rows import Tick, checksums
from waypost.model.kinds import COLLECTIONS
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import FoundPassage, Reader, Store

_ASKED = 12  # memories whose texts are searched for
_TERMS = 8
_FIRST = 10  # answers that are compared
_DEEPER = 30
_WEIGHTS = (4.0, 2.0, 2.0, 1.0)  # of a symbol's name, path, doc and body
_LEAST_SAME = 0.7  # each database may leave out other hits with equal scores; less is an error
_ALIKE = 1e-3  # scores that differ by less are the same


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    questions: int
    same: float  # the share of the first ten that is the same; 1 if nothing could be searched


def check_tables(wanted: Sums, target: Store, tick: Tick) -> None:
    """Raise StoreError if the target does not hold exactly what it should."""
    wrong = wrong_tables(wanted, target, tick)
    if wrong:
        raise StoreError(
            f"The copy is not the same as what was copied ({'; '.join(wrong)}).",
            "The memory is used where it was, as before. Repeat the command: what differs is copied again.",
        )


def wrong_tables(wanted: Sums, target: Store, tick: Tick) -> list[str]:
    with target.read() as reader:
        sums = checksums(reader.tables(), None, tick)
    return [
        f"{name}: {rows:,} rows, not {wanted[name][0]:,}" if rows != wanted[name][0] else f"{name}: other contents"
        for name, (rows, total) in sums.items()
        if (rows, total) != wanted[name]
    ]


def check_indexes(source: Reader, target: Store, *, strays: int) -> None:
    """Raise StoreError if the target's indexes are damaged or differ from the source's."""
    wrong = list(target.problems())
    with target.read() as reader:
        there, wanted = reader.tables().keyword_counts(), source.tables().keyword_counts()
    if not strays:  # else other rules made them, which may leave passages out
        wrong += [
            f"{name}: {there[name]:,} passages, not {count:,}" for name, count in wanted.items() if there[name] != count
        ]
    if wrong:
        raise StoreError(f"The copy cannot be searched as it should ({'; '.join(wrong)}).", "Repeat the command.")


def check_answers(source: Reader, target: Store, ids: NewIds, now: datetime) -> AnswerComparison:
    """Search both for texts of some memories. Raises StoreError if the answers differ."""
    alike = list[float]()
    with target.read() as reader:
        for before, after in _answers(source, reader, ids, now):
            alike.append(_overlap(before, after))
    comparison = AnswerComparison(len(alike), sum(alike) / len(alike) if alike else 1.0)
    if comparison.same < _LEAST_SAME:
        raise StoreError(
            f"The copy answers {comparison.questions} questions otherwise than the memory does (the first ten are the same for"
            f" {comparison.same:.0%}).",
            "Repeat the command; if it stays so, report it: this is a bug.",
        )
    return comparison


def _answers(
    source: Reader, target: Reader, ids: NewIds, now: datetime
) -> Iterator[tuple[Sequence[FoundPassage], Sequence[FoundPassage]]]:
    last, moment = source.memories.last_number(), Moment(now)
    numbers = {1 + (last - 1) * place // (_ASKED - 1) for place in range(_ASKED)} if last else set()
    engines = list(source.vectors.pending())
    for version in source.memories.by_number(numbers).values():
        checkout = version.checkout_id
        seen = View(moment, COLLECTIONS, checkout)
        there = View(moment, COLLECTIONS, None if checkout is None else ids.checkouts.get(checkout, checkout))
        passage = next(iter(passages_of(version)), None)
        if passage is None:
            continue
        columns = passage.code_terms
        terms = list(dict.fromkeys((passage.terms if columns is None else " ".join(columns)).split()))[:_TERMS]
        if columns is None:
            yield source.search.keywords(terms, _DEEPER, seen), target.search.keywords(terms, _FIRST, there)
        else:
            yield (
                source.search.code_keywords(terms, _WEIGHTS, _DEEPER, seen),
                target.search.code_keywords(terms, _WEIGHTS, _FIRST, there),
            )
        for engine in engines:
            vector = source.vectors.get(engine, [passage.content_hash]).get(passage.content_hash)
            if vector is not None:
                yield (
                    source.search.vectors(engine, vector, _DEEPER, seen).hits,
                    target.search.vectors(engine, vector, _FIRST, there).hits,
                )


def _overlap(before: Sequence[FoundPassage], after: Sequence[FoundPassage]) -> float:
    """The share of the first ten that is the same. Hits with the score of the tenth may replace each other."""
    first = before[:_FIRST]
    if not first and not after:
        return 1.0
    least = first[-1].score - _ALIKE * max(abs(first[-1].score), _ALIKE) if first else 0.0
    expected = {passage.passage_id for passage in before if passage.score >= least}
    return len(expected.intersection(passage.passage_id for passage in after)) / max(len(first), len(after))
