"""Tasks from real commits: the text is the commit's message, the evidence is what the commit changed in its parent."""

import re
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.code.parse import parse
from waypost.code.source import SourceFile

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+")
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Task:
    commit: str
    text: str
    needs: tuple[str, ...]
    files: frozenset[str]  # changed source files, without tests and documents
    symbols: frozenset[str]  # innermost definitions around the changed lines
    tests: frozenset[str]  # changed test files


def data_of(name: str) -> Mapping[str, Any]:
    return tomllib.loads((_HERE / f"{name}.toml").read_text("utf-8"))


def git(clone: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def tasks_of(clone: Path, data: Mapping[str, Any]) -> list[Task]:
    """The tasks of a repository, oldest commit first."""
    tasks = [_task(clone, row) for row in data["task"]]
    return sorted(tasks, key=lambda task: int(git(clone, "show", "-s", "--format=%ct", f"{task.commit}^")))


def _task(clone: Path, row: Mapping[str, Any]) -> Task:
    commit = row["commit"]
    changed: dict[str, list[tuple[int, int]]] = {}
    path = ""
    for line in git(clone, "diff", "-U0", "--no-renames", f"{commit}^", commit).splitlines():
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") else ""
        elif path and (hunk := _HUNK.match(line)):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            changed.setdefault(path, []).append((start, start + max(count, 1) - 1))
    languages = {path: language_of_path(path) for path in changed}
    sources = {path for path, language in languages.items() if language and not is_document(language)}
    tests = {path for path in sources if is_test_path(path)}
    files = sources - tests
    symbols: set[str] = set()
    for path in files:
        symbols |= _around(path, git(clone, "show", f"{commit}^:{path}"), changed[path])
    return Task(commit, row["text"], tuple(row["needs"]), frozenset(files), frozenset(symbols), frozenset(tests))


def _around(path: str, text: str, ranges: list[tuple[int, int]]) -> set[str]:
    """The names of the innermost definitions that contain a changed line. A constructor is named by its class."""
    symbols = parse(SourceFile(path, language_of_path(path), text)).symbols
    names = set()
    for start, end in ranges:
        inside = [symbol for symbol in symbols if symbol.first_line <= end and start <= symbol.lines.end]
        parents = {symbol.parent for symbol in inside}
        for symbol in inside:
            if symbols.index(symbol) not in parents:
                parts = symbol.qualified.split(".")
                names.add(parts[-2] if parts[-1].startswith("__") and len(parts) > 1 else parts[-1])
    return names
