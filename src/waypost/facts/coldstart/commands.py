"""The commands that build, run, test and check a project: targets, scripts, pipeline steps."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from waypost.facts.coldstart.slots import OBSERVED, STATED
from waypost.facts.coldstart.tree import ProjectTree, at, items, join, strings, table

_MAKE = re.compile(r"^([A-Za-z0-9][\w.\-/]{0,60})[ \t]{0,10}:(?![:=])")
_JUST = re.compile(r"^@?([a-z][\w\-]{0,60})(?: [^:=\n]{0,100})?:(?!=)")
_NOX = re.compile(r"^@nox\.session[^\n]{0,200}\n(?:@[^\n]{0,200}\n){0,5}def (\w{1,60})\(", re.MULTILINE)
_TOX = re.compile(r"^\[testenv\]", re.MULTILINE)
_INSTALLS = re.compile(r"\b(?:install|pip|sync|npm ci|venv)\b")
_LOCK_FILES = {"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock", "bun run": "bun.lock*", "npm run": "package-lock.json"}
_LONGEST = 110  # characters of a command in a fact
_MOST_LINES = 3_000
_MOST_WORKFLOWS = 15

# Names of targets and scripts by purpose, the most reliable first.
_KINDS: dict[str, tuple[str, ...]] = {
    "test": ("test", "tests", "unittest", "unit-test", "test-unit", "test:unit", "pytest", "phpunit", "spec", "check"),
    "build": ("build", "compile", "dist", "build:prod", "package", "bundle"),
    "run": ("dev", "start:dev", "serve", "start", "run", "server", "up", "runserver"),
    "lint": ("lint", "linting", "lint-all", "style", "phpcs", "cs", "analyse", "stan", "typecheck", "type-check"),
    "format": ("format", "fmt", "cs-fix", "lint:fix", "lint-fix", "fix"),
}


@dataclass(frozen=True, slots=True)
class Command:
    """A command to type, and what it runs if that is short."""

    line: str
    does: str
    ref: str
    sure: float = STATED


def commands(tree: ProjectTree, folder: str, scripts_with: str = "") -> dict[str, Command]:
    """The command of each kind in a folder, the most reliable of several.

    `scripts_with` calls the scripts of package.json. If empty, they are skipped.
    """
    offers = list(_offers(tree, folder, scripts_with))
    commands_by_kind: dict[str, Command] = {}
    for kind, names in _KINDS.items():
        for name in names:
            matching = [command for offer, command in offers if offer == name]
            matching = [command for command in matching if kind != "run" or not _INSTALLS.search(command.does)]
            if matching:
                commands_by_kind[kind] = matching[0]
                break
    if "test" not in commands_by_kind or commands_by_kind["test"].line.endswith("check"):
        runner = next(_runners(tree, folder), None)
        if runner is not None:
            commands_by_kind["test"] = runner
    return commands_by_kind


def _offers(tree: ProjectTree, folder: str, scripts_with: str) -> Iterator[tuple[str, Command]]:
    for path in tree.find(folder, "package.json") if scripts_with else ():
        for name, line in table(tree.json(path), "scripts").items():
            if isinstance(line, str) and _is_name(name) and "no test specified" not in line:
                yield name, Command(script(scripts_with, name), _short(line), path)
    for path in tree.find(folder, "makefile", "gnumakefile"):
        yield from ((name, Command(f"make {name}", does, path)) for name, does in recipes(tree.text(path), _MAKE))
    for path in tree.find(folder, "justfile", ".justfile"):
        yield from ((name, Command(f"just {name}", does, path)) for name, does in recipes(tree.text(path), _JUST))
    for path in tree.find(folder, "taskfile.yml", "taskfile.yaml"):
        names = filter(_is_name, table(tree.yaml(path), "tasks"))
        yield from ((name, Command(f"task {name}", "", path)) for name in names)
    for path in tree.find(folder, "composer.json"):
        yield from _composer(path, table(tree.json(path), "scripts"))
    for path in tree.find(folder, "pyproject.toml"):
        yield from _python_tasks(path, tree.toml(path))


def _composer(path: str, scripts: dict[str, Any]) -> Iterator[tuple[str, Command]]:
    for name, steps in scripts.items():
        if _is_name(name) and not name.startswith(("pre-", "post-")):
            first = steps if isinstance(steps, str) else next(iter(strings(steps)), "")
            does = "" if first.startswith("@") or "::" in first else _short(first)
            yield name, Command(f"composer {name}", does, path)


def _python_tasks(path: str, data: dict[str, Any]) -> Iterator[tuple[str, Command]]:
    for keys, starter in ((("poe", "tasks"), "poe"), (("pdm", "scripts"), "pdm run"), (("taskipy", "tasks"), "task")):
        for name, line in table(data, "tool", *keys).items():
            if _is_name(name):
                yield name, Command(f"{starter} {name}", _short(line) if isinstance(line, str) else "", path)


def script(scripts_with: str, name: str) -> str:
    """How to call a script of package.json: `npm test`, but `npm run lint`."""
    return f"npm {name}" if scripts_with == "npm run" and name in ("test", "start") else f"{scripts_with} {name}"


def _runners(tree: ProjectTree, folder: str) -> Iterator[Command]:
    """Programs that run tests in their own environments."""
    for path in tree.find(folder, "tox.ini"):
        if _TOX.search(tree.text(path)):
            yield Command("tox", "", path)
    for path in tree.find(folder, "tox.toml"):
        yield Command("tox", "", path)
    for path in tree.find(folder, "pyproject.toml"):
        if at(tree.toml(path), "tool", "tox") is not None:
            yield Command("tox", "", path)
    for path in tree.find(folder, "noxfile.py"):
        names = _NOX.findall(tree.text(path)[:200_000])
        tests = [name for name in names if name.startswith("test")]
        if tests:
            yield Command(f"nox -s {tests[0]}", "", path)
    for path in tree.find(folder, "pyproject.toml"):
        if table(tree.toml(path), "tool", "hatch", "envs"):
            yield Command("hatch test", "", path, OBSERVED - 0.1)


def recipes(text: str, pattern: re.Pattern[str] = _MAKE) -> Iterator[tuple[str, str]]:
    """The targets of a Makefile with the first command of each."""
    lines = text.split("\n")[:_MOST_LINES]
    for number, line in enumerate(lines):
        match = pattern.match(line[:300])
        if match is None:
            continue
        first = ""
        for inner in lines[number + 1 : number + 6]:
            if not inner[:1].isspace():
                break
            recipe_line = inner.strip().lstrip("@-+").strip()
            if recipe_line and not recipe_line.startswith(("#", "echo", "printf", "set ", "export ")):
                first = recipe_line
                break
        yield match[1], _short(first)


def targets(tree: ProjectTree, folder: str) -> tuple[str, list[str]]:
    """The file with the targets of Make, just or Task, and the target names."""
    for pattern, starter in (("makefile", _MAKE), ("gnumakefile", _MAKE), ("justfile", _JUST)):
        for path in tree.find(folder, pattern):
            names = [name for name, _ in recipes(tree.text(path), starter) if re.fullmatch(r"[a-z][a-z0-9_\-]*", name)]
            if names:
                return path, list(dict.fromkeys(names))
    return "", []


def workflows(tree: ProjectTree) -> list[str]:
    return [path for path in tree.paths if re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", path)]


def pipeline_steps(tree: ProjectTree) -> list[tuple[str, str]]:
    """Pipeline commands that fit on one line, with their file."""
    return [(short, path) for line, path in pipeline_lines(tree) if (short := _short(line))]


def pipeline_lines(tree: ProjectTree) -> list[tuple[str, str]]:
    """All commands that the pipelines run at the root, line by line, with their file."""
    commands_run: list[tuple[str, str]] = []
    for path in sorted(workflows(tree), key=_workflow_order)[:_MOST_WORKFLOWS]:
        for job in table(tree.yaml(path), "jobs").values():
            for step in items(job, "steps"):
                run = None if at(step, "working-directory") else at(step, "run")
                commands_run += [(line, path) for line in _lines(run) if line]
    return commands_run


def _workflow_order(path: str) -> tuple[bool, str]:
    name = path.rpartition("/")[2].lower()
    return not any(word in name for word in ("test", "ci", "build", "check", "main")), name


def _lines(run: object) -> list[str]:
    if not isinstance(run, str):
        return []
    return [line.strip() for line in run.replace("\\\n", " ").split("\n")[:60]]


def _short(line: str) -> str:
    """The command on one line, or an empty string if it is long or full of variables."""
    command = " ".join(line.split())
    if len(command) > _LONGEST or "$" in command or "{{" in command or "`" in command or not command.isprintable():
        return ""
    return command.rstrip("\\; ")


def _is_name(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z][\w:.\-]{0,60}", name) is not None


def workspace_scripts(tree: ProjectTree, folder: str) -> str:
    """How to call the scripts of package.json in this folder, by its package manager."""
    manager = at(tree.json(join(folder, "package.json")), "packageManager")
    manager_name = manager.partition("@")[0] if isinstance(manager, str) else ""
    for where in dict.fromkeys((folder, "")):
        if not manager_name and tree.find(where, "pnpm-workspace.yaml"):
            return "pnpm"
        for name, lock in _LOCK_FILES.items():
            if manager_name == name.split()[0] or (not manager_name and tree.find(where, lock)):
                return name
    return "npm run"
