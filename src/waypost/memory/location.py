"""Which memory a folder uses: the one of its own id, or of another spelling of the same remote."""

from dataclasses import replace
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import NotFound, UnknownCheckout, WaypostError
from waypost.memory.storage import open_stored, stored_space, stored_spaces
from waypost.model.memory import StoredSpace
from waypost.model.time import Clock
from waypost.space.alias import aliases, identify_here, set_alias
from waypost.space.identity import Identity, identify_person
from waypost.space.place import marker_file, space_directory
from waypost.space.remote import repository_key


def identify_memory(directory: Path, person: str | None, settings: Settings, clock: Clock) -> Identity:
    """The memory of a person, or of the project that a directory belongs to. Opens no database."""
    return identify_person(person) if person is not None else locate(directory, settings, clock)


def locate(directory: Path, settings: Settings, clock: Clock) -> Identity:
    """The project of a directory, with the id of its memory.

    All spellings of a remote (`git@`, `https`) name one repository. If nothing is stored under the id of this spelling,
    the memory of another spelling is used. Opening it still checks that the folder belongs to it.
    """
    identity = identify_here(directory, settings)
    if identity.origin is None or is_stored(identity.space_id, settings):
        return identity
    others = _same_remote(identity, settings)
    for space_id, other in others:
        if _opens_for(replace(identity, space_id=other.space_id), other, settings, clock):
            set_alias(settings.home, identity.space_id, space_id)
            return replace(identity, space_id=other.space_id)
    return replace(identity, space_id=others[0][1].space_id) if others else identity


def locate_again(identity: Identity, refused: UnknownCheckout, settings: Settings, clock: Clock) -> Identity:
    """The same for a checkout that the memory of its id has `refused`.

    A stranger may have used this spelling first, so other spellings are tried. Raises `refused` if none opens.
    """
    for space_id, other in _same_remote(identity, settings):
        if _opens_for(replace(identity, space_id=other.space_id), other, settings, clock):
            set_alias(settings.home, identity.checkout_id, space_id)
            return replace(identity, space_id=other.space_id)
    raise refused


def is_stored(space_id: str, settings: Settings) -> bool:
    """Whether a memory of this id exists on this machine or in the database."""
    if (space_directory(settings.memory_root, space_id) / marker_file(settings)).is_file():
        return True
    if not settings.store:
        return False
    try:
        stored_space(settings, space_id)
    except NotFound:
        return False
    return True


def _same_remote(identity: Identity, settings: Settings) -> list[tuple[str, StoredSpace]]:
    """The ids of other spellings of the remote, each with the memory it leads to, oldest first."""
    key = repository_key(identity.origin or "")
    if key is None:
        return []
    projects = {stored.space_id: stored for stored in stored_spaces(settings) if stored.kind == "project"}
    targets = aliases(settings.home)
    others = list[tuple[str, StoredSpace]]()
    for space_id, project in projects.items():
        target = projects.get(targets.get(space_id, space_id))
        has_same_remote = project.origin and repository_key(project.origin) == key
        if has_same_remote and target is not None and target.space_id != identity.space_id:
            others.append((space_id, target))
    return sorted(others, key=lambda other: other[1].created)


def _opens_for(identity: Identity, stored: StoredSpace, settings: Settings, clock: Clock) -> bool:
    try:
        with open_stored(settings, stored, clock) as store, store.read() as reader:
            return flows.checkouts.admission.why_refused(reader, identity, settings.shared_machine) is None
    except WaypostError:  # locked or damaged: opening it reports the reason
        return False
