"""Whether a memory has arrived whole: rows and checksums of every table, keywords, and the answers to some questions."""

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

_ASKED = 12  # memories whose own words are asked for
_TERMS = 8
_FIRST = 10  # answers that are compared
_DEEPER = 30
_WEIGHTS = (4.0, 2.0, 2.0, 1.0)  # of a symbol's name, path, doc and body
_LEAST_SAME = 0.7  # less is no rounding: where many are searched, each database leaves out other ones of equal worth
_ALIKE = 1e-3  # scores that differ by less are the same


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """How alike the answers of both databases are."""

    asked: int
    same: float  # the part of the first ten that is the same; 1 where nothing could be asked


def check_tables(wanted: Sums, target: Store, tick: Tick) -> None:
    """Raise StoreError where the target does not hold exactly what it should."""
    wrong = wrong_tables(wanted, target, tick)
    if wrong:
        raise StoreError(
            f"The copy is not the same as what was copied ({'; '.join(wrong)}).",
            "The memory is used where it was, as before. Repeat the command: what differs is copied again.",
        )


def wrong_tables(wanted: Sums, target: Store, tick: Tick) -> list[str]:
    with target.read() as reader:
        found = checksums(reader.tables(), None, tick)
    return [
        f"{name}: {rows:,} rows, not {wanted[name][0]:,}" if rows != wanted[name][0] else f"{name}: other contents"
        for name, (rows, total) in found.items()
        if (rows, total) != wanted[name]
    ]


def check_indexes(source: Reader, target: Store, *, strays: int) -> None:
    """Raise StoreError where the target's own indexes are not sound, or do not hold what the source's hold."""
    wrong = list(target.problems())
    with target.read() as reader:
        there, wanted = reader.tables().keyword_counts(), source.tables().keyword_counts()
    if not strays:  # else they were made by other rules, of which one may leave a passage out
        wrong += [
            f"{name}: {there[name]:,} passages, not {count:,}" for name, count in wanted.items() if there[name] != count
        ]
    if wrong:
        raise StoreError(f"The copy cannot be searched as it should ({'; '.join(wrong)}).", "Repeat the command.")


def check_answers(source: Reader, target: Store, ids: NewIds, now: datetime) -> AnswerComparison:
    """Ask both for what some memories say themselves. Raises StoreError where the answers are not the same."""
    alike = list[float]()
    with target.read() as reader:
        for before, after in _answers(source, reader, ids, now):
            alike.append(_overlap(before, after))
    found = AnswerComparison(len(alike), sum(alike) / len(alike) if alike else 1.0)
    if found.same < _LEAST_SAME:
        raise StoreError(
            f"The copy answers {found.asked} questions otherwise than the memory does (the first ten are the same for"
            f" {found.same:.0%}).",
            "Repeat the command; if it stays so, report it: this is a bug.",
        )
    return found


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
    """Which part of the first ten is the same; of those with the score of the tenth, any may be among them."""
    first = before[:_FIRST]
    if not first and not after:
        return 1.0
    least = first[-1].score - _ALIKE * max(abs(first[-1].score), _ALIKE) if first else 0.0
    known = {one.passage_id for one in before if one.score >= least}
    return len(known.intersection(one.passage_id for one in after)) / max(len(first), len(after))
