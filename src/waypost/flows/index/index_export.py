"""Write the index of a checkout to a file, for other clones of the repository.

The file has JSON lines, compressed with gzip: a head, one line for each indexed file, vectors, and an end. It contains
only what was read from code: no memories of people or agents, no journal, no summaries.
"""

import contextlib
import gzip
import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput, StoreError
from waypost.flows.index.file_digest import DIGEST_FORMAT
from waypost.flows.open_space import OpenSpace, need_project
from waypost.model.memory import Version
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import FileRow, Reader
from waypost.system.platform import place_file, sync_directory
from waypost.text.secrets.masking import mask

INDEX_FORMAT = 1
FILE_KINDS = ("symbol", "file")
_PROJECT_KINDS = ("table", "architecture")  # rebuilt from the files; only their vectors are written
_FILES_AT_ONCE = 50
_VECTORS_IN_A_LINE = 500


@dataclass(frozen=True, slots=True)
class IndexExport:
    path: Path
    files: int
    vectors: int
    left_out: int  # files with a secret that newer rules recognise: other clones read them
    pending: int  # texts that are not embedded yet: other clones embed them
    size: int

    def to_json(self) -> dict[str, Any]:
        names = ("files", "vectors", "left_out", "pending", "size")
        return {"path": str(self.path), **{name: getattr(self, name) for name in names}}


def export_index(space: OpenSpace, path: Path) -> IndexExport:
    """Write the index to a new file. Raises InvalidInput if the file exists or no code is indexed."""
    need_project(space)
    if path.exists():
        raise InvalidInput(f"{path} exists.", "Choose another name, or remove it first.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as lines, space.store.read() as reader:
                files, vectors, left_out, pending = _write(space, reader, lines)
            file.flush()
            os.fsync(file.fileno())
        if not place_file(temporary, path, replace=False):
            raise InvalidInput(f"{path} exists.", "Choose another name, or remove it first.")
        sync_directory(path.parent)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}.", "Choose another place.") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return IndexExport(path, files, vectors, left_out, pending, path.stat().st_size)


def _write(space: OpenSpace, reader: Reader, file: gzip.GzipFile) -> tuple[int, int, int, int]:
    checkout = space.identity.checkout_id
    rows = reader.code.files(checkout)
    if not rows:
        raise InvalidInput("No code is indexed here.", "Run `waypost init` first.")
    engines = [engine.name for engine in space.engines.active(reader)]
    _put(file, {"waypost_index": INDEX_FORMAT, "digest_format": DIGEST_FORMAT, "engines": engines})
    hashes: dict[bytes, str] = {}  # of embedded texts, with their language
    count = 0
    for row, versions in _files(reader, checkout, rows):
        if has_secret(row):
            continue
        _put(file, row)
        count += 1
        hashes |= _hashes(versions)
    for kind in _PROJECT_KINDS:
        numbers = [derived.number for derived in reader.code.derived_of_kind(checkout, kind)]
        hashes |= _hashes(reader.memories.by_number(numbers).values())
    stored = 0
    for engine in engines:
        for line in _vector_lines(reader, engine, hashes):
            _put(file, line)
            stored += len(line["hashes"])
    _put(file, {"end": {"files": count, "vectors": stored}})
    return count, stored, len(rows) - count, max(0, len(hashes) * len(engines) - stored)


def _put(file: gzip.GzipFile, row: Mapping[str, Any]) -> None:
    file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _files(
    reader: Reader, checkout: str, rows: Mapping[str, FileRow]
) -> Iterator[tuple[dict[str, Any], list[Version]]]:
    digests = reader.code.digests(checkout)
    while some := dict(islice(digests, _FILES_AT_ONCE)):
        derived = reader.code.derived(checkout, some, FILE_KINDS)
        versions = reader.memories.by_number([row.number for row in derived])
        by_path: dict[str, list[Version]] = {}
        for row in derived:
            by_path.setdefault(row.path, []).append(versions[row.number])
        for path, facts in some.items():
            file, memories = rows[path], by_path.get(path, [])
            head = {"path": path, "hash": file.hash, "language": file.language, "lines": file.lines}
            yield {**head, "facts": facts, "memories": [_memory_row(version) for version in memories]}, memories


def _memory_row(version: Version) -> dict[str, Any]:
    reference = version.refs[0]
    lines = reference.line_range
    return {
        "kind": version.kind,
        "name": version.name,
        "text": version.text,
        "lines": None if lines is None else [lines.start, lines.end],
        "symbol": reference.symbol_id,
        "language": version.language,
        "traits": version.traits,
        "details": dict(version.details),
    }


def has_secret(row: Mapping[str, Any]) -> bool:
    """Whether a line of the file contains a secret by today's rules."""
    return bool(mask("\n".join(_texts([row["memories"], row["facts"]]))).findings)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _hashes(versions: Iterable[Version]) -> dict[bytes, str]:
    passages = [passage for version in versions for passage in passages_of(version)]
    return {passage.content_hash: passage.language for passage in passages if passage.content_hash}


def _vector_lines(reader: Reader, engine: str, hashes: Mapping[bytes, str]) -> Iterator[dict[str, Any]]:
    from waypost.store.sql.packed import pack  # needs numpy

    wanted: Sequence[bytes] = list(hashes)
    for start in range(0, len(wanted), _VECTORS_IN_A_LINE):
        vectors = reader.vectors.get(engine, wanted[start : start + _VECTORS_IN_A_LINE])
        if vectors:
            yield {
                "engine": engine,
                "hashes": [digest.hex() for digest in vectors],
                "languages": [hashes[digest] for digest in vectors],
                "values": b64encode(b"".join(map(pack, vectors.values()))).decode(),
            }
