"""Aliases from one memory id to another, for changed remote URLs, moved folders and adopted memories.

A folder's id is always computed. If its memory was created under another id, `<home>/aliases.json` has that id. Only
`waypost adopt` by a person, or another URL of the same repository, adds an alias. The file has single steps, which
readers follow to the end. A step can start at the id of a project or of one checkout.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from waypost.config import Settings
from waypost.errors import ForeignFile, InvalidInput
from waypost.space.identity import SPACE_ID, Identity, identify
from waypost.system.platform import make_private_directory, read_small_file, wait_lock, write_private_file

_FILE, _LOCK = "aliases.json", "aliases.lock"
_LARGEST = 1_000_000
_LOCK_SECONDS = 10.0


def identify_here(directory: Path, settings: Settings) -> Identity:
    """The project of a directory, with the id of its memory. Raises like `identify`."""
    return with_alias(identify(directory, machine=settings.shared_machine), settings)


def with_alias(identity: Identity, settings: Settings) -> Identity:
    """The same project, with the id of its memory."""
    memory_ids = aliases(settings.home)
    start = first_step(identity, memory_ids)
    return identity if start is None else replace(identity, space_id=memory_ids[start])


def first_step(identity: Identity, memory_ids: Mapping[str, str]) -> str | None:
    """The id of a checkout or, failing that, of its project, if it is an alias; else None."""
    return next((alias for alias in (identity.checkout_id, identity.space_id) if alias in memory_ids), None)


def aliases(home: Path) -> dict[str, str]:
    """The memory id of each alias, after following all steps.

    Raises ForeignFile if the file is malformed or its steps form a cycle, since guessing could show another memory.
    """
    steps = _steps(home)
    ends = dict[str, str]()
    for start in steps:
        path, current = list[str](), start
        while current in steps and current not in ends:
            path.append(current)
            current = steps[current]
            if len(path) > len(steps):
                raise _malformed(home / _FILE)
        ends.update(dict.fromkeys(path, ends.get(current, current)))
    return ends


def last_step(home: Path, space_id: str) -> str:
    """The last alias on the way from this id to its memory; the id itself if it is not an alias."""
    steps, ends = _steps(home), aliases(home)
    while steps.get(space_id, "") in ends:
        space_id = steps[space_id]
    return space_id


def _steps(home: Path) -> dict[str, str]:
    path = home / _FILE
    try:
        steps = json.loads(read_small_file(path, _LARGEST))
    except FileNotFoundError:
        return {}
    except (OSError, InvalidInput, ValueError, RecursionError) as error:
        raise _malformed(path) from error
    if not isinstance(steps, dict) or not all(
        isinstance(end, str) and SPACE_ID.fullmatch(start) and SPACE_ID.fullmatch(end) for start, end in steps.items()
    ):
        raise _malformed(path)
    return steps


def set_alias(home: Path, space_id: str, other: str | None) -> None:
    """Make this id an alias of another memory; None removes the alias."""
    make_private_directory(home)
    with wait_lock(home / _LOCK, _LOCK_SECONDS):
        aliases(home)  # raises if the steps form a cycle
        steps = _steps(home)
        steps.pop(space_id, None)
        if other is not None and other != space_id:
            end = other
            while end in steps and end != space_id:
                end = steps[end]
            if end == space_id:
                del steps[other]  # `other` has its own memory again, so that there is no cycle
            steps[space_id] = other
        write_private_file(home / _FILE, (json.dumps(steps, indent=2) + "\n").encode(), replace=True)


def _malformed(path: Path) -> ForeignFile:
    return ForeignFile(f"{path} is malformed.", "Correct it, or delete it and run `waypost adopt` again.")
