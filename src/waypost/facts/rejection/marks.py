"""The marks that a rejection leaves, and the marks that block a draft.

A mark is a keyed hash without text. A rejected fact leaves marks of its statement, for any kind and domain, and of the
extractor's topic. A draft is blocked by its own text and by every part that it states as a whole. Marks of earlier
versions were scoped by kind and domain; they block the same text in that scope. A rejected journal entry leaves and
meets only the mark of its speaker and time. A forgotten one also leaves the mark of its text, for every speaker and
time. Small talk leaves none.
"""

import hmac
from collections.abc import Iterable

from waypost.facts.identity import tombstone, tombstones, tombstones_in
from waypost.facts.rejection.spellings import is_statement, spellings, statements
from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.text.normal import fingerprint_text

_FACTS = tuple(name for name, kind in KINDS.items() if not kind.is_journal and not kind.derived)
LEARNED = "learned:"  # prefix of the keys of learned facts, before their topic
_FEWEST_WORDS, _FEWEST_LETTERS = 5, 20  # shorter texts ("ok, thanks a lot") are said again by chance


def rejection_marks(key: bytes, version: Version) -> list[bytes]:
    """The marks that a rejection of this version leaves."""
    if KINDS[version.kind].is_journal:
        return tombstones(key, version)
    return [*dict.fromkeys((*tombstones(key, version), *_claims(key, [version.text]), *topic_marks(key, version.key)))]


def blocking_marks(key: bytes, version: Version) -> list[bytes]:
    """The marks that block this version. One of them is enough."""
    if KINDS[version.kind].is_journal:
        return [tombstone(key, version)]
    exact = tombstones_in(key, version.text, _FACTS, dict.fromkeys((version.domain, "")))
    parts = [part for index, part in enumerate(statements(version.text)) if index == 0 or is_statement(part)]
    return [*dict.fromkeys((*exact, *_claims(key, parts), *topic_marks(key, version.key)))]


def spoken_mark(key: bytes, version: Version) -> bytes | None:
    """The mark of a journal entry's text, for every speaker and time. None for small talk and for facts."""
    if not KINDS[version.kind].is_journal:
        return None
    text = fingerprint_text(version.text)
    if len(version.text.split()) < _FEWEST_WORDS or len(text) < _FEWEST_LETTERS:
        return None
    return hmac.digest(key, f"spoken\0{text}".encode(), "sha256")


def topic_marks(key: bytes, name: str | None) -> list[bytes]:
    """The mark of an extractor's topic, if this is the key of a learned fact."""
    if name is None or not name.startswith(LEARNED):
        return []
    return [hmac.digest(key, f"topic\0{name.removeprefix(LEARNED)}".encode(), "sha256")]


def _claims(key: bytes, texts: Iterable[str]) -> list[bytes]:
    forms = dict.fromkeys(form for text in texts for form in spellings(text) if form)
    return [hmac.digest(key, f"claim\0{form}".encode(), "sha256") for form in forms]
