"""Rules on the structure of the source: imports, names, sizes."""

import ast
import functools
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

import waypost

ROOT = Path(__file__).parents[1]
HEAVY = ("numpy", "onnxruntime", "typer", "rich", "apsw", "mcp", "fastapi", "Stemmer", "tokenizers")


def modules_loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_version_is_answered_without_importing_anything_heavy() -> None:
    loaded = modules_loaded_by("sys.argv = ['waypost', '--version']\nfrom waypost.faces.cli.entry import main\nmain()")
    assert loaded.isdisjoint(HEAVY)
    assert "waypost.memory" not in loaded


def test_importing_the_package_is_light() -> None:
    assert modules_loaded_by("import waypost").isdisjoint(HEAVY)


@pytest.mark.slow
def test_a_keyword_only_memory_needs_no_numpy(tmp_path: Path) -> None:
    code = (
        "import os; os.environ['WAYPOST_MODELS'] = os.devnull\n"
        "from waypost import Memory\n"
        f"memory = Memory.open({str(tmp_path)!r})\n"
        "memory.remember('Deploys run on Fridays'); memory.list()"
    )
    assert modules_loaded_by(code).isdisjoint({"numpy", "onnxruntime", "typer", "rich", "mcp", "fastapi"})


def test_the_public_surface_is_pinned() -> None:
    assert sorted(waypost.__all__) == ["AsyncMemory", "Memory", "WaypostError", "__version__"]


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "waypost.__version__"}
    assert json.loads((ROOT / "plugin/.claude-plugin/plugin.json").read_text())["version"] == waypost.__version__
    assert f"## {waypost.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("word", ["utils.py", "helpers.py", "common.py", "misc.py"])
def test_no_room_without_a_purpose(word: str) -> None:
    assert not list((ROOT / "src").rglob(word))


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        path.relative_to(ROOT / "src" / "waypost").as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if re.search(r"os\.environ|getenv|Path\.home\(|expanduser", path.read_text())
    }
    # Those that start another program hand the environment on; the entries set a default for BLAS, onnx_session.py one against telemetry; marks.py looks for
    # such reading in the code of others.
    assert readers <= {
        "code/architecture/marks.py", "faces/schedule/task.py",
        "config/reading.py", "faces/cli/entry.py", "faces/hooks/agent/entry.py", "faces/hooks/agent/fast.py", "flows/admin/worker.py", "space/gitconfig.py", "embed/onnx_session.py", "embed/registry.py", "embed/sources.py",
    }  # fmt: skip


# -- names and shape of the source ----------------------------------------------------------------------------

SOURCE = ROOT / "src" / "waypost"
MOST_MODULES_IN_A_FOLDER = 24
LONGEST_CLASS_CHAIN = 7
WEAK_NAMES = {"one", "found", "told", "known", "held", "asked", "shown", "opened"}


@dataclass(slots=True)
class Module:
    """What the rules below look at; syntax trees of the whole package would take hundreds of megabytes."""

    classes: dict[str, list[str]]  # at any depth, with their bases as written
    public_classes: list[str]
    imports: list[tuple[str, str, str]]  # from where, which name, as what; in functions too, not for types alone
    weak_names: list[tuple[int, str]]


@functools.cache
def modules() -> dict[str, Module]:
    """Every module of the package by its dotted name; a package has the name of its folder."""
    by_name = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ("waypost", *path.relative_to(SOURCE).with_suffix("").parts)
        by_name[".".join(parts).removesuffix(".__init__")] = read_module(ast.parse(path.read_bytes()))
    return by_name


def read_module(tree: ast.Module) -> Module:
    module = Module({}, [], [], [])
    module.public_classes += [
        node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                waiting += node.orelse
                continue
            case ast.ClassDef():
                module.classes[node.name] = [ast.unparse(base).split("[")[0] for base in node.bases]
            case ast.Import():
                module.imports += [(alias.name, "", alias.asname or "") for alias in node.names]
            case ast.ImportFrom(module=str(origin), level=0):
                module.imports += [(origin, alias.name, alias.asname or alias.name) for alias in node.names]
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in WEAK_NAMES:
                module.weak_names.append((node.lineno, name))
            case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name) if name in WEAK_NAMES:
                module.weak_names.append((node.lineno, str(name)))
        waiting += ast.iter_child_nodes(node)
    return module


def imported_by(name: str) -> set[str]:
    """The modules of the package that a module imports."""
    full_names = {
        full if (full := f"{origin}.{imported}") in modules() else origin
        for origin, imported, _ in modules()[name].imports
    }
    return {full for full in full_names if full in modules()} - {name}


def test_a_public_class_name_exists_once() -> None:
    places = defaultdict(list)
    for name, module in modules().items():
        for class_name in module.public_classes:
            places[class_name].append(name)
    assert {name: names for name, names in places.items() if len(names) > 1} == {}


def test_no_folder_has_too_many_modules() -> None:
    sizes = Counter(path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    assert {folder: size for folder, size in sizes.items() if size > MOST_MODULES_IN_A_FOLDER} == {}


def class_chains() -> dict[str, int]:
    """How many classes of the package are in the longest line from a class to its furthest base."""
    bases: dict[str, list[str]] = {}
    for name, module in modules().items():
        imported = {local: f"{origin}.{original}" for origin, original, local in module.imports}
        for class_name, names in module.classes.items():
            bases[f"{name}.{class_name}"] = [imported.get(base, f"{name}.{base}") for base in names]

    def length(name: str) -> int:
        return 1 + max((length(base) for base in bases[name] if base in bases), default=0)

    return {name: length(name) for name in bases}


def test_no_class_chain_is_too_long() -> None:
    assert {name: length for name, length in class_chains().items() if length > LONGEST_CLASS_CHAIN} == {}


def test_flows_do_not_import_each_other_in_a_cycle() -> None:
    flows = {name for name in modules() if name.startswith("waypost.flows")}
    graph = {name: imported_by(name) & flows for name in flows}
    assert sorted(name for name in flows if name in reached_from(name, graph)) == []


def reached_from(start: str, graph: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def test_faces_do_not_import_the_store() -> None:
    breaking = {
        name: sorted(module for module in imported_by(name) if f"{module}.".startswith("waypost.store."))
        for name in modules()
        if name.startswith("waypost.faces.")
    }
    assert {name: stores for name, stores in breaking.items() if stores} == {}


def test_variables_say_what_they_contain() -> None:
    breaking = {name: sorted(module.weak_names) for name, module in modules().items()}
    assert {name: weak for name, weak in breaking.items() if weak} == {}


def test_the_rules_see_what_they_look_for() -> None:
    module = read_module(
        ast.parse(
            "if TYPE_CHECKING:\n    import waypost.store\n"
            "def read(held, *, path):\n    from waypost.store import sqlite as files\n"
            "    for one in path:\n        pass\n"
            "class Row(Base[int]):\n    class Inner: pass\n"
            "class _Hidden: pass\n"
        )
    )
    assert module.classes == {"Row": ["Base"], "Inner": [], "_Hidden": []}
    assert module.public_classes == ["Row"]
    assert module.imports == [("waypost.store", "sqlite", "files")]
    assert sorted(module.weak_names) == [(3, "held"), (5, "one")]
    assert reached_from("a", {"a": {"b"}, "b": {"c"}, "c": {"a"}}) == {"a", "b", "c"}
    assert class_chains()["waypost.errors.InvalidInput"] == 2
