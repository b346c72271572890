"""Structural questions in three languages, asked through `recall`, beside a text search; and names that do not exist.

    python -m benchmarks.structure_questions TREES [QUESTIONS.toml]

`TREES` has the checkouts that the questions name, indexed in the data directory (`WAYPOST_HOME`). An answer is exact if
the symbols around all calls that a text search finds are listed, and no others.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost import Memory

MOST = 500  # hits
DEFINITION = r"^\s*(?:export |async |static )*(?:def|func(?: \([^)]*\))?|function|class)\s+{name}\b"
COMMENT = re.compile(r"\s*(?:#|//|\*)")


def main() -> None:
    trees = Path(sys.argv[1])
    questions = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).with_suffix(".toml")
    data = tomllib.loads(questions.read_text(encoding="utf-8"))
    exact = total = reported = absent = 0
    for repository in data["repository"]:
        tree = trees / repository["name"]
        with Memory.open(tree) as memory:
            for relation in ("callers", "implementors"):
                for question, name in repository.get(relation, ()):
                    difference = _difference(memory, tree, repository, relation, question, name)
                    total += 1
                    exact += not difference
                    if difference:
                        print(f"{repository['name']}: {question} {difference}")
            for number, name in enumerate(repository["absent"]):
                question = ("who calls {}?", "wer ruft {} auf?", "кто вызывает {}?")[number % 3].format(name)
                notices = memory.recall(question).notices
                absent += 1
                is_reported = not memory.code.symbols(name).symbols and any(name in notice for notice in notices)
                reported += is_reported
                if not is_reported:
                    print(f"{repository['name']}: {question} is not reported as absent: {notices}")
    print(f"{exact} of {total} answers are exact, {reported} of {absent} absent names are reported")


def _difference(memory: Memory, tree: Path, repository: dict[str, Any], relation: str, question: str, name: str) -> str:
    own = {symbol.id for symbol in memory.code.symbols(name).symbols}  # recursion is not listed
    hits = {hit.id: (hit.path, hit.name) for hit in memory.recall(question, MOST).hits if hit.path}
    lines = list(_lines(tree, repository["endings"], relation, name))
    wanted = {}
    for path, line in lines:
        (symbol,) = memory.code.symbols(f"{path}:{line}").symbols
        wanted[symbol.id] = (path, symbol.qualified)
    wanted = {ident: place for ident, place in wanted.items() if ident not in own}
    missing, extra = [wanted[i] for i in wanted.keys() - hits.keys()], [hits[i] for i in hits.keys() - wanted.keys()]
    if not wanted:
        return "has no answer by text search"
    return f"missing {sorted(missing, key=str)[:4]} extra {sorted(extra, key=str)[:4]}" if missing or extra else ""


def _lines(tree: Path, endings: list[str], relation: str, name: str) -> Iterator[tuple[str, int]]:
    """Where the name is called, or subclassed (also by subclasses), by a text search."""
    names, seen = [name], set()
    while names:
        wanted = names.pop()
        pattern = (
            rf"^\s*class (\w+)\([^)]*\b{wanted}\b"
            if relation == "implementors"
            else rf"(?<![\w$]){wanted}(?:\[(?:[^][]|\[[^][]*\])*\])?(?:\.call|\.apply)?\("
        )
        definition = re.compile(DEFINITION.format(name=re.escape(wanted)))
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, capture_output=True, check=True).stdout
        for path in listed.decode().split("\0"):
            if not path.endswith(tuple(endings)):
                continue
            for number, line in enumerate((tree / path).read_text(errors="replace").split("\n"), 1):
                match = re.search(pattern, line)
                if match is None or COMMENT.match(line) or (relation == "callers" and definition.match(line)):
                    continue
                if relation == "implementors" and (path, number) not in seen:
                    names.append(match[1])
                seen.add((path, number))
    yield from sorted(seen)


if __name__ == "__main__":
    main()
