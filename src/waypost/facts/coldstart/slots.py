"""What was found for the places of a template: a value, where it stands, and how sure it is."""

from collections.abc import Iterable
from dataclasses import dataclass

SAID = 0.95  # a manifest says so
SEEN = 0.85  # it follows from files that are there


@dataclass(frozen=True, slots=True)
class Slot:
    value: str
    refs: tuple[str, ...]  # files whose words say so: when these change, it has to be looked at again
    sure: float = SAID
    seen: tuple[str, ...] = ()  # files and folders that tell it by being there, whatever they say


Slots = dict[str, Slot]


def there(value: str, seen: Iterable[str], sure: float = SAID) -> Slot:
    """What is told by files that are there."""
    return Slot(value, (), sure, tuple(seen))


def listed(items: Iterable[str], most: int = 8) -> str:
    """`a, b and c`; of more than `most` the first ones and how many others there are."""
    found = list(dict.fromkeys(items))
    if len(found) > most:
        return f"{', '.join(found[:most])} and {len(found) - most} more"
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def code(text: str) -> str:
    """As code on one line; a tick inside would end it."""
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"
