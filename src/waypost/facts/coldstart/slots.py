"""Values for the slots of a template: the value, its source and its certainty."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STATED = 0.95  # a manifest states it
OBSERVED = 0.85  # it follows from existing files


@dataclass(frozen=True, slots=True)
class Slot:
    value: str
    refs: tuple[str, ...]  # files whose text states it: if they change, it must be checked
    sure: float = STATED
    seen: tuple[str, ...] = ()  # files and folders whose existence shows it


Slots = dict[str, Slot]


def seen_slot(value: str, seen: Iterable[str], sure: float = STATED) -> Slot:
    """A value shown by the existence of files."""
    return Slot(value, (), sure, tuple(seen))


def path_slot(path: str, sure: float = STATED) -> Slot:
    """An existing path as the value."""
    return seen_slot(code(path), (path,), sure)


def stated_slots(values: Mapping[str, str], path: str) -> Slots:
    """What a manifest states, without empty values."""
    return {slot: Slot(value, (path,)) for slot, value in values.items() if value}


def code(text: str) -> str:
    """The text as inline code on one line. Backticks inside become apostrophes."""
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"
