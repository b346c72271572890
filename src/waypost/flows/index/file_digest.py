"""One file read: what becomes of it in the index. No database and no engine: it can be done in another process."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from waypost.code.architecture import find_evidence
from waypost.code.cards import Card, cards
from waypost.code.documents.sections import read_together
from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.code.files.reading import FileText, Unread, read_source
from waypost.code.outline import outline
from waypost.code.parse import parse
from waypost.code.relations import is_manifest
from waypost.code.schema import find_schema
from waypost.code.source import Parsed, SourceFile
from waypost.code.summary import Summary, describe, summarise
from waypost.model.kinds import IS_DOCUMENT, IS_TEST
from waypost.model.reference import CodeReference, LineRange
from waypost.retrieve.passages import CodeText, Passage, code_passages
from waypost.space.time_limit import OutOfTime, time_limit
from waypost.text.language import is_surely_foreign, language_of
from waypost.text.secrets.masking import mask

PATIENCE = 20.0  # seconds for one file: what takes longer is no code but a riddle for the parser
KILLED = "the parser crashed on it, or did not come to an end"
DIGEST_FORMAT = "1"  # raised when what is read out of a file changes: an index of another format is made again


@dataclass(frozen=True, slots=True)
class Derived:
    """A memory as it will be stored, without the time, the ids and the checkout."""

    kind: str
    type: str
    name: str
    text: str
    lines: LineRange | None
    symbol_id: str | None
    language: str
    traits: int
    details: Mapping[str, Any]
    passages: tuple[Passage, ...]
    fingerprint: bytes  # of all that is indexed: the same one need not be indexed again
    refs: tuple[CodeReference, ...] = ()  # where it was read, when that is more than one file
    changed_at: datetime | None = None  # when the latest of these files changed


@dataclass(frozen=True, slots=True)
class Digest:
    """All that is taken from one file."""

    path: str
    size: int
    mtime_ns: int
    settled: bool  # False: it may change once more without another size or time
    hash: str
    language: str
    lines: int
    parser: str
    broken: bool
    masked: int  # secrets that were masked
    memories: tuple[Derived, ...]
    summary: Derived | None  # where one was asked for
    facts: Mapping[str, Any]  # what conclusions about the whole tree are drawn from


class DigestJob(NamedTuple):
    """A file to be read."""

    path: str
    size: int = 0
    named: bool = False  # the user asked for this very file: it may be generated
    described: bool = False  # it has a summary, which has to be made again


class ParsedFile(NamedTuple):
    """A file read, its secrets masked, parsed."""

    read: FileText
    source: SourceFile
    parsed: Parsed
    masked: int  # secrets that were masked


def open_source(root: Path, path: str, *, named: bool = False) -> ParsedFile | Unread:
    """The one way from a file to what it says: nobody parses what was not masked, or for longer than the limit."""
    try:
        with time_limit(PATIENCE):
            return _opened(root, path, named)
    except OutOfTime:
        return Unread(KILLED)


def _opened(root: Path, path: str, named: bool) -> ParsedFile | Unread:
    read = read_source(root, path, named=named)
    if isinstance(read, Unread):
        return read
    hidden = mask(read.text)
    source = SourceFile(path, language_of_path(path, hidden.text), hidden.text)
    return ParsedFile(read, source, parse(source), len(hidden.findings))


def digest_file(root: Path, job: DigestJob) -> Digest | Unread:
    """All that is taken from one file of the tree."""
    try:
        with time_limit(PATIENCE):
            return _digest(root, job)
    except OutOfTime:
        return Unread(KILLED)


def _digest(root: Path, job: DigestJob) -> Digest | Unread:
    opened = open_source(root, job.path, named=job.named)
    if isinstance(opened, Unread):
        return opened
    read, source, path = opened.read, opened.source, job.path
    parsed = replace(opened.parsed, sections=read_together(opened.parsed.sections))
    return Digest(
        path=path,
        size=read.size,
        mtime_ns=read.mtime_ns,
        settled=read.settled,
        hash=read.raw_hash,
        language=source.language,
        lines=read.line_count,
        parser=parsed.parser,
        broken=parsed.broken,
        masked=opened.masked,
        memories=_memories(source, parsed),
        summary=_summary(source, parsed) if job.described else None,
        facts=_facts(source, parsed),
    )


def _facts(source: SourceFile, parsed: Parsed) -> dict[str, Any]:
    found = {
        "outline": outline(parsed, source.text).to_json(),
        "manifest": source.text if is_manifest(source.path) else "",
        "schema": [change.to_json() for change in find_schema(source, parsed)],
        "evidence": [evidence.to_json() for evidence in find_evidence(source, parsed)],
    }
    return {name: value for name, value in found.items() if value}


def _memories(source: SourceFile, parsed: Parsed) -> tuple[Derived, ...]:
    ids = {(symbol.qualified, symbol.lines): symbol for symbol in parsed.symbols}
    made = []
    told = None if is_test_path(source.path) else describe  # single tests are not embedded: nobody would read it
    for card in cards(source, parsed, told):
        symbol = ids.get((card.qualified, card.lines))
        sort = "table" if source.language == "sql" and card.symbol_kind == "struct" else card.symbol_kind or card.kind
        details: dict[str, Any] = {"type": sort, "language": source.language}
        if card.kind != "section":  # its title is its name
            details["summary"] = card.summary
        if symbol is not None and card.kind == "symbol":
            details |= {
                "signature": symbol.signature,
                "params": list(symbol.parameters),
                "returns": symbol.returns,
                "calls": sorted({call.name for call in symbol.calls})[:50],
                "first_line": symbol.first_line,
            }
        elif card.kind == "file":
            details |= {"lines": parsed.line_count, "functions": _listed(parsed), "imports": _imports(parsed)}
        scip = symbol.scip if symbol is not None and card.kind == "symbol" else None
        made.append(_derived(source, "symbol" if card.kind == "symbol" else "file", card, details, scip))
    return tuple(made)


def _listed(parsed: Parsed) -> list[str]:
    return [symbol.qualified for symbol in parsed.symbols if symbol.kind != "constant"][:200]


def _imports(parsed: Parsed) -> list[str]:
    return list(dict.fromkeys(one.module for one in parsed.imports))[:100]


def _derived(source: SourceFile, kind: str, card: Card, details: dict[str, Any], scip: str | None) -> Derived:
    is_test = is_test_path(source.path)
    # Tests are many and are asked for by their words; their file is found by meaning too.
    embedded = () if is_test and card.kind == "symbol" else card.embedded
    text = CodeText(card.name, card.path, card.doc, card.body, embedded)
    language = _language(card.doc) if is_document(source.language) else "code"
    kept = {name: value for name, value in details.items() if value not in (None, [], "")}
    kept |= text.to_details(card.text)
    passages = tuple(code_passages(text, language))
    traits = IS_TEST * is_test + IS_DOCUMENT * is_document(source.language)
    return Derived(
        kind=kind,
        type=details["type"],
        name=source.path if card.kind == "file" else card.qualified or card.name,
        text=card.text,
        lines=card.lines,
        symbol_id=scip or None,
        language=language,
        traits=traits,
        details=kept,
        passages=passages,
        fingerprint=_fingerprint(kind, card.text, language, passages),
    )


def _language(text: str) -> str:
    language = language_of(text)
    return "code-other" if is_surely_foreign(text, language) else "code"


def _summary(source: SourceFile, parsed: Parsed) -> Derived:
    summary = summarise(source, parsed)
    return summary_memory(source.path, source.language, summary, "rules")


def summary_memory(path: str, language: str, summary: Summary, made_by: str) -> Derived:
    """What a file does, in words, as a memory."""
    details = {"language": language, "made_by": made_by}
    embedded = f"{path}: {summary.line}"
    return derived_document("summary", "summary", path, summary.text, embedded, details)


def derived_document(
    kind: str,
    sort: str,
    name: str,
    text: str,
    embedded: str,
    details: Mapping[str, Any],
    refs: tuple[CodeReference, ...] = (),
    changed_at: datetime | None = None,
) -> Derived:
    """A memory that was written, not copied, from what a tree says."""
    code = CodeText(name, refs[0].file_path if refs else "", "", text, (embedded,))
    language = _language(text)
    passages = tuple(code_passages(code, language))
    kept = {"type": sort, **details, **code.to_details(text)}
    return Derived(
        kind=kind,
        type=sort,
        name=name,
        text=text,
        lines=None,
        symbol_id=None,
        language=language,
        traits=0,
        details=kept,
        passages=passages,
        fingerprint=_fingerprint(kind, text, language, passages),
        refs=refs,
        changed_at=changed_at,
    )


def _fingerprint(kind: str, text: str, language: str, passages: tuple[Passage, ...]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in (kind, language, text):
        digest.update(part.encode() + b"\0")
    for passage in passages:
        digest.update(passage.content_hash)
        for column in passage.code_terms or ():
            digest.update(column.encode() + b"\0")
    return digest.digest()
