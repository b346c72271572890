"""A repository of any size: `python -m benchmarks.big_tree DIR --lines 1000000` writes one; `--measure` indexes it.

Python, TypeScript, Go, Java and Markdown; modules import and call each other; names and sentences are made of 600 words,
so that keywords repeat as they do in real code. The same seed gives the same tree. `--measure` indexes the tree without
vectors in a new process and prints what it took and where its memory went. `--compare 100000 300000 1000000` does both
for several sizes: memory is bounded if it grows far less than the tree.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed import table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results"
_WORDS = Path(__file__).with_name("big_tree_words.toml")
_FILES_IN_FOLDER = 30
_IMPORTS = 6  # at most
_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class Function:
    name: str  # two words, joined by "_"
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """What others may import."""

    folder: str  # "billing/refund"
    name: str  # two words, joined by "_"
    type: str  # two words, joined by "_"
    functions: tuple[Function, ...]


class Chance:
    """Draws words; frequent ones are drawn more often, as in real names."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        told: dict[str, str] = tomllib.loads(_WORDS.read_text("utf-8"))
        self._words = {kind: words.split() for kind, words in told.items()}

    def word(self, kind: str) -> str:
        words = self._words[kind]
        return words[int(len(words) * self.random.random() ** 1.7)]

    def name(self, *kinds: str) -> str:
        return "_".join(self.word(kind) for kind in kinds)

    def sentence(self) -> str:
        """What a comment says."""
        middle = f"{self.word('verbs')} the {self.word('adjectives')} {self.word('nouns')}"
        return f"{self.word('verbs').capitalize()} each {self.word('nouns')} and {middle} of a {self.word('nouns')}."

    def module(self, folder: str) -> Module:
        functions = tuple(
            Function(self.name("verbs", "adjectives", "nouns"), tuple(dict.fromkeys(self._arguments())))
            for _ in range(self.random.randint(3, 9))
        )
        unique = {function.name: function for function in functions}
        return Module(folder, self.name("nouns", "nouns"), self.name("adjectives", "nouns"), tuple(unique.values()))

    def _arguments(self) -> list[str]:
        return [self.word("nouns") for _ in range(self.random.randint(1, 3))]


def camel(name: str, *, upper: bool = False) -> str:
    first, *rest = name.split("_")
    return (first.capitalize() if upper else first) + "".join(word.capitalize() for word in rest)


# -- languages: a module and those that it uses become a text ---------------------------------------------

Uses = list[Module]


def _call(chance: Chance, uses: Uses) -> tuple[Module, Function] | None:
    if not uses:
        return None
    module = chance.random.choice(uses)
    return module, chance.random.choice(module.functions)


def python(module: Module, uses: Uses, chance: Chance) -> str:
    lines = [f'"""{chance.sentence()}"""', "", "import logging", "from dataclasses import dataclass", ""]
    for used in uses:
        names = ", ".join(sorted({one.name for one in used.functions}))
        lines.append(f"from {used.folder.replace('/', '.')}.{used.name} import {names}")
    kind = camel(module.type, upper=True)
    lines += ["", "logger = logging.getLogger(__name__)", f"MOST_{chance.word('nouns').upper()} = 100", "", ""]
    lines += ["@dataclass", f"class {kind}:", f'    """{chance.sentence()}"""', ""]
    lines += [f"    {chance.word('nouns')}: int = {number}" for number in range(3)] + [""]
    for function in module.functions[::2]:
        lines += [
            f"    def {function.name}(self, {', '.join(function.arguments)}):",
            f'        """{chance.sentence()}"""',
        ]
        lines += [*_python_body(function, uses, chance, "        "), ""]
    for function in module.functions:
        lines += ["", f"def {function.name}({', '.join(f'{one}=None' for one in function.arguments)}):"]
        lines += [f'    """{chance.sentence()}"""', *_python_body(function, uses, chance, "    "), ""]
    return "\n".join(lines) + "\n"


def _python_body(function: Function, uses: Uses, chance: Chance, indent: str) -> list[str]:
    lines = [f"{indent}found = []"]
    for argument in function.arguments:
        lines += [f"{indent}if {argument} is None:", f'{indent}    raise ValueError("{chance.sentence()}")']
        lines += [f"{indent}for {chance.word('nouns')} in {argument}:", f"{indent}    # {chance.sentence()}"]
        call = _call(chance, uses)
        lines.append(f"{indent}    found.append({call[1].name if call else 'str'}({argument}))")
    lines.append(f'{indent}logger.info("{chance.name("verbs", "nouns")}", found)')
    return [*lines, f"{indent}return found"]


def typescript(module: Module, uses: Uses, chance: Chance) -> str:
    lines = [f"// {chance.sentence()}"]
    for used in uses:
        names = ", ".join(sorted({camel(one.name) for one in used.functions}))
        up = "../" * (module.folder.count("/") + 1)
        lines.append(f"import {{ {names} }} from '{up}{used.folder}/{used.name}'")
    kind = camel(module.type, upper=True)
    lines += ["", f"export interface {kind}Options {{", f"  {chance.word('nouns')}: string", "}", ""]
    lines += [
        "/**",
        f" * {chance.sentence()}",
        " */",
        f"export class {kind} {{",
        f"  private {chance.word('nouns')} = 0",
    ]
    for function in module.functions[::2]:
        lines += ["", f"  async {camel(function.name)}({_typed(function, ': string[]')}): Promise<string[]> {{"]
        lines += [*_braces_body(function, uses, chance, "    ", "const found: string[] = []", "// "), "  }"]
    lines += ["}", ""]
    for function in module.functions:
        lines += [f"/** {chance.sentence()} */"]
        lines += [f"export function {camel(function.name)}({_typed(function, ': string[]')}): string[] {{"]
        lines += [*_braces_body(function, uses, chance, "  ", "const found: string[] = []", "// "), "}", ""]
    return "\n".join(lines) + "\n"


def _typed(function: Function, kind: str) -> str:
    return ", ".join(f"{one}{kind}" for one in function.arguments)


def _braces_body(
    function: Function, uses: Uses, chance: Chance, indent: str, first: str, comment: str, name: str = "{}"
) -> list[str]:
    lines = [f"{indent}{first}"]
    for argument in function.arguments:
        lines += [
            f"{indent}for (const {chance.word('nouns')}Item of {argument}) {{",
            f"{indent}  {comment}{chance.sentence()}",
        ]
        call = _call(chance, uses)
        lines += [
            f"{indent}  found.push(...{name.format(camel(call[1].name) if call else 'String')}({argument}))",
            f"{indent}}}",
        ]
    return [*lines, f"{indent}return found"]


def go(module: Module, uses: Uses, chance: Chance) -> str:
    package = module.folder.rpartition("/")[2]
    lines = [f"// Package {package}: {chance.sentence()}", f"package {package}", "", "import (", '\t"fmt"']
    folders = {used.folder: used for used in uses if used.folder != module.folder}
    lines += [f'\t"example.org/shop/{folder}"' for folder in folders] + [")", ""]
    kind = camel(module.type, upper=True)
    lines += [
        f"// {kind}: {chance.sentence()}",
        f"type {kind} struct {{",
        f"\t{chance.word('nouns').title()} int",
        "}",
        "",
    ]
    for place, function in enumerate(module.functions):
        arguments = ", ".join(f"{one}s []string" for one in function.arguments)
        receiver = f"(own *{kind}) " if place % 2 else ""
        lines += [
            f"// {chance.sentence()}",
            f"func {receiver}{camel(function.name, upper=True)}({arguments}) []string {{",
        ]
        lines.append("\tfound := []string{}")
        for argument in function.arguments:
            call = _call(chance, list(folders.values()))
            target = f"{call[0].folder.rpartition('/')[2]}.{camel(call[1].name, upper=True)}" if call else "clean"
            lines += [f"\tfor _, {argument} := range {argument}s {{", f"\t\t// {chance.sentence()}"]
            lines += [f"\t\tfound = append(found, {target}({argument}s)...)", f"\t\tfmt.Println({argument})", "\t}"]
        lines += ["\treturn found", "}", ""]
    return "\n".join(lines) + "\n"


def java(module: Module, uses: Uses, chance: Chance) -> str:
    kind = camel(module.name, upper=True)
    lines = [f"package org.example.{module.folder.replace('/', '.')};", "", "import java.util.List;"]
    for used in uses:
        lines += [f"import org.example.{used.folder.replace('/', '.')}.{camel(used.name, upper=True)};"]
    lines += ["", "/**", f" * {chance.sentence()}", " */", f"public class {kind} {{"]
    lines += [f"    private final List<String> {chance.word('nouns')} = List.of();", ""]
    for function in module.functions:
        arguments = ", ".join(f"List<String> {one}" for one in function.arguments)
        lines += [
            f"    /** {chance.sentence()} */",
            f"    public static List<String> {camel(function.name)}({arguments}) {{",
        ]
        for argument in function.arguments:
            call = _call(chance, uses)
            target = f"{camel(call[0].name, upper=True)}.{camel(call[1].name)}" if call else "List.copyOf"
            lines += [f"        for (String one : {argument}) {{", f"            // {chance.sentence()}"]
            lines += [f"            {target}({argument});", "        }"]
        lines += [f"        return {function.arguments[0]};", "    }", ""]
    return "\n".join([*lines, "}"]) + "\n"


def markdown(module: Module, uses: Uses, chance: Chance) -> str:
    lines = [f"# {module.name.replace('_', ' ').title()}", "", chance.sentence(), ""]
    for function in module.functions:
        lines += [f"## {function.name.replace('_', ' ').capitalize()}", ""]
        lines += [f"{chance.sentence()} {chance.sentence()}" for _ in range(chance.random.randint(4, 12))]
        lines += ["", f"See `{chance.random.choice(uses or [module]).name}`.", ""]
    return "\n".join(lines) + "\n"


Writer = Callable[[Module, Uses, Chance], str]
# Language: how its files end, its part of all files, who writes it.
LANGUAGES: dict[str, tuple[str, float, Writer]] = {
    "python": (".py", 0.38, python),
    "typescript": (".ts", 0.24, typescript),
    "go": (".go", 0.16, go),
    "java": (".java", 0.16, java),
    "markdown": (".md", 0.06, markdown),
}


def write_tree(target: Path, lines: int, seed: int = 41) -> dict[str, int]:
    """Files and lines that were written."""
    chance = Chance(seed)
    known: dict[str, list[Module]] = {name: [] for name in LANGUAGES}
    folders: dict[str, str] = {}
    written = files = 0
    taken: set[Path] = set()
    while written < lines:
        (language,) = chance.random.choices(list(LANGUAGES), [part for _, part, _ in LANGUAGES.values()])
        ending, _, writer = LANGUAGES[language]
        if len(known[language]) % _FILES_IN_FOLDER == 0 or language not in folders:
            folders[language] = f"{language}_{chance.word('nouns')}/{chance.name('nouns', 'nouns').replace('_', '')}"
        module = chance.module(folders[language])
        name = camel(module.name, upper=True) if language == "java" else module.name
        path = target / module.folder / f"{name}{ending}"
        if path in taken:
            continue
        taken.add(path)
        earlier = known[language][-600:]  # people mostly use what is near
        uses = list({one.name: one for one in chance.random.choices(earlier, k=_IMPORTS)}.values()) if earlier else []
        text = writer(module, uses[: chance.random.randint(0, _IMPORTS)], chance)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        known[language].append(module)
        written, files = written + text.count("\n"), files + 1
    (target / "go.mod").write_text("module example.org/shop\n\ngo 1.22\n", "utf-8")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Everything")):
        subprocess.run([*_GIT, *arguments], cwd=target, check=True, stdout=subprocess.DEVNULL)
    return {"files": files + 1, "lines": written + 3}


# -- measuring --------------------------------------------------------------------------------------------


def measure(tree: Path, home: Path) -> dict[str, Any]:
    """Index a tree in a new process, then draw its conclusions once more in another, part by part."""
    figures: dict[str, Any] = {}
    for stage in ("growth", "conclusions"):
        print(f"… {stage} {tree.name}", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.memory_stages", stage, str(tree)],
            env=os.environ | {"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        figures |= json.loads(done.stdout.splitlines()[-1])
    return figures


def report(rows: list[dict[str, Any]]) -> str:
    columns = {
        "lines": "lines", "files": "files", "symbols": "symbols", "answers_s": "seconds", "answers_cpu_s": "processor, s",
        "reading_mb": "peak while reading, MB", "concluding_mb": "peak while concluding, MB",
        "children_mb": "children, MB", "disk_mb": "disk, MB",
    }  # fmt: skip
    sizes = table(list(columns.values()), [[f"{row[name]:,.0f}" for name in columns] for row in rows])
    parts = list(rows[-1]["parts"])
    memory = table(
        ["conclusions, MB held after / seconds", *(f"{row['lines']:,} lines" for row in rows)],
        [[part, *(f"{row['parts'][part][0]:,.0f} / {row['parts'][part][1]:.1f}" for row in rows)] for part in parts],
    )
    return f"{sizes}\n{memory}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, metavar="DIR")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--measure", action="store_true", help="index it too")
    parser.add_argument("--compare", type=int, nargs="+", metavar="LINES", help="make and index trees of these sizes")
    given = parser.parse_args()
    sizes = given.compare or [given.lines]
    rows = []
    for lines in sizes:
        target = given.target / str(lines) if given.compare else given.target
        if not target.exists():
            print(write_tree(target, lines, given.seed), file=sys.stderr)
        if given.measure or given.compare:
            with tempfile.TemporaryDirectory() as home:
                rows.append(measure(target.absolute(), Path(home)))
    if rows:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "big_tree.json").write_text(json.dumps(rows, indent=1), "utf-8")
        print(report(rows))


if __name__ == "__main__":
    main()
