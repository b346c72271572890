"""What fits into a budget: hits and the turns around them, by their value.

People talk about something over several turns, and a question finds one of them. So turns beside a hit are worth nearly
as much as the hit. An assistant's long answers are not: with them, less of LongMemEval's evidence fits. Long texts must be
worth it. Measured by `benchmarks/evidence.py`; the constants lie on a plateau.
"""

from collections.abc import Collection, Iterable, Mapping
from math import log

from waypost.retrieve.question import ASSISTANTS
from waypost.retrieve.score import total_of
from waypost.store.protocol import VersionSketch

REACH = 2  # turns before and behind a hit; with 3 the evidence of fewer questions is whole
BESIDE = 0.8  # by which a neighbour is worth less than its hit, in the units of `fuse`
PER_LENGTH = 0.25  # for the logarithm of the number of tokens: ten times as long costs more than half a keyword match
REPLY = 0.4  # by which a short answer that follows a hit is worth less: it belongs to the same exchange
SHORT_REPLY = 40  # tokens; longer answers displace what people said
_SHORT = 4  # tokens that every line has


def worth_around(
    scores: Mapping[str, float], turns: Iterable[VersionSketch], replies: Collection[str] = ()
) -> dict[str, float]:
    """Totals by memory id: those of the hits, whose scores are given, and of the turns around them.

    `turns` are the hits and their neighbours, from `Reader.neighbours`. `replies` are ids of an assistant's short turns:
    one that follows a hit counts as a neighbour.
    """
    totals = {memory_id: total_of(score) for memory_id, score in scores.items()}
    places = {(turn.session, turn.position): turn for turn in turns}
    hits = [(place, totals[turn.memory_id]) for place, turn in places.items() if turn.memory_id in totals]
    for (session, position), total in hits:
        for beside in range(position - REACH, position + REACH + 1):
            turn = places.get((session, beside))
            if turn is None:
                continue
            is_answer = (turn.speaker or "").lower() in ASSISTANTS
            if not is_answer or (beside == position + 1 and turn.memory_id in replies):
                worth = total - (REPLY if is_answer else BESIDE)
                totals[turn.memory_id] = max(totals.get(turn.memory_id, -1e9), worth)
    return totals


def value(total: float, tokens: int) -> float:
    """By which a memory of so many tokens competes for a budget."""
    return total - PER_LENGTH * log(tokens + _SHORT)
