"""A memory as it is indexed: passages of at most 256 tokens, what is embedded and what keywords find.

Code is indexed in its own way. Engines read short texts, in words that a question would use. Keywords search the whole
source, in four columns with their own weights. All of it is stored with the memory, so an index can be rebuilt without
the file.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.text.keywords import code_terms, keyword_terms
from waypost.text.split import split

PASSAGE_TOKENS = 256
_ROLES = {"user", "assistant", "system", "tool", "human", "ai", "agent"}
INDEX_DETAILS = frozenset(
    ("title", "place", "embedded", "body")
)  # of a derived memory: how it is found, not what it is
_SALT = b"code\0"  # the same words as prose are another passage: code and prose are searched apart


@dataclass(frozen=True, slots=True)
class Passage:
    text: str  # what is embedded
    content_hash: bytes  # of that text: the same text is embedded once; empty where nothing is embedded
    language: str
    terms: str = ""  # what the keyword index holds
    code_terms: tuple[str, str, str, str] | None = None  # what the index of code holds: name, path, doc, body


@dataclass(frozen=True, slots=True)
class CodeText:
    """What is found of a memory that is derived from a tree."""

    name: str
    path: str
    doc: str
    body: str
    embedded: tuple[str, ...]

    def to_details(self, text: str, name: str, path: str | None) -> dict[str, Any]:
        """What has to be kept beside the memory's own text, name and path, to have all of it again."""
        kept: dict[str, Any] = {"embedded": list(self.embedded)}
        if self.name != name:
            kept["title"] = self.name
        if self.path != path:
            kept["place"] = self.path
        if self.doc:
            kept["doc"] = self.doc
        if self.body != text:
            kept["body"] = self.body
        return kept

    @classmethod
    def from_details(cls, details: Mapping[str, Any], text: str, name: str, path: str) -> "CodeText":
        return cls(
            details.get("title", name),
            details.get("place", path),
            details.get("doc", ""),
            details.get("body", text),
            tuple(details["embedded"]),
        )


def passages_of(version: Version) -> list[Passage]:
    """The passages of a version. The same version always gives the same ones: an index can be made again."""
    if KINDS[version.kind].derived:
        return code_passages(code_text(version), version.language)
    # The engine reads who speaks. A role would only make all turns alike.
    who = f"{version.speaker}: " if version.speaker and version.speaker.casefold() not in _ROLES else ""
    passages = []
    for place, (start, end) in enumerate(split(version.text, PASSAGE_TOKENS)):
        text = who + version.text[start:end]
        beside = _labels(version) if place == 0 else ""
        terms = _index_terms(f"{text}\n{beside}" if beside else text, version.language)
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        passages.append(Passage(text, digest, version.language, terms))
    return passages


def code_text(version: Version) -> CodeText:
    """What is found of a stored memory that is derived from a tree."""
    path = version.refs[0].file_path if version.refs else ""
    return CodeText.from_details(version.details, version.text, version.name or "", path)


def code_passages(code: CodeText, language: str) -> list[Passage]:
    """One passage for each embedded text. Keywords find the first one; it is empty if nothing is embedded."""
    columns = (
        _short_terms(code.name),
        _short_terms(code.path),
        code_terms(code.doc),
        code_terms(code.body),
    )
    if not code.embedded:
        return [Passage("", b"", language, code_terms=columns)]
    return [
        Passage(
            text,
            hashlib.blake2b(_SALT + text.encode(), digest_size=16).digest(),
            language,
            code_terms=columns if place == 0 else None,
        )
        for place, text in enumerate(code.embedded)
    ]


def _index_terms(text: str, language: str) -> str:
    """Stems, and whole only what is more than a word: names, versions, paths. A plain word whole adds length, not sense."""
    terms = keyword_terms(text, language)
    stems = set(terms.stems)
    return " ".join([*terms.stems, *(word for word in terms.words if not word.isalpha() and word not in stems)])


@lru_cache(maxsize=8192)
def _short_terms(text: str) -> str:
    """Of a name or a path: all symbols of a file have the same one."""
    return code_terms(text)


def _labels(version: Version) -> str:
    """What a memory is filed under is found by keywords as well."""
    labels = [version.domain, version.module, version.name or ""]
    if not KINDS[version.kind].is_journal:  # every turn carries the same few tags there
        labels += version.tags.values()
    labels += [reference.file_path for reference in version.refs]
    return " ".join(label for label in labels if label)
