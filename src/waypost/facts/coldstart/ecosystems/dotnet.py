"""C#: solutions, projects, and their shared properties."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code, path_slot, seen_slot, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, join, text_at
from waypost.facts.domains import is_outside_source
from waypost.text.plural import join_items

_FRAMEWORK = re.compile(r"<TargetFrameworks?>\s*([\w.;\-]{3,200})\s*<")
_NAMES = {"net": ".NET", "netstandard": ".NET Standard", "netcoreapp": ".NET Core"}
_TESTS = re.compile(r"Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true|MSTest\.Sdk|\"xunit|\"NUnit\"|\"TUnit\"", re.I)
_RUNS = re.compile(
    r"<OutputType>\s*(?:Win)?Exe|Microsoft\.NET\.Sdk\.(?:Web|Worker|BlazorWebAssembly)|Aspire\.AppHost\.Sdk"
)
_RUNNERS = (("xUnit", '"xunit'), ("NUnit", '"NUnit"'), ("MSTest", '"MSTest'), ("TUnit", '"TUnit"'))
_MOST_READ = 200


def read(tree: ProjectTree, folder: str) -> Slots:
    projects = tree.below(folder, ".csproj", ".fsproj")
    slots: Slots = {}
    solutions = tree.find(folder, "*.sln", "*.slnx")
    if solutions and projects:
        slots["solution"] = path_slot(solutions[0])
        slots["project_count"] = seen_slot(str(len(projects)), (solutions[0],))
    _framework(tree, folder, projects, slots)
    settings = join(folder, "global.json")
    slots |= stated_slots({"sdk": text_at(tree.json(settings), "sdk", "version")}, settings)
    for central in tree.find(folder, "directory.packages.props")[:1]:
        slots["central"] = path_slot(central)
    examined = projects[:_MOST_READ]
    tests = [path for path in examined if _TESTS.search(tree.text(path))]
    if tests:
        texts = "".join(tree.text(path) for path in tests)
        runners = [name for name, mark in _RUNNERS if mark.lower() in texts.lower()]
        if runners:
            slots["test_runner"] = seen_slot(join_items(runners), tuple(tests[:3]))
        names = (path.rpartition("/")[2].rpartition(".")[0] for path in tests)
        slots["test_projects"] = seen_slot(join_items(map(code, names), 5), tuple(tests[:3]))
    mains = [
        main
        for path in examined
        if path not in tests and _RUNS.search(tree.text(path)) and not is_outside_source(path.rpartition("/")[0])
        if tree.has(main := join(path.rpartition("/")[0], "Program.cs"))
    ]
    if mains:
        slots["mains"] = seen_slot(join_items(map(code, mains), 6), tuple(mains[:4]))
    return slots


def _framework(tree: ProjectTree, folder: str, projects: list[str], slots: Slots) -> None:
    """Sets the framework that the shared properties or the first projects name."""
    for path in [*tree.find(folder, "directory.build.props"), *projects[:_MOST_READ]]:
        match = _FRAMEWORK.search(tree.text(path)[:100_000])
        if match and "$" not in match[1]:
            names = [_framework_name(short_name) for short_name in match[1].split(";") if short_name]
            slots["requires"] = Slot(join_items(names, 6), (path,))
            if is_outside_source(path.rpartition("/")[0]):
                continue
            return


def _framework_name(short: str) -> str:
    match = re.fullmatch(r"(netstandard|netcoreapp|net)(\d[\d.]*)(-[\w.]+)?", short)
    if not match:
        return short
    if match[1] == "net" and "." not in match[2]:
        return ".NET Framework " + ".".join(match[2])
    return f"{_NAMES[match[1]]} {match[2]}{match[3] or ''}"
