"""In which checkouts a person agreed to keep the journal in the repository.

Consent is stored beside the memory on this machine, never in the repository. So nobody can agree for others by a
commit. It is given per checkout, by path.
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
from waypost.system.platform import read_small_file, wait_lock, write_private_file

_FILE, _LOCK = "journal-consent.json", "journal-consent.lock"
_LARGEST = 1_000_000
_LOCK_SECONDS = 10.0
_PART_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Consent:
    at: str
    by: str
    writer: str  # random; distinguishes this checkout's files from those of every other clone


def consent_for(folder: Path, root: Path) -> Consent | None:
    """The consent for the checkout at `root`, or None. `folder` is the folder of its memory."""
    row = _read(folder / _FILE).get(_key(root))
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("at", "by", "writer")):
        return None
    return Consent(row["at"], row["by"], row["writer"])


def give_consent(folder: Path, root: Path, by: str, at: datetime) -> Consent:
    """Store a person's consent and return it. An earlier consent stays."""
    with wait_lock(folder / _LOCK, _LOCK_SECONDS):
        consent = consent_for(folder, root)
        if consent is not None:
            return consent
        consent = Consent(format_time(at), by, secrets.token_hex(16))
        consents = _read(folder / _FILE) | {_key(root): {"at": consent.at, "by": consent.by, "writer": consent.writer}}
        write_private_file(folder / _FILE, (json.dumps(consents, indent=2) + "\n").encode(), replace=True)
        return consent


def file_part(consent: Consent, branch: str) -> str:
    """The part of a day's file name after the day.

    Each branch of each clone has its own, so that git never has to merge two such files.
    """
    return hashlib.sha256(f"{consent.writer}\0{branch}".encode("utf-8", "surrogateescape")).hexdigest()[:_PART_LENGTH]


def _key(root: Path) -> str:
    return os.fsencode(root).decode("utf-8", "backslashreplace")


def _read(path: Path) -> dict[str, object]:
    try:
        rows = json.loads(read_small_file(path, _LARGEST))
    except FileNotFoundError:
        return {}
    except (OSError, InvalidInput, ValueError, RecursionError) as error:
        raise _invalid_file(path) from error
    if not isinstance(rows, dict):
        raise _invalid_file(path)
    return rows


def _invalid_file(path: Path) -> ForeignFile:
    return ForeignFile(f"{path} is not valid.", "Delete it and run `waypost init --journal-in-repo` again.")
