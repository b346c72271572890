"""Take over what a SCIP index says about uses of names, for the files that it covers.

It is kept with the digest of each file. So a changed file is resolved by names again, until the next index.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waypost.code.files.reading import FileText, read_source
from waypost.code.outline import Outline
from waypost.code.scip_index import LARGEST, ScipDocument, read_scip
from waypost.code.scip_uses import scip_uses
from waypost.errors import InvalidInput
from waypost.flows.index.code_memories import note_analysis
from waypost.flows.index.file_digest import SCIP_FACTS
from waypost.flows.open_space import OpenSpace, scip_key, tree_of

SCIP_FILE = "index.scip"  # as indexers name it, in the root of a repository


def read_scip_file(path: Path, root: Path) -> tuple[ScipDocument, ...]:
    """The files of a SCIP index. Raises `InvalidInput` if it can't be read or belongs to another repository."""
    try:
        with open(path, "rb", opener=_open_regular) as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidInput(f"Can't read the SCIP index {path}: {error.strerror}.", "Check the path.") from error
    documents = tuple(read_scip(data))
    if not any((root / document.path).is_file() for document in documents):
        example = f" (the first is {documents[0].path[:200]})" if documents else ""
        raise InvalidInput(
            f"No file of the SCIP index {path} is in this repository{example}.",
            "Make the index in the root of the repository.",
        )
    return documents


def found_scip(space: OpenSpace) -> Path | None:
    """The SCIP index in the root of the repository that was not taken over yet."""
    path = tree_of(space) / SCIP_FILE
    state = _state(path)
    if not state:
        return None
    with space.store.read() as reader:
        return path if reader.meta.get(scip_key(space)) != state else None


def take_scip(space: OpenSpace, path: Path, documents: tuple[ScipDocument, ...]) -> int:
    """Keep what an index says about indexed files. Returns how many it covers; changed files are left out."""
    root, checkout = tree_of(space), space.identity.checkout_id
    with space.store.read() as reader:
        rows, digests = reader.code.files(checkout), dict(reader.code.digests(checkout))
    outlines = {file: Outline.from_json(facts["outline"]) for file, facts in digests.items() if "outline" in facts}
    named = [document for document in documents if document.path in rows]
    texts = {}
    for document in named:
        source = read_source(root, document.path, named=True)
        if isinstance(source, FileText) and source.raw_hash == rows[document.path].hash:
            texts[document.path] = source.text
    uses = scip_uses(named, outlines, texts)
    with space.store.write() as writer:
        now = writer.code.files(checkout, set(uses))
        for file, file_uses in uses.items():
            if file in now and now[file].hash == rows[file].hash:
                facts: Mapping[str, Any] = {**digests[file], SCIP_FACTS: file_uses.to_json()}
                writer.code.put_file(checkout, now[file], facts)
        writer.meta.set(scip_key(space), _state(path))
        note_analysis(space, writer)
    return len(uses)


def _open_regular(path: str, flags: int) -> int:
    """Open a file, but no pipe or device, which could block."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "it is not a file")
    return handle


def _state(path: Path) -> str:
    """Size and time of a file, or "" if it does not exist."""
    try:
        status = path.lstat()
    except OSError:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}" if stat.S_ISREG(status.st_mode) else ""
