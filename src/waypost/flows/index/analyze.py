"""Parse files without storing anything: `analyze`, and `architecture` without an index."""

import os
from dataclasses import asdict, dataclass
from typing import Any

from waypost.code.architecture import ArchitectureEvidence, derive_architecture
from waypost.code.files.reading import Unread
from waypost.code.files.walk import look_at, walk
from waypost.code.source import Parsed, Symbol
from waypost.errors import NotFound
from waypost.flows.checkouts.parsed_file import open_source
from waypost.flows.index.digest_pool import digest_files
from waypost.flows.index.file_digest import DigestJob
from waypost.flows.index.patterns import stored_patterns
from waypost.flows.index.project_analysis import architecture_of
from waypost.flows.open_space import OpenSpace, need_project, tree_of
from waypost.space.place import safe_relative_path


@dataclass(frozen=True, slots=True)
class Analysis:
    files: tuple[Parsed, ...]
    skipped: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        return {"files": [_file(parsed) for parsed in self.files], "skipped": self.skipped}


def analyze(space: OpenSpace, path: str) -> Analysis:
    """Parse a file, or every file of a folder that would be indexed."""
    root = tree_of(space)
    here = os.path.normpath(root / path) in (os.path.normpath(root), os.path.realpath(root))
    place = "" if here else safe_relative_path(root, path)
    if not os.path.lexists(root / place):
        raise NotFound(f"{path} is not in {root}.", "Name a file or folder of this project.")
    patterns = stored_patterns(space)
    skipped, files = {}, []
    include, exclude = patterns.include, patterns.exclude
    whole = walk(root, include=include, exclude=exclude)
    for entry in look_at(root, [place], include=include, exclude=exclude) if place else whole:
        if entry.skipped:
            skipped[entry.path] = entry.skipped
            continue
        parsed = open_source(root, entry.path, named=entry.named)
        if isinstance(parsed, Unread):
            skipped[entry.path] = parsed.reason
        else:
            files.append(parsed.parsed)
    return Analysis(tuple(files), skipped)


def architecture(space: OpenSpace) -> dict[str, Any]:
    """The architecture, from the index if there is one, else from the files."""
    need_project(space)
    stored = architecture_of(space)
    if stored is not None:
        return stored
    root = tree_of(space)
    patterns = stored_patterns(space)
    entries = walk(root, include=patterns.include, exclude=patterns.exclude)
    jobs = [DigestJob(entry.path, entry.size, entry.named) for entry in entries if not entry.skipped]
    evidence = {
        path: [ArchitectureEvidence.from_json(row) for row in digest.facts.get("evidence", ())]
        for path, digest in digest_files(root, jobs)
        if not isinstance(digest, Unread)
    }
    return derive_architecture(evidence, sorted(evidence)).to_json()


def _file(parsed: Parsed) -> dict[str, Any]:
    return {
        "path": parsed.path,
        "language": parsed.language,
        "lines": parsed.line_count,
        "parser": parsed.parser,
        "broken": parsed.broken,
        "doc": parsed.doc,
        "package": parsed.package,
        "symbols": [_symbol(symbol) for symbol in parsed.symbols],
        "imports": [asdict(imported) for imported in parsed.imports],
        "calls": [asdict(call) for call in parsed.calls],
        "sections": [{"title": s.title, "line": s.lines.start, "end_line": s.lines.end} for s in parsed.sections],
    }


def _symbol(symbol: Symbol) -> dict[str, Any]:
    return {
        "name": symbol.name,
        "qualified_name": symbol.qualified,
        "kind": symbol.kind,
        "line": symbol.lines.start,
        "end_line": symbol.lines.end,
        "first_line": symbol.first_line,
        "signature": symbol.signature,
        "parameters": list(symbol.parameters),
        "returns": symbol.returns,
        "doc": symbol.doc,
        "bases": list(symbol.bases),
        "decorators": list(symbol.decorators),
        "calls": [asdict(call) for call in symbol.calls],
        "symbol_id": symbol.scip,
    }
