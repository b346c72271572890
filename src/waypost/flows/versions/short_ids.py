"""Short ids: the beginning of an id that no other memory has, as git does with commits."""

from collections.abc import Iterable

from waypost.errors import InvalidInput, NotFound
from waypost.model.ids import id_beginning, short_id
from waypost.store.protocol import Reader

_MOST_NAMED = 5


def full_id(reader: Reader, text: str) -> str:
    """The id that begins so. What is no beginning of an id is returned as it is."""
    beginning = id_beginning(text)
    if not beginning:
        return text
    ids = reader.memories.ids_from(beginning, _MOST_NAMED)
    if not ids:
        raise NotFound(f"There is no memory {beginning} here.", "`waypost list` shows what is there.")
    if len(ids) > 1:
        raise InvalidInput(f"Several ids begin with {beginning}: {', '.join(ids)}.", "Give more of it.")
    return ids[0]


def short_ids(reader: Reader, ids: Iterable[str]) -> dict[str, str]:
    """The short forms of these ids. Ids of no memory here have none."""
    beside = reader.memories.ids_beside(ids)
    return {memory_id: short_id(memory_id, *others) for memory_id, others in beside.items()}
