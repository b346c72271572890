"""Which memory a folder uses: the one of its own id, or of another spelling of the same remote."""

from dataclasses import replace
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import NotFound, UnknownCheckout, WaypostError
from waypost.memory.storage import StoredSpace, open_stored, stored_space, stored_spaces
from waypost.model.time import Clock
from waypost.space.alias import aliases, identify_here, set_alias
from waypost.space.identity import Identity, identify_person
from waypost.space.place import known_by, space_directory
from waypost.space.remote import repository_key


def identify_memory(directory: Path, person: str | None, settings: Settings, clock: Clock) -> Identity:
    """The memory of a person, or of the project that a directory belongs to. Opens no database."""
    return identify_person(person) if person is not None else locate(directory, settings, clock)


def locate(directory: Path, settings: Settings, clock: Clock) -> Identity:
    """The project of a directory, with the id under which its memory is kept.

    Where nothing is kept under the id of its remote, but under that of another spelling (`git@`, `https`), it is that memory:
    all spellings name one repository. Whether it opens for the folder is asked when it is opened, as ever.
    """
    identity = identify_here(directory, settings)
    if identity.origin is None or is_stored(identity.space_id, settings):
        return identity
    others = _same_remote(identity, settings)
    for named, other in others:
        if _opens_for(replace(identity, space_id=other.space_id), other, settings, clock):
            set_alias(settings.home, identity.space_id, named)
            return replace(identity, space_id=other.space_id)
    return replace(identity, space_id=others[0][1].space_id) if others else identity


def locate_again(identity: Identity, refused: UnknownCheckout, settings: Settings, clock: Clock) -> Identity:
    """The same for a checkout that the memory of its id has `refused`: whoever came first by this spelling may be a stranger,
    and the memory of the project be that of another one. Raises what was refused where no other memory opens."""
    for named, other in _same_remote(identity, settings):
        if _opens_for(replace(identity, space_id=other.space_id), other, settings, clock):
            set_alias(settings.home, identity.checkout_id, named)
            return replace(identity, space_id=other.space_id)
    raise refused


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


def _same_remote(identity: Identity, settings: Settings) -> list[tuple[str, StoredSpace]]:
    """The ids that other spellings of the remote have, each with the memory that it leads to, oldest first."""
    key = repository_key(identity.origin or "")
    if key is None:
        return []
    stored = {
        stored_space.space_id: stored_space
        for stored_space in stored_spaces(settings)
        if stored_space.kind == "project"
    }
    known = aliases(settings.home)
    named = [one for one in stored.values() if one.origin and repository_key(one.origin) == key]
    ends = [(one.space_id, stored.get(known.get(one.space_id, one.space_id))) for one in named]
    found = [(name, end) for name, end in ends if end is not None and end.space_id != identity.space_id]
    return sorted(found, key=lambda one: one[1].created)


def _opens_for(identity: Identity, stored: StoredSpace, settings: Settings, clock: Clock) -> bool:
    try:
        with open_stored(settings, stored, clock) as store, store.read() as reader:
            return flows.checkouts.admission.why_refused(reader, identity, settings.shared_machine) is None
    except WaypostError:  # locked or damaged: its own command says so
        return False
