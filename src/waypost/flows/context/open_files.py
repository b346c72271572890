"""The code to open for a task, from the code index: files with their best symbols, tables, and the tests that cover them."""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.context.open_files import MOST_TESTS, CodeDetails, OpenFile, files_to_open, own_total
from waypost.context.usefulness import leniency
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.search import recall
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.store.protocol import Reader

_DEPTH = 300  # candidates of a task: all that keywords and vectors bring
_FUNCTIONS = frozenset({"function", "method"})
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate)/")
_TEST_NAMES = ("test_{0}", "{0}_test", "{0}.test", "{0}.spec", "{0}Test", "{0}Tests", "{0}_spec", "{0}Spec")
_TEST_BEHIND = 1.0  # by which a test file may be behind the best one


@dataclass(frozen=True, slots=True)
class CodeToOpen:
    files: tuple[OpenFile, ...]  # best first
    details: dict[str, CodeDetails]  # of the symbols and tables shown, by memory id
    shared: tuple[Hit, ...]  # of other projects
    versions: dict[str, Version]  # of the symbols and tables shown, by memory id
    notices: tuple[str, ...] = ()


def code_to_open(space: OpenSpace, task: str, view: View, *, tokens: int, now: datetime | None = None) -> CodeToOpen:
    """What to open for a task. Nothing if no file matches it well enough."""
    collections = tuple(name for name in view.collections if name in CODE_COLLECTIONS)
    answer = recall(space, task, replace(view, collections=collections), k=_DEPTH, now=now, shared=True)
    own = [hit for hit in answer.hits if hit.project is None and hit.path]
    tests = [hit for hit in own if is_test_path(hit.path or "")]
    sources = _tables_first([hit for hit in own if not is_test_path(hit.path or "") and not _is_document(hit)])
    files = files_to_open(sources, leniency(tokens))
    with space.store.read() as reader:
        files = _with_tests(reader, files, tests, view)
        ids = [hit.id for file in files for hit in file.hits]
        versions = reader.memories.visible(ids, view) if ids else {}
    details = {memory_id: _details(version) for memory_id, version in versions.items()}
    shared = tuple(hit for hit in answer.hits if hit.project is not None)
    return CodeToOpen(tuple(files), details, shared, versions, answer.notices)


def _is_document(hit: Hit) -> bool:
    return hit.type == "section" or is_document(language_of_path(hit.path or ""))


def _tables_first(hits: Sequence[Hit]) -> list[Hit]:
    """Without migrations whose table is a hit too: the table says what all of them made of it."""
    covered = {reference.file_path for hit in hits if hit.kind == "table" for reference in hit.code_refs}
    return [
        hit
        for hit in hits
        if hit.kind == "table" or not (hit.path in covered and _MIGRATION.search(hit.path or "") is not None)
    ]


def _details(version: Version) -> CodeDetails:
    details = version.details
    is_function = details.get("type") in _FUNCTIONS
    parameters = tuple(details.get("params", ())) if is_function else None
    return CodeDetails(parameters, tuple(details.get("columns", ())))


def _with_tests(reader: Reader, files: Sequence[OpenFile], test_hits: Sequence[Hit], view: View) -> list[OpenFile]:
    """The files with the test files that call their symbols, are named after them, or match the task."""
    if not files:
        return []
    matching: dict[str, float] = {}
    for hit in test_hits:
        matching[hit.path or ""] = max(own_total(hit), matching.get(hit.path or "", -9.0))
    best = max(matching.values(), default=0.0)
    near = {path for path, total in matching.items() if total >= best - _TEST_BEHIND}
    named = _named_after(reader, files, view)
    calling = _calling(reader, files, view)
    made = []
    for file in files:
        votes = Counter(calling.get(file.path, ()))
        for path in {*votes, *named.get(file.path, ())}:
            votes[path] += 3 * (path in named.get(file.path, ())) + 2 * (path in near)
        ordered = sorted(votes, key=lambda path: (-votes[path], -matching.get(path, -9.0), path))
        made.append(replace(file, tests=tuple(ordered[:MOST_TESTS])))
    if not any(file.tests for file in made) and near:  # nothing says which file they test
        made[0] = replace(made[0], tests=tuple(sorted(near, key=lambda path: -matching[path])[:MOST_TESTS]))
    return made


def _named_after(reader: Reader, files: Sequence[OpenFile], view: View) -> dict[str, set[str]]:
    """Test files named after each file: `test_cli.py` for `cli.py`."""
    names: dict[str, str] = {}
    for file in files:
        stem, ending = posixpath.splitext(posixpath.basename(file.path))
        names |= {pattern.format(stem) + ending: file.path for pattern in _TEST_NAMES}
    numbers = reader.code.files_ending(list(names), 8 * len(files), view)
    named: dict[str, set[str]] = {}
    for sketch in reader.code.sketches(numbers).values():
        if is_test_path(sketch.path):
            named.setdefault(names[posixpath.basename(sketch.path)], set()).add(sketch.path)
    return named


def _calling(reader: Reader, files: Sequence[OpenFile], view: View) -> dict[str, list[str]]:
    """For each file, the test files that call the symbols shown of it, once for each call."""
    path_of = {hit.id: file.path for file in files for hit in file.hits if hit.kind == "symbol"}
    edges = reader.edges.of_kinds(list(path_of), ("calls",)) if path_of else []
    callers = {edge.from_id for edge in edges if edge.to_id in path_of}
    versions = reader.memories.visible(callers, view) if callers else {}
    calling: dict[str, list[str]] = {}
    for edge in edges:
        caller = versions.get(edge.from_id)
        if edge.to_id in path_of and caller is not None and caller.refs and is_test_path(caller.refs[0].file_path):
            calling.setdefault(path_of[edge.to_id], []).append(caller.refs[0].file_path)
    return calling
