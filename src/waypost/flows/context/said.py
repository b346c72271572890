"""What a message that asks gets from conversations: the turns that answer it, as `ask` would show them, and what is beside.

An answer is often farther from its question than a threshold for messages allows ("Which paint did I pick?", "Sea Salt,
two coats needed"). So a question is asked of the journal too, and the turns around the best ones are read with them.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from waypost.context.budget import count_tokens
from waypost.context.small_talk import is_small_talk
from waypost.flows.context.journal_files import POSSIBLE
from waypost.flows.context.nearest import says_nothing
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.candidates import RecallFilter
from waypost.flows.recall.search import recall
from waypost.model.recall import Hit, View
from waypost.retrieve.neighbours import REACH, SHORT_REPLY, value, worth_around
from waypost.retrieve.score import shown_score

_MOST_SAID = 60  # turns that may answer; the budget decides how many are shown
_LONGEST_READ = 1000  # characters, to see whether a reply is short
_WITH_BESIDE = 60  # turns beside which others are considered; those beside worse ones never fit


def asks(message: str) -> bool:
    return message.rstrip(" \"'»“”)\n").endswith("?")


def said_about(space: OpenSpace, question: str, view: View, near: Sequence[Hit], now: datetime | None) -> list[Hit]:
    """Turns that may answer a question and those beside them, by their value for their length.

    Turns that are `near` anyway are among them. None for a text that does not ask.
    """
    journal = replace(view, collections=tuple(name for name in view.collections if name == "journal"))
    if not journal.collections or not asks(question) or is_small_talk(question):
        return []
    answer = recall(space, question, journal, k=_MOST_SAID, now=now, wanted=RecallFilter(answers=question))
    hits = {hit.id: hit for hit in near if hit.collection == "journal"}
    hits |= {hit.id: hit for hit in answer.hits if hit.score >= POSSIBLE}
    by_id, totals, _ = with_turns_beside(space, list(hits.values()), journal)
    useful = [hit for hit in by_id.values() if hit.id in hits or not says_nothing(hit)]
    return sorted(useful, key=lambda hit: -value(totals[hit.id], count_tokens(hit.text)))


def with_turns_beside(
    space: OpenSpace, hits: Sequence[Hit], view: View
) -> tuple[dict[str, Hit], dict[str, float], dict[str, int]]:
    """The hits and the turns beside them, what each is worth, and each one's place in its conversation, by id."""
    spoken = [hit.id for hit in hits if hit.session is not None][:_WITH_BESIDE]
    by_id = {hit.id: hit for hit in hits}
    with space.store.read() as reader:
        turns = reader.memories.neighbours(spoken, REACH, view) if spoken else []
        beside = [turn.number for turn in turns if turn.memory_id not in by_id]
        versions = reader.memories.by_number(beside)
        replies = {
            version.memory_id
            for version in versions.values()
            if count_tokens(version.text[:_LONGEST_READ]) <= SHORT_REPLY
        }
        totals = worth_around({hit.id: hit.score for hit in hits}, turns, replies)
        counted = [version for version in versions.values() if version.memory_id in totals]
        memories = looked_at(space, reader, counted)
    for memory in memories.values():
        total = totals[memory.version.memory_id]
        by_id[memory.version.memory_id] = hit_of(memory, shown_score(total), {"beside": total})
    return by_id, totals, {turn.memory_id: turn.position for turn in turns}
