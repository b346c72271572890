"""C#: solutions, projects, and the properties that they share."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree, at, join, words
from waypost.facts.domains import is_outside_source

_FRAMEWORK = re.compile(r"<TargetFrameworks?>\s*([\w.;\-]{3,200})\s*<")
_NAMES = {"net": ".NET", "netstandard": ".NET Standard", "netcoreapp": ".NET Core"}
_TESTS = re.compile(
    r"Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true|MSTest\.Sdk|\"xunit|\"NUnit\"|\"TUnit\"", re.IGNORECASE
)
_RUNS = re.compile(
    r"<OutputType>\s*(?:Win)?Exe|Microsoft\.NET\.Sdk\.(?:Web|Worker|BlazorWebAssembly)|Aspire\.AppHost\.Sdk"
)
_RUNNERS = (("xUnit", '"xunit'), ("NUnit", '"NUnit"'), ("MSTest", '"MSTest'), ("TUnit", '"TUnit"'))
_MOST_READ = 200


def read(tree: ProjectTree, folder: str) -> Slots:
    prefix = f"{folder}/" if folder else ""
    projects = [one for one in tree.paths if one.startswith(prefix) and one.endswith((".csproj", ".fsproj"))]
    found: Slots = {}
    solutions = tree.find(folder, "*.sln", "*.slnx")
    if solutions and projects:
        found["solution"] = there(code(solutions[0]), (solutions[0],))
        found["project_count"] = there(str(len(projects)), (solutions[0],))
    _framework(tree, folder, projects, found)
    sdk = words(at(tree.json(join(folder, "global.json")), "sdk"), "version")
    if sdk:
        found["sdk"] = Slot(sdk, (join(folder, "global.json"),))
    central = next(iter(tree.find(folder, "directory.packages.props")), "")
    if central:
        found["central"] = there(code(central), (central,))
    shown = projects[:_MOST_READ]
    tests = [one for one in shown if _TESTS.search(tree.text(one))]
    if tests:
        texts = "".join(tree.text(one) for one in tests)
        runners = [name for name, mark in _RUNNERS if mark.lower() in texts.lower()]
        if runners:
            found["test_runner"] = there(listed(runners), tuple(tests[:3]))
        found["test_projects"] = there(listed((code(_name(one)) for one in tests), 5), tuple(tests[:3]))
    mains = [
        main
        for one in shown
        if one not in tests and _RUNS.search(tree.text(one)) and not is_outside_source(one.rpartition("/")[0])
        if tree.has(main := join(one.rpartition("/")[0], "Program.cs"))
    ]
    if mains:
        found["mains"] = there(listed(map(code, mains), 6), tuple(mains[:4]))
    return found


def _framework(tree: ProjectTree, folder: str, projects: list[str], found: Slots) -> None:
    """The framework that the shared properties name, else the one that all projects name."""
    for path in [*tree.find(folder, "directory.build.props"), *projects[:_MOST_READ]]:
        match = _FRAMEWORK.search(tree.text(path)[:100_000])
        if match and "$" not in match[1]:
            names = [_framework_name(one) for one in match[1].split(";") if one]
            found["requires"] = Slot(listed(names, 6), (path,))
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


def _name(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
