"""Look up versions of a memory, and record what is done to it."""

from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.facts.ageing import with_expiry
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.prepare import Embedded
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import AuditEntry, Caller, MemoryRecord, State, Version
from waypost.model.time import Moment
from waypost.store.protocol import Reader, Writer


def find(space: OpenSpace, memory_id: str, moment: Moment | None = None) -> MemoryRecord:
    """The memory as it is visible at a moment (now by default), in any collection or checkout."""
    with space.store.read() as reader:
        version = visible_version(reader, check_id(memory_id), moment or Moment(space.clock()))
        states = with_expiry(reader.memories.states([version.memory_id]), space.clock())
        return MemoryRecord(version, states.get(version.memory_id, State()))


def visible_version(reader: Reader, memory_id: str, moment: Moment) -> Version:
    """The version that a command with this id means: the visible one, else the latest current one."""
    version = reader.memories.version(memory_id, moment)
    if version is None:
        current = current_versions(reader, memory_id) if moment.known_at is None and not moment.explicit else []
        version = current[-1] if current else None
    if version is None:
        past = reader.memories.versions(memory_id)
        if past and (moment.explicit or moment.known_at is not None):
            raise NotFound(f"The memory {memory_id} did not hold then.", f"See `waypost history {memory_id}`.")
        if past:
            raise NotFound(f"The memory {memory_id} was retracted or replaced.", f"See `waypost history {memory_id}`.")
        raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
    return version


def refuse_derived(version: Version) -> None:
    """Raise InvalidInput for a memory that was read from the repository: it can only be changed there."""
    if KINDS[version.kind].derived:
        place = version.refs[0].file_path if version.refs else "the tree"
        raise InvalidInput(
            f"The memory {version.memory_id} was read out of {place}.",
            "Change the file; or keep it out with .waypostignore and run `waypost init`.",
        )


def current_versions(reader: Reader, memory_id: str) -> list[Version]:
    """The current versions of a memory: several if it is valid in separate periods."""
    return [version for version in reader.memories.versions(memory_id) if version.superseded_at is None]


def current_version(reader: Reader, memory_id: str, moment: Moment) -> Version | None:
    """The version that is valid at the moment, else the latest current one, or None."""
    current = current_versions(reader, memory_id)
    return reader.memories.version(memory_id, moment) or (current[-1] if current else None)


def nothing_new(space: OpenSpace, reader: Reader) -> Embedded:
    """For a text that is stored: its vectors are stored too, or pending."""
    return Embedded(tuple(engine.name for engine in space.engines.active(reader)))


def audit(
    space: OpenSpace, writer: Writer, action: str, memory_id: str | None, caller: Caller, details: dict[str, Any]
) -> None:
    word = {"owners_word": True} if caller.owners_word else {}
    writer.audit.add(AuditEntry(space.clock(), action, memory_id, caller.source, caller.actor, details | word))
