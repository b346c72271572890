"""The identity of a memory's value: its text in normal form, within its scope.

The scope of a fact is its kind and domain. A journal entry is the same only with the same speaker and time: a
repeated statement is new.
"""

import hashlib
import hmac
from collections.abc import Iterable

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.time import to_micros
from waypost.text.normal import fingerprint_text

_FINGERPRINT_BYTES = 16
MERGED = "merged"  # in a version's details: the tombstones, in hex, of the values merged into it


def fingerprint(version: Version) -> bytes:
    """The mark by which an equal value is found. It is stored beside the text."""
    return hashlib.blake2b(_value(version), digest_size=_FINGERPRINT_BYTES).digest()


def tombstone(key: bytes, version: Version) -> bytes:
    """A mark that reveals nothing about the text without the key."""
    return hmac.digest(key, _value(version), "sha256")


def tombstones_in(key: bytes, text: str, kinds: Iterable[str], domains: Iterable[str]) -> list[bytes]:
    """The marks of one value in several scopes."""
    normal_text, normal_domains = fingerprint_text(text), [fingerprint_text(domain) for domain in domains]
    values = ("\0".join(("value", kind, domain, normal_text)) for kind in kinds for domain in normal_domains)
    return [hmac.digest(key, value.encode(), "sha256") for value in values]


def tombstones(key: bytes, version: Version) -> list[bytes]:
    """The marks of a version's value and of the values that were merged into it."""
    return [tombstone(key, version), *map(bytes.fromhex, version.details.get(MERGED, ()))]


def _value(version: Version) -> bytes:
    text = fingerprint_text(version.text)
    if not KINDS[version.kind].is_journal:
        return "\0".join(("value", version.kind, fingerprint_text(version.domain), text)).encode()
    # Without a time the session replaces it: two sessions may contain the same text.
    moment = str(to_micros(version.time)) if version.time is not None else f"in {version.session or ''}"
    return "\0".join(("said", version.speaker or "", moment, text)).encode()
