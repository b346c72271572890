"""What is held of a memory, and the record of what was done to it."""

from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.prepare import Embedded
from waypost.model.audit import AuditEntry
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller, Version
from waypost.model.time import Moment
from waypost.store.protocol import Reader, Writer


def visible_version(reader: Reader, memory_id: str, moment: Moment) -> Version:
    """The version that a command about an id means: the one visible now, else the latest that is still held."""
    version = reader.version(memory_id, moment)
    if version is None:
        held = held_versions(reader, memory_id) if moment.known_at is None and not moment.explicit else []
        version = held[-1] if held else None
    if version is None:
        past = reader.versions(memory_id)
        if past and (moment.explicit or moment.known_at is not None):
            raise NotFound(f"The memory {memory_id} did not hold then.", f"See `waypost history {memory_id}`.")
        if past:
            raise NotFound(f"The memory {memory_id} was retracted or replaced.", f"See `waypost history {memory_id}`.")
        raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
    return version


def refuse_derived(version: Version) -> None:
    """What was read out of the tree can only be changed there."""
    if KINDS[version.kind].derived:
        place = version.refs[0].file_path if version.refs else "the tree"
        raise InvalidInput(
            f"The memory {version.memory_id} was read out of {place}.",
            "Change the file; or keep it out with .waypostignore and run `waypost init`.",
        )


def held_versions(reader: Reader, memory_id: str) -> list[Version]:
    """All that is held of a memory now: more than one version where it is true at times and at others not."""
    return [version for version in reader.versions(memory_id) if version.superseded_at is None]


def nothing_new(space: OpenSpace, reader: Reader) -> Embedded:
    """The words are stored already, so their vectors are too, or are owed."""
    return Embedded(tuple(engine.name for engine in space.engines.active(reader)))


def audit(
    space: OpenSpace, writer: Writer, action: str, memory_id: str | None, caller: Caller, details: dict[str, Any]
) -> None:
    word = {"owners_word": True} if caller.owners_word else {}
    writer.add_audit(AuditEntry(space.clock(), action, memory_id, caller.source, caller.actor, details | word))
