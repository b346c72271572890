"""In which checkouts a person has agreed to keep the journal in the repository.

Kept beside the memory on this machine, never in the repository: whoever writes there cannot agree for anybody. Each checkout
is agreed to for itself, by its path.
"""

import hashlib
import json
import os
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from waypost.errors import ForeignFile, InvalidInput
from waypost.model.time import format_time
from waypost.space.platform import read_small_file, wait_lock, write_private_file

_FILE, _LOCK = "journal-consent.json", "journal-consent.lock"
_LARGEST = 1_000_000
_LOCK_SECONDS = 10.0
_PART_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Consent:
    at: str
    by: str
    writer: str  # by chance: tells this checkout's files from those of every other clone


def consent_for(folder: Path, root: Path) -> Consent | None:
    """What a person agreed to for the checkout at `root`; `folder` is that of its memory."""
    given = _read(folder / _FILE).get(_name(root))
    if not isinstance(given, dict) or not all(isinstance(given.get(key), str) for key in ("at", "by", "writer")):
        return None
    return Consent(given["at"], given["by"], given["writer"])


def give_consent(folder: Path, root: Path, by: str, at: datetime) -> Consent:
    """A person has agreed. What was agreed to before stays."""
    with wait_lock(folder / _LOCK, _LOCK_SECONDS):
        known = consent_for(folder, root)
        if known is not None:
            return known
        made = Consent(format_time(at), by, secrets.token_hex(16))
        all_of_them = _read(folder / _FILE) | {_name(root): {"at": made.at, "by": made.by, "writer": made.writer}}
        write_private_file(folder / _FILE, (json.dumps(all_of_them, indent=2) + "\n").encode(), replace=True)
        return made


def part_of(consent: Consent, branch: str) -> str:
    """What a day's file is called by behind its day: another one on each branch of each clone, so that git never has to
    merge two of them."""
    return hashlib.sha256(f"{consent.writer}\0{branch}".encode("utf-8", "surrogateescape")).hexdigest()[:_PART_LENGTH]


def _name(root: Path) -> str:
    return os.fsencode(root).decode("utf-8", "backslashreplace")


def _read(path: Path) -> dict[str, object]:
    try:
        given = json.loads(read_small_file(path, _LARGEST))
    except FileNotFoundError:
        return {}
    except (OSError, InvalidInput, ValueError, RecursionError) as error:
        raise _malformed(path) from error
    if not isinstance(given, dict):
        raise _malformed(path)
    return given


def _malformed(path: Path) -> ForeignFile:
    return ForeignFile(f"{path} cannot be understood.", "Delete it, and agree again: `waypost init --journal-in-repo`.")
