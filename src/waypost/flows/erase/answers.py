"""The answers to an entry, which are forgotten with it: they repeat what was said, and answer nothing without it."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from waypost.flows.open_space import OpenSpace
from waypost.journal.roles import role_of
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Reader

_SPAN = timedelta(hours=12)  # an assistant's answer and its tools' output come well before that


def answers_to(space: OpenSpace, reader: Reader, versions: Sequence[Version]) -> list[str]:
    """Ids of what assistants and tools said after an entry of a person, until a person speaks again.

    Protected answers are left out: somebody wants to keep them. `versions` are those of the entry.
    """
    if not versions or not _is_of_person(versions[-1]) or versions[-1].kind != "conversation":
        return []
    said = versions[-1].valid_from
    view = View(Moment(space.clock()), ("journal",), space.identity.checkout_id, archived=True)
    after = _after(versions[-1], reader.journal.entries_between(said, said + _SPAN, view))
    answers = list[str]()
    for version in after:
        if _is_of_person(version):
            break
        answers.append(version.memory_id)
    states = reader.memories.states(answers)
    return [memory_id for memory_id in answers if not (memory_id in states and states[memory_id].protected)]


def _after(question: Version, entries: Iterable[Version]) -> list[Version]:
    """The entries of the same conversation after this one, in order. One second may have several."""
    start = (question.valid_from, question.position, question.memory_id)
    same = [version for version in entries if (version.session, version.kind) == (question.session, question.kind)]
    ordered = sorted((version.valid_from, version.position, version.memory_id, version.number) for version in same)
    by_number = {version.number: version for version in same}
    return [by_number[number] for *place, number in ordered if tuple(place) > start]


def _is_of_person(version: Version) -> bool:
    return role_of(version.speaker, version.kind) == "person"
