"""Turn one file into derived memories. Needs no database and no engine, so it can run in another process."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from waypost.code.architecture import find_evidence
from waypost.code.cards import Card, cards
from waypost.code.documents.sections import join_small_sections
from waypost.code.files.languages import is_document, is_test_path
from waypost.code.files.reading import Unread
from waypost.code.outline import outline
from waypost.code.relations import is_manifest
from waypost.code.schema import SchemaChange, find_schema
from waypost.code.source import Parsed, SourceFile
from waypost.code.summary.build import Summary, summarise
from waypost.code.summary.structure import Tables, structure_details
from waypost.code.summary.view import SummaryView
from waypost.flows.checkouts.parsed_file import KILLED, PATIENCE, open_source
from waypost.model.kinds import IS_DOCUMENT, IS_TEST, TEST_LANGUAGE
from waypost.model.reference import CodeReference, LineRange
from waypost.retrieve.passages import CodeText, Passage, code_passages
from waypost.system.time_limit import OutOfTime, time_limit
from waypost.text.language import is_surely_foreign, language_of

DIGEST_FORMAT = "9"  # increased when digests change: an index of another format is rebuilt
SCIP_FACTS = "scip"  # the key in a digest for what a SCIP index says about the file


@dataclass(frozen=True, slots=True)
class Derived:
    """A memory to store, without time, ids and checkout."""

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
    fingerprint: bytes  # of everything indexed: the same one is not indexed again
    refs: tuple[CodeReference, ...] = ()  # its sources, if these are several files
    changed_at: datetime | None = None  # when the last of these files changed


@dataclass(frozen=True, slots=True)
class Digest:
    path: str
    size: int
    mtime_ns: int
    settled: bool  # False: it may still change without another size or time
    hash: str
    language: str
    lines: int
    parser: str
    broken: bool
    masked: int  # secrets that were masked
    memories: tuple[Derived, ...]
    summary: Derived | None  # if requested
    facts: Mapping[str, Any]  # the input of the project analysis


class DigestJob(NamedTuple):
    path: str
    size: int = 0
    named: bool = False  # included by name: it may be generated
    described: bool = False  # it has a summary, which must be renewed


def digest_file(root: Path, job: DigestJob) -> Digest | Unread:
    try:
        with time_limit(PATIENCE):
            return _digest(root, job)
    except OutOfTime:
        return Unread(KILLED)


def _digest(root: Path, job: DigestJob) -> Digest | Unread:
    parsed_file = open_source(root, job.path, named=job.named)
    if isinstance(parsed_file, Unread):
        return parsed_file
    read, source, path = parsed_file.read, parsed_file.source, job.path
    parsed = replace(parsed_file.parsed, sections=join_small_sections(parsed_file.parsed.sections))
    schema = find_schema(source)
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
        masked=parsed_file.masked,
        memories=_memories(source, parsed, [(change.lines, change.table) for change in schema if change.table]),
        summary=_summary(source, parsed) if job.described else None,
        facts=_facts(source, parsed, schema),
    )


def _facts(source: SourceFile, parsed: Parsed, schema: Sequence[SchemaChange]) -> dict[str, Any]:
    facts = {
        "outline": outline(parsed, source.text).to_json(),
        "manifest": source.text if is_manifest(source.path) else "",
        "schema": [change.to_json() for change in schema],
        "evidence": [evidence.to_json() for evidence in find_evidence(source, parsed)],
    }
    return {name: value for name, value in facts.items() if value}


def _memories(source: SourceFile, parsed: Parsed, tables: Tables) -> tuple[Derived, ...]:
    ids = {(symbol.qualified, symbol.lines): symbol for symbol in parsed.symbols}
    view = SummaryView(source, parsed)
    made = []
    for card in cards(source, parsed):
        symbol = ids.get((card.qualified, card.lines)) if card.kind == "symbol" else None
        sort = "table" if source.language == "sql" and card.symbol_kind == "struct" else card.symbol_kind or card.kind
        details: dict[str, Any] = {"type": sort, "language": source.language}
        if card.kind != "section":  # its title is its name
            details["summary"] = card.summary
        if symbol is not None:
            details |= structure_details(symbol, view, tables) | {"first_line": symbol.first_line}
        elif card.kind == "file":
            details |= {"lines": parsed.line_count, "functions": _functions(parsed), "imports": _imports(parsed)}
        scip = symbol.scip if symbol is not None else None
        made.append(_derived(source, "symbol" if card.kind == "symbol" else "file", card, details, scip))
    return tuple(made)


def _functions(parsed: Parsed) -> list[str]:
    return [symbol.qualified for symbol in parsed.symbols if symbol.kind != "constant"][:200]


def _imports(parsed: Parsed) -> list[str]:
    return list(dict.fromkeys(imported.module for imported in parsed.imports))[:100]


def _derived(source: SourceFile, kind: str, card: Card, details: dict[str, Any], scip: str | None) -> Derived:
    is_test = is_test_path(source.path)
    text = CodeText(card.name, card.path, card.doc, card.body, card.embedded)
    language = _language(card.doc) if is_document(source.language) else "code"
    if is_test and card.kind == "symbol":
        language = TEST_LANGUAGE  # how cosines of tests spread must not count for code
    kept = {name: value for name, value in details.items() if value not in (None, [], "")}
    name = source.path if card.kind == "file" else card.qualified or card.name
    kept |= text.to_details(card.text, name, source.path)
    traits = IS_TEST * is_test + IS_DOCUMENT * is_document(source.language)
    return derived_from_details(kind, source.path, name, card.text, card.lines, scip or None, language, traits, kept)


def derived_from_details(
    kind: str,
    path: str,
    name: str,
    text: str,
    lines: LineRange | None,
    symbol_id: str | None,
    language: str,
    traits: int,
    details: Mapping[str, Any],
) -> Derived:
    """A memory of a file, with the passages that follow from its details."""
    passages = tuple(code_passages(CodeText.from_details(details, text, name, path), language))
    return Derived(
        kind=kind,
        type=details["type"],
        name=name,
        text=text,
        lines=lines,
        symbol_id=symbol_id,
        language=language,
        traits=traits,
        details=details,
        passages=passages,
        fingerprint=_fingerprint(kind, text, language, passages),
    )


def _language(text: str) -> str:
    language = language_of(text)
    return "code-other" if is_surely_foreign(text, language) else "code"


def _summary(source: SourceFile, parsed: Parsed) -> Derived:
    summary = summarise(source, parsed)
    return summary_memory(source.path, source.language, summary, "rules")


def summary_memory(path: str, language: str, summary: Summary, made_by: str) -> Derived:
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
    """A memory with a generated text, such as a summary or a table."""
    path = refs[0].file_path if refs else None
    code = CodeText(name, path or "", "", text, (embedded,))
    language = _language(text)
    passages = tuple(code_passages(code, language))
    kept = {"type": sort, **details, **code.to_details(text, name, path)}
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
