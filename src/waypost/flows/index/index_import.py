"""Take over an index that another clone has exported. Nothing in the file is trusted.

A file with the same path and content here gets its exported digest, if that is plausible. All other files are read and
parsed as usual.
"""

import gzip
import json
import re
import types
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from waypost.code.architecture import ArchitectureEvidence
from waypost.code.files.languages import language_of_path
from waypost.code.files.reading import FileText, Unread, read_source
from waypost.code.outline import OUTLINE_FORMAT, Outline
from waypost.code.schema import SchemaChange
from waypost.code.scip_uses import FileUses
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.index.digest_pool import Outcome, digest_files
from waypost.flows.index.file_digest import DIGEST_FORMAT, SCIP_FACTS, Derived, Digest, DigestJob, derived_from_details
from waypost.flows.index.index_export import FILE_KINDS, INDEX_FORMAT, has_secret
from waypost.flows.open_space import OpenSpace
from waypost.model.kinds import IS_DOCUMENT, IS_TEST
from waypost.model.reference import LineRange
from waypost.store.open_databases import refuse_open_database

_MOST_LINE = 64_000_000  # bytes of one line
_MOST_RATIO = 100  # unpacked to packed bytes; ours is below 15
_FREE_BYTES = 10_000_000  # may be unpacked in any case
_MOST_EXTRA = 20_000  # characters of a memory beyond its file: names, paths and summaries
_MOST_USES = 200  # characters about uses, by character of a file: a use names paths and symbols
_LONGEST_TEXT = 2_000  # of a name, language or path
_HASH = re.compile(r"[0-9a-f]{32}")
_LANGUAGE = re.compile(r"[a-z-]{1,12}")
_NORM = 0.02  # vectors have length 1, rounded to half precision

_DETAILS: Mapping[str, Any] = {
    **dict.fromkeys(("type", "language", "summary", "signature", "returns", "title", "place", "doc", "body"), str),
    **dict.fromkeys(("params", "calls", "raises", "tables", "decorators", "members"), Sequence[str]),
    **dict.fromkeys(("functions", "imports", "embedded"), Sequence[str]),
    **dict.fromkeys(("first_line", "lines"), int),
}
_FACTS = frozenset({"outline", "manifest", "schema", "evidence", SCIP_FACTS})
_WRONG = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, OverflowError, WaypostError)


class IndexFile:
    """An exported index. Raises InvalidInput for any other file, a damaged one, or one of another version."""

    def __init__(self, path: Path) -> None:
        refuse_open_database(path)
        self._path = path
        self.taken = 0  # files that were not parsed
        self.refused = 0  # files with the same content, whose digest is implausible
        self.vectors = 0  # vectors that were taken over
        self.engines: tuple[str, ...] = ()  # the models whose vectors it contains
        self._check()

    # -- files ---------------------------------------------------------------------------------------------

    def digests(self, root: Path, jobs: Sequence[DigestJob]) -> Iterator[Outcome]:
        """As `digest_files`, but files with a digest here are not parsed."""
        waiting = {job.path: job for job in jobs}
        for line in self._lines():
            row = _read(line) if line.startswith(b'{"path":') else {}
            job = waiting.get(row["path"]) if isinstance(row.get("path"), str) else None
            digest = _digest(root, job, row) if job is not None and not job.described else None
            if isinstance(digest, Digest):
                del waiting[digest.path]
                self.taken += 1
                yield digest.path, digest
            elif digest is not None:
                self.refused += 1
        yield from digest_files(root, [job for job in jobs if job.path in waiting])

    # -- vectors -------------------------------------------------------------------------------------------

    def put_vectors(self, space: OpenSpace) -> None:
        """Store the vectors of indexed texts, if they come from a model that is used here."""
        with space.store.read() as reader:
            active = {engine.name: engine for engine in space.engines.active(reader)}
        usable = {name: engine.dimensions for name, engine in active.items() if name in self.engines}
        for line in self._lines() if usable else ():
            row = _read(line) if line.startswith(b'{"engine":') else {}
            dimensions = usable.get(row["engine"]) if isinstance(row.get("engine"), str) else None
            rows = _vectors(row, dimensions) if dimensions else []
            if not rows:
                continue
            with space.store.write() as writer:
                pending = set(writer.vectors.missing(row["engine"], [digest for digest, _, _ in rows]))
                before = writer.vectors.pending()[row["engine"]]
                writer.vectors.put(row["engine"], [vector for vector in rows if vector[0] in pending])
                self.vectors += before - writer.vectors.pending()[row["engine"]]

    # -- lines ---------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Read the whole file once, before anything is changed: its head, its size, and its end."""
        last = first = b""
        for last in self._lines():
            first = first or last
        head, end = _read(first), _read(last)
        if head.get("waypost_index") != INDEX_FORMAT:
            raise InvalidInput(
                f"{self._path} is not an index of Waypost.", "`waypost index export FILE` makes one; check the path."
            )
        if head.get("digest_format") != DIGEST_FORMAT:
            raise InvalidInput(
                f"{self._path} was made by another version of Waypost.",
                "Export it again with this version, or run `waypost init` instead.",
            )
        if not conforms(end.get("end"), dict[str, int]):
            raise InvalidInput(f"{self._path} is not complete.", "Copy or export it again; nothing was changed.")
        engines = head.get("engines")
        self.engines = tuple(engines) if isinstance(engines, list) and conforms(engines, Sequence[str]) else ()

    def _lines(self) -> Iterator[bytes]:
        """The lines, unpacked within limits. Raises InvalidInput if the file is damaged or too large."""
        try:
            with self._path.open("rb") as packed:
                most = _FREE_BYTES + _MOST_RATIO * packed.seek(0, 2)
                packed.seek(0)
                with gzip.GzipFile(fileobj=packed, mode="rb") as file:
                    yield from _limited_lines(file, most, self._path)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InvalidInput(
                f"{self._path} is damaged, or not an index of Waypost.", "Copy or export it again; nothing was changed."
            ) from error
        except OSError as error:
            raise InvalidInput(f"{self._path} cannot be read: {error.strerror}.", "Check the path.") from error


def _limited_lines(file: gzip.GzipFile, most: int, path: Path) -> Iterator[bytes]:
    while line := file.readline(min(most, _MOST_LINE) + 1):
        most -= len(line)
        if most < 0 or len(line) > _MOST_LINE:
            raise InvalidInput(f"{path} unpacks to more than an index can have.", "Nothing was changed. Is it yours?")
        yield line


def _read(line: bytes) -> dict[str, Any]:
    """The object on a line, or an empty one."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


# -- digests of files ------------------------------------------------------------------------------------------


def _digest(root: Path, job: DigestJob, row: Mapping[str, Any]) -> Digest | bool | None:
    """The digest of a file. None if its content is another here, False if the digest is implausible."""
    read = read_source(root, job.path, named=job.named)
    if isinstance(read, Unread) or row.get("hash") != read.raw_hash:
        return None
    try:
        return _built(job.path, read, row)
    except _WRONG:
        return False


def _built(path: str, read: FileText, row: Mapping[str, Any]) -> Digest:
    """Raises one of `_WRONG` if anything is not as an export writes it."""
    language = str(row["language"])
    _require(language == language_of_path(path, read.text) and row["lines"] == read.line_count)
    _require(not has_secret(row))
    memories = row["memories"]
    _require(isinstance(memories, list) and len(memories) <= 10 * read.line_count + 100)
    return Digest(
        path=path,
        size=read.size,
        mtime_ns=read.mtime_ns,
        settled=read.settled,
        hash=read.raw_hash,
        language=language,
        lines=read.line_count,
        parser="",
        broken=False,
        masked=0,
        memories=tuple(_derived(path, read, memory) for memory in memories),
        summary=None,
        facts=_facts(row["facts"], read),
    )


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _derived(path: str, read: FileText, row: Mapping[str, Any]) -> Derived:
    kind, name, text, details, lines = row["kind"], row["name"], row["text"], row["details"], row["lines"]
    _require(kind in FILE_KINDS and conforms([name, text, row["language"]], Sequence[str]))
    _require(len(text) <= len(read.text) + _MOST_EXTRA and len(name) <= _LONGEST_TEXT)
    _require(_LANGUAGE.fullmatch(row["language"]) is not None and conforms(row["traits"], int))
    _require(0 <= row["traits"] <= IS_TEST | IS_DOCUMENT)
    _require(isinstance(details, dict) and all(conforms(value, _DETAILS[key]) for key, value in details.items()))
    _require(len(json.dumps(details)) <= 12 * len(read.text) + _MOST_EXTRA and details.get("place", path) in (path, ""))
    _require(row["symbol"] is None or (isinstance(row["symbol"], str) and len(row["symbol"]) <= _LONGEST_TEXT))
    span = None if lines is None else LineRange(*lines)
    _require(span is None or (conforms(lines, Sequence[int]) and span.end <= max(1, read.line_count)))
    return derived_from_details(kind, path, name, text, span, row["symbol"], row["language"], row["traits"], details)


def _facts(facts: Mapping[str, Any], read: FileText) -> dict[str, Any]:
    _require(isinstance(facts, dict) and _FACTS.issuperset(facts) and isinstance(facts.get("manifest", ""), str))
    _require(len(facts.get("manifest", "")) <= len(read.text))
    outline = Outline.from_json(facts["outline"])
    _require(facts["outline"].get("format") == OUTLINE_FORMAT and conforms(outline, Outline))
    count = len(outline.symbols)
    _require(all(-1 <= symbol.parent < count for symbol in outline.symbols))
    owners = [*(use.owner for use in outline.uses), *(binding.owner for binding in outline.bindings)]
    _require(all(-1 <= owner < count for owner in owners))
    schema = [SchemaChange.from_json(row) for row in facts.get("schema", ())]
    evidence = [ArchitectureEvidence.from_json(row) for row in facts.get("evidence", ())]
    _require(conforms(schema, list[SchemaChange]) and conforms(evidence, list[ArchitectureEvidence]))
    if SCIP_FACTS in facts:
        _require(conforms(FileUses.from_json(facts[SCIP_FACTS]), FileUses))
        _require(len(json.dumps(facts[SCIP_FACTS])) <= _MOST_USES * len(read.text) + _MOST_EXTRA)
    return dict(facts)


def _vectors(row: Mapping[str, Any], dimensions: int) -> "list[tuple[bytes, str, Any]]":
    """Hash, language and vector of each text on a line. Empty if anything is wrong with it."""
    import numpy as np  # only to read vectors

    try:
        hashes, languages = row["hashes"], row["languages"]
        _require(conforms([hashes, languages], Sequence[Sequence[str]]) and len(hashes) == len(languages))
        _require(all(map(_HASH.fullmatch, hashes)) and all(map(_LANGUAGE.fullmatch, languages)))
        packed = np.frombuffer(b64decode(row["values"], validate=True), dtype="<f2")
        values = packed.reshape(len(hashes), dimensions).astype(np.float32)
        _require(bool(np.all(np.abs(np.linalg.norm(values, axis=1) - 1) < _NORM)))  # also false for NaN
    except _WRONG:
        return []
    return [
        (bytes.fromhex(digest), language, vector)
        for digest, language, vector in zip(hashes, languages, values, strict=True)
    ]


def conforms(value: object, kind: Any) -> bool:
    """Whether a value, and everything inside of it, has this type. Knows the types that stored values are made of."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return any(conforms(value, choice) for choice in get_args(kind))
    if origin in (tuple, list, Sequence):
        return isinstance(value, tuple if origin is tuple else list | tuple) and _items_conform(value, kind)
    if origin in (dict, Mapping):
        key, item = get_args(kind)
        return isinstance(value, dict) and all(conforms(k, key) and conforms(v, item) for k, v in value.items())
    if kind is Any or (kind is float and type(value) is int):
        return True
    hints = _hints(kind)
    return type(value) is kind and all(conforms(getattr(value, name), hint) for name, hint in hints.items())


def _items_conform(value: Sequence[object], kind: Any) -> bool:
    hints = get_args(kind)
    if get_origin(kind) is tuple and hints[-1:] != (Ellipsis,):
        return len(value) == len(hints) and all(map(conforms, value, hints))
    return all(conforms(item, hints[0]) for item in value)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass or a named tuple."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return {field.name: hints[field.name] for field in fields(kind)}
    return get_type_hints(kind) if issubclass(kind, tuple) else {}
