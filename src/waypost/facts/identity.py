"""When are two memories the same value? By their words in normal form, within their scope.

The scope of a fact is its kind and domain. An entry of the journal is the same only if the same speaker said it
at the same time: what somebody says again, they said again.
"""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.time import to_micros
from waypost.text.normal import fingerprint_text

_FINGERPRINT_BYTES = 16
MERGED = "merged"  # in a version's details: the tombstones, in hex, of the values that it says together


def fingerprint(version: Version) -> bytes:
    """The mark by which the same value is found again. It stands in the row beside the text itself."""
    return hashlib.blake2b(_value(version), digest_size=_FINGERPRINT_BYTES).digest()


def tombstone(key: bytes, version: Version) -> bytes:
    """A mark from which nobody without the key can test what was said."""
    return hmac.digest(key, _value(version), "sha256")


def tombstones_in(key: bytes, text: str, kinds: Iterable[str], domains: Iterable[str]) -> list[bytes]:
    """The marks of one value in several scopes."""
    words, places = fingerprint_text(text), [fingerprint_text(domain) for domain in domains]
    values = ("\0".join(("value", kind, place, words)) for kind in kinds for place in places)
    return [hmac.digest(key, value.encode(), "sha256") for value in values]


def tombstones(key: bytes, version: Version) -> list[bytes]:
    """The marks of a version's value and of the values that were merged into it."""
    return [tombstone(key, version), *map(bytes.fromhex, version.details.get(MERGED, ()))]


def _value(version: Version) -> bytes:
    if KINDS[version.kind].is_journal:
        return _said(version.text, version.speaker, version.session, version.time)
    return _scoped(version.text, version.kind, version.domain)


def _scoped(text: str, kind: str, domain: str) -> bytes:
    return "\0".join(("value", kind, fingerprint_text(domain), fingerprint_text(text))).encode()


def _said(text: str, speaker: str | None, session: str | None, time: datetime | None) -> bytes:
    # Without a time the session stands in for it: two sessions may well hold the same words.
    moment = str(to_micros(time)) if time is not None else f"in {session or ''}"
    return "\0".join(("said", speaker or "", moment, fingerprint_text(text))).encode()
