"""Ids that stand for another memory: of an address in another form, of a folder that was moved, of an adopted memory.

The id of a folder stays what it is computed from. Where its memory was made under another id, `<home>/aliases.json` says
under which. Only a person's `waypost adopt`, or an address that names the same repository, writes there. The file holds
single steps; what is read are their ends. A step can start at the id of a project, or at that of one checkout.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from waypost.config import Settings
from waypost.errors import ForeignFile, InvalidInput
from waypost.space.identity import GIT_TIMEOUT_SECONDS, Identity, identify
from waypost.space.platform import make_private_directory, read_small_file, wait_lock, write_private_file

_FILE, _LOCK = "aliases.json", "aliases.lock"
_LARGEST = 1_000_000
_LOCK_SECONDS = 10.0
_ID = re.compile(r"[0-9a-f]{16}")


def identify_here(directory: Path, settings: Settings, *, timeout: float = GIT_TIMEOUT_SECONDS) -> Identity:
    """The project of a directory, with the id under which its memory is kept. Raises as `identify` does."""
    return with_alias(identify(directory, machine=settings.shared_machine, timeout=timeout), settings)


def with_alias(identity: Identity, settings: Settings) -> Identity:
    """The same project, with the id under which its memory is kept."""
    known = aliases(settings.home)
    start = first_step(identity, known)
    return identity if start is None else replace(identity, space_id=known[start])


def first_step(identity: Identity, known: Mapping[str, str]) -> str | None:
    """The id by which a checkout is led to another memory: its own before that of its project; None if by neither."""
    return next((one for one in (identity.checkout_id, identity.space_id) if one in known), None)


def aliases(home: Path) -> dict[str, str]:
    """Which id stands for which memory, however many steps lead there. Raises ForeignFile for a file that cannot be
    understood, or whose steps go round: guessing would show another memory."""
    steps = _steps(home)
    ends = dict[str, str]()
    for start in steps:
        path, here = list[str](), start
        while here in steps and here not in ends:
            path.append(here)
            here = steps[here]
            if len(path) > len(steps):
                raise _malformed(home / _FILE)
        ends.update(dict.fromkeys(path, ends.get(here, here)))
    return ends


def last_step(home: Path, space_id: str) -> str:
    """The id whose alias leads to the memory that this one ends at; itself where it has none."""
    steps, ends = _steps(home), aliases(home)
    while steps.get(space_id, "") in ends:
        space_id = steps[space_id]
    return space_id


def _steps(home: Path) -> dict[str, str]:
    path = home / _FILE
    try:
        given = json.loads(read_small_file(path, _LARGEST))
    except FileNotFoundError:
        return {}
    except (OSError, InvalidInput, ValueError, RecursionError) as error:
        raise _malformed(path) from error
    if not isinstance(given, dict) or not all(
        isinstance(value, str) and _ID.fullmatch(key) and _ID.fullmatch(value) for key, value in given.items()
    ):
        raise _malformed(path)
    return dict(given)


def set_alias(home: Path, space_id: str, other: str | None) -> None:
    """From now on this id stands for that memory; None: for its own."""
    make_private_directory(home)
    with wait_lock(home / _LOCK, _LOCK_SECONDS):
        aliases(home)  # raises where steps go round
        known = _steps(home)
        known.pop(space_id, None)
        if other is not None and other != space_id:
            end = other
            while end in known and end != space_id:
                end = known[end]
            if end == space_id:
                del known[other]  # it stands for its own memory again: no way leads back
            known[space_id] = other
        write_private_file(home / _FILE, (json.dumps(known, indent=2) + "\n").encode(), replace=True)


def _malformed(path: Path) -> ForeignFile:
    return ForeignFile(f"{path} cannot be understood.", "Correct it, or delete it and run `waypost adopt` again.")
