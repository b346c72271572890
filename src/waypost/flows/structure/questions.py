"""Answers to questions about structure in plain language, from the stored relations."""

import json
import re
import time as timing
from collections.abc import Sequence
from dataclasses import dataclass

from waypost.code.architecture.marks import variable_reads
from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.source import CONTAINERS
from waypost.flows.open_space import OpenSpace, architecture_key
from waypost.flows.structure.answers import SymbolUse, display_name, is_test
from waypost.flows.structure.impact import covering_tests
from waypost.flows.structure.lookup import at_line, choose
from waypost.flows.structure.uses import count_unresolved, related
from waypost.retrieve.structure_question import StructureQuestion
from waypost.store.protocol import Reader
from waypost.store.structure import SymbolSketch

MOST_TESTS = 1000
_SEARCH_SECONDS = 1.0  # for a variable in all files
_LARGEST = 2_000_000  # bytes of a file that is searched
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,60}")
MOST_MEANT = 5  # symbols with one name, about which a question is answered together
_CODE_NAME = re.compile(r"[._:#/]|[a-z0-9][A-Z]")  # no other words look like this


@dataclass(frozen=True, slots=True)
class StructuralAnswer:
    """Symbols that answer a question, the most direct first."""

    relation: str
    name: str
    place: str  # of the symbol, table or key in question
    rows: Sequence[SymbolUse]
    unresolved: int = 0  # calls by this name with an unknown target
    meant: int = 1  # symbols with this name; if there are too many, none is answered about

    @property
    def command(self) -> str:
        """The command that lists all rows."""
        if self.relation == "tests":
            return f"waypost impact {self.name}"
        direction = "" if self.relation == "callers" else f" --direction {self.relation}"
        return f"waypost uses {self.name}{direction}"


def answer_question(space: OpenSpace, reader: Reader, question: StructureQuestion) -> StructuralAnswer | None:
    """The answer of the stored relations. None if nothing has this name."""
    if question.relation == "table":
        return _table(space, reader, question)
    key = _key(space, reader, question)
    if key is not None or question.relation == "key":
        return key
    return _symbol(space, reader, question)


def absent_name(question: StructureQuestion) -> str:
    """The name of code in a question that `answer_question` can't answer. "" for other words."""
    return question.name if _CODE_NAME.search(question.name) else ""


def _symbol(space: OpenSpace, reader: Reader, question: StructureQuestion) -> StructuralAnswer | None:
    checkout = space.identity.checkout_id
    named = choose(space, reader, question.name)
    chosen = named.symbols or named.candidates
    if not chosen:
        return None
    if len(chosen) > MOST_MEANT:
        first = f"{chosen[0].path}#{chosen[0].qualified}"
        return StructuralAnswer(question.relation, question.name, first, (), meant=len(chosen))
    if question.relation == "tests":
        rows = covering_tests(reader, checkout, chosen, MOST_TESTS)
    else:
        direction = (
            "references" if question.relation == "callers" and chosen[0].type != "function" else question.relation
        )
        rows = related(reader, checkout, chosen, direction)
        if question.relation == "callers":
            calls = [row for row in rows if row.kind == "calls"]
            is_called = chosen[0].type == "constant" and bool(calls)  # a function that another one made
            rows = calls if is_called else [row for row in rows if row.kind != "imports"]
    place = f"{chosen[0].path}:{chosen[0].line}"
    unresolved = count_unresolved(space, reader, chosen) if question.relation == "callers" else 0
    return StructuralAnswer(question.relation, display_name(chosen[0]), place, rows, unresolved)


def _key(space: OpenSpace, reader: Reader, question: StructureQuestion) -> StructuralAnswer | None:
    """Where an environment variable is read."""
    if question.relation not in ("key", "callers") or not _VARIABLE.fullmatch(question.name):
        return None
    architecture = json.loads(reader.meta.get(architecture_key(space)) or "{}")
    is_known = question.name in architecture.get("configuration", {}).get("variables", {})
    if question.relation == "callers" and not is_known:
        return None
    reads, named = _variable_places(space, reader, question.name)
    places = reads or named
    if not places:
        return None
    checkout = space.identity.checkout_id
    rows = [
        _row(symbol, line, "reads" if reads else "mentions")
        for path, line in places
        for symbol in at_line(reader.structure.in_files(checkout, [path]), line)
    ]
    return StructuralAnswer("key", question.name, f"{places[0][0]}:{places[0][1]}", rows)


def _variable_places(
    space: OpenSpace, reader: Reader, name: str
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Path and line where code reads an environment variable, tests last; and where it stands in quotes."""
    reads, named = list[tuple[str, int]](), list[tuple[str, int]]()
    root, end = space.identity.root, timing.monotonic() + _SEARCH_SECONDS
    paths = reader.code.files(space.identity.checkout_id) if root is not None else {}
    for path in sorted(paths, key=is_test_path):
        language = language_of_path(path)
        content = read_bytes(root, path, _LARGEST) if root and language and not is_document(language) else None
        if content is None or isinstance(content, Unread) or name.encode() not in content[0]:
            continue
        text = content[0].decode("utf-8", "replace")
        reads += [(path, line) for line in variable_reads(text, name)]
        quoted = re.finditer(f"[\"']{name}[\"']", text)
        named += [(path, text.count("\n", 0, match.start()) + 1) for match in quoted]
        if timing.monotonic() > end:
            break
    return reads, named


def _table(space: OpenSpace, reader: Reader, question: StructureQuestion) -> StructuralAnswer | None:
    """Code that names a table in SQL, or uses its model classes."""
    checkout = space.identity.checkout_id
    tables = [
        row for row in reader.code.derived_of_kind(checkout, "table") if row.name.lower() == question.name.lower()
    ]
    versions = reader.memories.by_number([row.number for row in tables])
    models: dict[str, SymbolSketch] = {}
    for version in versions.values():
        for ref in version.refs:
            in_file = reader.structure.in_files(checkout, [ref.file_path])
            if ref.line_range is not None:
                models |= {s.id: s for s in at_line(in_file, ref.line_range.start) if s.kind == "symbol"}
    wanted = question.name.lower()
    ids = [key for key, names in reader.structure.tables(checkout).items() if wanted in map(str.lower, names)]
    named = [symbol for symbol in reader.structure.with_ids(checkout, ids) if symbol.type not in CONTAINERS]
    if not versions and not named:
        return None
    rows = related(reader, checkout, list(models.values()), "references") if models else []
    listed = {row.id for row in rows}
    rows += [_row(symbol, symbol.line, "queries") for symbol in named if symbol.id not in listed]
    place = next((str(ref) for version in versions.values() for ref in version.refs), "")
    place = place or f"{named[0].path}:{named[0].line}"
    return StructuralAnswer("table", question.name, place, [row for row in rows if row.kind != "imports"])


def _row(symbol: SymbolSketch, line: int, kind: str) -> SymbolUse:
    return SymbolUse(
        *(display_name(symbol), symbol.path, line, kind, 1.0, 1, None, symbol.id, (line,)), is_test(symbol)
    )
