"""A memory as it is indexed: passages of at most 256 tokens, what is embedded and what keywords find."""

import hashlib
from dataclasses import dataclass

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.text.split import split
from waypost.text.words import keyword_terms

PASSAGE_TOKENS = 256
_ROLES = {"user", "assistant", "system", "tool", "human", "ai", "agent"}


@dataclass(frozen=True, slots=True)
class Passage:
    text: str  # what is embedded
    content_hash: bytes  # of that text: the same text is embedded once
    language: str
    terms: str  # what the keyword index holds


def passages_of(version: Version) -> list[Passage]:
    """The passages of a version. The same version always gives the same ones: an index can be made again."""
    # A name in front tells the engine who speaks; a role would only make all turns alike.
    who = f"{version.speaker}: " if version.speaker and version.speaker.casefold() not in _ROLES else ""
    passages = []
    for place, (start, end) in enumerate(split(version.text, PASSAGE_TOKENS)):
        text = who + version.text[start:end]
        beside = _labels(version) if place == 0 else ""
        terms = _index_terms(f"{text}\n{beside}" if beside else text, version.language)
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        passages.append(Passage(text, digest, version.language, terms))
    return passages


def _index_terms(text: str, language: str) -> str:
    """Stems, and whole only what is more than a word: names, versions, paths. A plain word whole adds length, not sense."""
    terms = keyword_terms(text, language)
    stems = set(terms.stems)
    return " ".join([*terms.stems, *(word for word in terms.words if not word.isalpha() and word not in stems)])


def _labels(version: Version) -> str:
    """What a memory is filed under is found by keywords as well."""
    labels = [version.domain, version.module, version.name or ""]
    if not KINDS[version.kind].is_journal:  # every turn carries the same few tags there
        labels += version.tags.values()
    labels += [reference.file_path for reference in version.refs]
    return " ".join(label for label in labels if label)
