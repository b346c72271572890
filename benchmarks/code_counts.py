"""Do the symbols that are found agree with an independent count? `python -m benchmarks.code_counts TREE…`

Python is counted by its own `ast`: name, first and last line of every function and class, in every file that is read.
Other languages by Universal Ctags, where it is installed: name and line of functions, methods and types. Ctags reads
with rules of its own and is no judge: its known mistakes are left out (`_is_mistaken`), and what differs goes to a file
(`--differences`), to be looked at. Then each tree is
indexed without vectors, in a process and a home of its own (`--no-init` leaves that out).
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.speed import table

from waypost.code.files.languages import language_of_path
from waypost.code.files.reading import Unread, read_source
from waypost.code.files.walk import walk
from waypost.code.parse import parse
from waypost.code.source import Parsed, SourceFile, Symbol
from waypost.text.secrets.masking import mask

ROOT = Path(__file__).resolve().parent.parent
PYTHON_KINDS = frozenset({"function", "method", "property", "class"})
# What ctags calls the things that we call functions, methods, properties with code, and types.
CTAGS_KINDS = {
    "javascript": {"function", "class", "method", "generator", "getter", "setter"},
    "typescript": {"function", "class", "interface", "enum", "method", "namespace", "generator", "alias"},
    "tsx": {"function", "class", "interface", "enum", "method", "namespace", "generator", "alias"},
    "go": {"func", "type", "struct", "interface", "talias"},
    "rust": {"function", "method", "struct", "interface", "enum", "typedef", "module", "macro"},
    "java": {"class", "interface", "enum", "method", "annotation"},
    "csharp": {"class", "interface", "enum", "method", "struct"},
    "ruby": {"class", "module", "method", "singletonMethod"},
    "php": {"class", "interface", "trait", "function"},
    "c": {"function", "struct", "enum", "union", "typedef", "macro"},
    "cpp": {"function", "class", "struct", "enum", "union"},
    "kotlin": {"class", "interface", "object", "method", "typealias"},
    "shell": {"function"},
}
_EXTRA_KINDS = frozenset({"function", "method", "class", "interface", "trait", "struct", "enum"})
_SHOWN = 3


class Definition(NamedTuple):
    name: str
    line: int
    end: int  # 0: not told
    kind: str


@dataclass(slots=True)
class Tally:
    """How two counts of one language agree."""

    files: int = 0
    theirs: int = 0
    exact: int = 0  # same name and line, and last line where it is told
    near: int = 0  # same name, the line is one that belongs to the symbol
    ends: int = 0  # of the exact ones: their last line is told, and the same
    told_ends: int = 0
    extra: int = 0  # ours that they have not
    missing: Counter[str] = field(default_factory=Counter)  # by kind
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def row(self, label: str) -> list[str]:
        share = 100 * self.exact / max(self.theirs, 1)
        both = 100 * (self.exact + self.near) / max(self.theirs, 1)
        ends = f"{100 * self.ends / self.told_ends:.2f}" if self.told_ends else "–"
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.missing.most_common(_SHOWN))
        return [
            label,
            f"{self.files}",
            f"{self.theirs:,}",
            f"{share:.2f}",
            f"{both:.2f}",
            ends,
            f"{self.extra:,}",
            kinds,
        ]

    def add(self, other: "Tally") -> None:
        for name in ("files", "theirs", "exact", "near", "ends", "told_ends", "extra"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.missing.update(other.missing)
        for kind, found in other.examples.items():
            self.examples[kind] += found


HEAD = ["", "files", "defined", "found, %", "or near, %", "last line, %", "only ours", "missing"]


def sources(root: Path) -> Iterator[tuple[SourceFile, str]]:
    """Every file that is read, as it is parsed (masked) and as it is."""
    for entry in walk(root):
        if not entry.skipped:
            read = read_source(root, entry.path, named=entry.named)
            if not isinstance(read, Unread):
                text = mask(read.text).text
                yield SourceFile(entry.path, language_of_path(entry.path, text), text), read.text


def compare(path: str, parsed: Parsed, theirs: Sequence[Definition], tally: Tally) -> None:
    ours: dict[str, list[int]] = defaultdict(list)
    for place, symbol in enumerate(parsed.symbols):
        ours[_plain(symbol.name)].append(place)
    taken: set[int] = set()
    tally.files, tally.theirs = tally.files + 1, tally.theirs + len(theirs)
    rest = []
    for one in theirs:
        same = [
            p for p in ours.get(_plain(one.name), ()) if p not in taken and parsed.symbols[p].lines.start == one.line
        ]
        if same:
            taken.add(same[0])
            _count_exact(path, one, parsed.symbols[same[0]], tally)
        else:
            rest.append(one)
    for one in rest:
        around = [p for p in ours.get(_plain(one.name), ()) if p not in taken and _holds(parsed.symbols[p], one.line)]
        if around:
            near = min(around, key=lambda p: parsed.symbols[p].lines.end - parsed.symbols[p].lines.start)
            taken.add(near)
            tally.near += 1
            tally.examples["other line"].append(
                f"{path}:{one.line} {one.name}, ours {parsed.symbols[near].lines.start}"
            )
        else:
            tally.missing[one.kind] += 1
            tally.examples[f"missing {one.kind}"].append(f"{path}:{one.line} {one.name}")
    for place, symbol in enumerate(parsed.symbols):
        if place not in taken and symbol.kind in _EXTRA_KINDS:
            tally.extra += 1
            tally.examples[f"only ours {symbol.kind}"].append(f"{path}:{symbol.lines.start} {symbol.qualified}")


def _plain(name: str) -> str:
    return name.replace(" ", "").strip("`")


def _holds(symbol: Symbol, line: int) -> bool:
    return symbol.first_line <= line <= symbol.lines.end


def _count_exact(path: str, one: Definition, symbol: Symbol, tally: Tally) -> None:
    tally.exact += 1
    if one.end:
        tally.told_ends += 1
        tally.ends += symbol.lines.end == one.end
        if symbol.lines.end != one.end:
            tally.examples["other last line"].append(f"{path}:{one.line} {one.name} {one.end}, ours {symbol.lines.end}")


def python_definitions(text: str) -> list[Definition] | None:
    """None: this Python cannot read it (another version's, or broken on purpose)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
    return [
        Definition(node.name, node.lineno, node.end_lineno or 0, type(node).__name__)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


def ctags_definitions(root: Path, wanted: dict[str, str]) -> dict[str, list[Definition]]:
    """By path, for the paths and languages that are wanted."""
    command = ["ctags", "--output-format=json", "--fields=+neK", "--extras=-{anonymous}", "-f", "-", "-L", "-"]
    command.insert(1, "--map-TypeScript=+.tsx")
    done = subprocess.run(command, cwd=root, input="\n".join(wanted), capture_output=True, text=True, check=True)
    found: dict[str, dict[tuple[str, int], Definition]] = defaultdict(dict)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag":
            continue
        path, name, kind = tag["path"], tag["name"], tag["kind"]
        language = wanted[path]
        if kind not in CTAGS_KINDS[language] or _is_mistaken(language, tag):
            continue
        if language == "cpp" and "operator" not in name and "<" not in name:
            name = name.rpartition("::")[2]
        # `app.use = function use()` has two tags for one function.
        found[path].setdefault((name, tag["line"]), Definition(name, tag["line"], tag.get("end", 0), kind))
    return {path: list(definitions.values()) for path, definitions in found.items()}


def _is_mistaken(language: str, tag: dict[str, str]) -> bool:
    """What ctags 5.9 takes for a definition and is none, or has no name of its own."""
    name, kind, text = tag["name"], tag["kind"], tag.get("pattern", "")[2:-2]
    match language:
        case "javascript":  # object literals with functions in them; `String.prototype.x = …` defines no class
            return kind == "class" and not re.search(rf"\b(?:class|function)\s+{re.escape(name)}\b", text)
        case "typescript" | "tsx":
            # Not `import { type A, … }`.
            start = rf"\s*(?:export\s+|declare\s+)*type\s+{re.escape(name)}\s*(?![\w\s,}}])"
            bogus = kind == "alias" and not re.match(start, text)
            return bogus or name in {"if", "for", "while", "switch", "new", "extends", "return", "catch"}
        case "kotlin":  # lambdas and their parameters, companions without a name
            no_function = kind == "method" and not re.search(r"\b(?:fun|constructor)\b", text)
            return no_function or (kind == "object" and name == "Companion")
        case "c" | "cpp":  # a macro is used, and names something else; a guard of a header
            used = kind == "function" and re.fullmatch(r"[A-Z0-9_]+", name) is not None
            return used or (kind == "macro" and re.fullmatch(r"\s*#\s*define\s+\w+\s*", text) is not None)
        case "csharp":  # calls at the top level; type parameters
            call = "." in name or name == "typeof" or text.strip().startswith((".", "await "))
            return call or (kind == "interface" and f"<{name}>" in text)
        case "rust":  # declares a file
            return kind == "module" and text.rstrip().endswith(";")
        case "java":  # a constant of an enum that has a body
            return kind == "method" and text.strip().startswith(f"{name}(") and name.isupper()
    return False


def count(root: Path, with_ctags: bool) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    others: dict[str, Parsed] = {}
    for source, raw in sources(root):
        parsed = parse(source)
        if source.language == "python":
            theirs = python_definitions(raw)
            if theirs is not None:
                compare(source.path, parsed, theirs, tallies["python"])
        elif source.language in CTAGS_KINDS and "\n" not in source.path:
            others[source.path] = parsed
    if with_ctags and others:
        found = ctags_definitions(root, {path: parsed.language for path, parsed in others.items()})
        for path, parsed in others.items():
            compare(path, parsed, found.get(path, ()), tallies[parsed.language])
    return tallies


def init(root: Path) -> dict[str, object]:
    """Index the tree in a process and a home of its own, without vectors."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.indexing_stages", "first", str(root), "structure"],
            env=os.environ | {"WAYPOST_HOME": home, "WAYPOST_BACKGROUND": "0"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return told


def init_row(name: str, told: dict[str, object]) -> list[str]:
    if "failed" in told:
        return [name, f"failed: {told['failed']}", *[""] * 7]
    skipped = told["skipped"]
    assert isinstance(skipped, dict)
    reasons = ", ".join(f"{reason} {number}" for reason, number in list(skipped.items())[:4])
    numbers = [f"{told[one]:,}" for one in ("files", "lines", "symbols", "broken")]
    return [
        name,
        *numbers,
        f"{told['answers_s']:.1f}",
        f"{told['answers_cpu_s']:.1f}",
        f"{told['disk_mb']:.1f}",
        reasons,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="+", metavar="TREE")
    parser.add_argument("--no-init", action="store_true", help="count only")
    parser.add_argument("--differences", type=Path, help="write what differs, a line each, to this file")
    given = parser.parse_args()
    with_ctags = shutil.which("ctags") is not None
    if not with_ctags:
        print("ctags is not here: only Python is counted.", file=sys.stderr)
    totals: dict[str, Tally] = defaultdict(Tally)
    by_tree, inits, differences = [], [], []
    for tree in given.trees:
        print(f"… {tree.name}", file=sys.stderr, flush=True)
        for language, tally in sorted(count(tree.absolute(), with_ctags).items()):
            by_tree.append(tally.row(f"{tree.name}, {language}"))
            totals[language].add(tally)
            differences += [
                f"{tree.name}\t{language}\t{kind}\t{one}" for kind, found in tally.examples.items() for one in found
            ]
        if not given.no_init:
            inits.append(init_row(tree.name, init(tree.absolute())))
    if given.differences:
        given.differences.write_text("\n".join(differences) + "\n", "utf-8")
    print(table(HEAD, [tally.row(language) for language, tally in sorted(totals.items())]))
    print(table(HEAD, by_tree))
    if inits:
        head = ["", "files", "lines", "symbols", "broken", "seconds", "processor, s", "MB", "skipped"]
        print(table(head, inits))


if __name__ == "__main__":
    main()
