"""What a message that asks gets from conversations: the turns that answer it, as `ask` would show them, and what is beside.

An answer is often farther from its question than a threshold for messages allows ("Which paint did I pick?", "Sea Salt,
two coats needed"). So a question is asked of the journal too, and the turns around the best ones are read with them.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from waypost.context.small_talk import is_small_talk
from waypost.flows.context.journal_files import POSSIBLE
from waypost.flows.context.nearest import says_nothing
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.candidates import RecallFilter
from waypost.flows.recall.search import recall
from waypost.model.recall import Hit, View
from waypost.store.protocol import Reader

_MOST_SAID = 40  # turns that may answer; the budget decides how many are shown
_WITH_BESIDE = 8  # of them with the turns beside them
_REACH = 1  # turns before and after


def asks(message: str) -> bool:
    return message.rstrip(" \"'»“”)\n").endswith("?")


def said_about(space: OpenSpace, question: str, view: View, near: Sequence[Hit], now: datetime | None) -> list[Hit]:
    """Turns that may answer, the best first, without those already `near`; each of the best with the turns beside it."""
    journal = replace(view, collections=tuple(name for name in view.collections if name == "journal"))
    if not journal.collections or not asks(question) or is_small_talk(question):
        return []
    answer = recall(space, question, journal, k=_MOST_SAID, now=now, wanted=RecallFilter(answers=question))
    listed = {hit.id for hit in near}
    possible = [hit for hit in answer.hits if hit.score >= POSSIBLE]
    best = [*(hit for hit in near if hit.session is not None), *(hit for hit in possible if hit.id not in listed)]
    with space.store.read() as reader:
        beside = _beside(space, reader, [hit for hit in best if hit.session is not None][:_WITH_BESIDE], journal)
    hits: dict[str, Hit] = {}
    for hit in best:
        hits |= {other.id: other for other in (hit, *beside.get(hit.id, ())) if other.id not in hits}
    return [hit for hit in hits.values() if hit.id not in listed]


def _beside(space: OpenSpace, reader: Reader, best: Sequence[Hit], view: View) -> dict[str, list[Hit]]:
    """The turns beside each hit in its conversation, by the hit's id."""
    turns = reader.memories.neighbours([hit.id for hit in best], _REACH, view) if best else []
    memories = looked_at(space, reader, list(reader.memories.by_number([turn.number for turn in turns]).values()))
    places = {(turn.session, turn.position): turn for turn in turns}
    position = {turn.memory_id: (turn.session, turn.position) for turn in turns}
    beside: dict[str, list[Hit]] = {}
    for hit in best:
        session, at = position.get(hit.id, (None, 0))
        for step in range(-_REACH, _REACH + 1):
            turn = places.get((session, at + step))
            memory = memories.get(turn.number) if turn is not None and turn.memory_id != hit.id else None
            if memory is not None and not says_nothing(memory.version):
                beside.setdefault(hit.id, []).append(hit_of(memory, hit.score, {"beside": hit.score}))
    return beside
