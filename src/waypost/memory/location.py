"""Where the memory of a folder is: under its own id, or under that of another spelling of the same remote."""

from dataclasses import replace
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import NotFound, WaypostError
from waypost.memory.stores import StoredSpace, opened, stored_space, stored_spaces
from waypost.model.time import Clock
from waypost.space.alias import identify_here, set_alias
from waypost.space.identity import Identity
from waypost.space.place import known_by, space_directory
from waypost.space.remote import repository_key


def locate(directory: Path, settings: Settings, clock: Clock) -> Identity:
    """The project of a directory, with the id under which its memory is kept.

    Where nothing is kept under the id of its remote, but under that of another spelling (`git@`, `https`), and the folder
    is known there or shares history with it, that memory is used from now on.
    """
    identity = identify_here(directory, settings)
    if identity.origin is None or is_stored(identity.space_id, settings):
        return identity
    for other in _same_remote(identity, settings):
        if _opens_for(replace(identity, space_id=other.space_id), other, settings, clock):
            set_alias(settings.home, identity.space_id, other.space_id)
            return replace(identity, space_id=other.space_id)
    return identity


def is_stored(space_id: str, settings: Settings) -> bool:
    """Whether there is a memory of this id, here or in the database."""
    if (space_directory(settings.memory_root, space_id) / known_by(settings)).is_file():
        return True
    if not settings.store:
        return False
    try:
        stored_space(settings, space_id)
    except NotFound:
        return False
    return True


def _same_remote(identity: Identity, settings: Settings) -> list[StoredSpace]:
    key = repository_key(identity.origin or "")
    if key is None:
        return []
    others = (one for one in stored_spaces(settings) if one.kind == "project" and one.origin)
    found = [one for one in others if one.space_id != identity.space_id and repository_key(one.origin or "") == key]
    return sorted(found, key=lambda one: one.created)


def _opens_for(identity: Identity, stored: StoredSpace, settings: Settings, clock: Clock) -> bool:
    try:
        with opened(settings, stored, clock) as store, store.read() as reader:
            if not reader.checkouts():
                return False
            return flows.admission.why_refused(reader, identity, settings.shared_machine) is None
    except WaypostError:  # locked or damaged: its own command says so
        return False
