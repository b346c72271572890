"""The packages of a project: folders with an ecosystem's signature files, and which ecosystems matter."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from waypost.facts.coldstart.templates import ANY, EcosystemTemplate, templates
from waypost.facts.coldstart.tree import ProjectTree
from waypost.facts.domains import is_outside_source

_DEEPEST = 4  # folders above a package
_MOST = 400
_SHARE = 0.08  # of all source files, for an ecosystem with a package at the root to matter
_SHARE_BELOW = 0.25  # the same, if it has packages below the root only


@dataclass(frozen=True, slots=True)
class PackageUnit:
    """One package of one ecosystem."""

    template: EcosystemTemplate
    folder: str
    source: int  # files of this ecosystem in it and below
    is_package: bool  # it has a manifest of its own


def find_units(tree: ProjectTree) -> list[PackageUnit]:
    """All packages, nearest to the root first, without those of tests, documents and examples."""
    ecosystems = [template for name, template in templates().items() if name != ANY]
    counts = {template.name: _source(tree, template) for template in ecosystems}
    units = []
    for folder in tree.folders():
        if folder.count("/") >= _DEEPEST or (folder and is_outside_source(folder)):
            continue
        names = tree.names(folder)
        for template in ecosystems:
            signs = [name for name in names if any(fnmatchcase(name, sign) for sign in template.signatures)]
            strong = [name for name in signs if not any(fnmatchcase(name, sign) for sign in template.weak)]
            is_package = bool(strong) and "__init__.py" not in names  # a `setup.py` among modules is one of them
            if signs and (is_package or not folder or not strong):
                units.append(PackageUnit(template, folder, counts[template.name][folder], is_package))
        if len(units) >= _MOST:
            break
    return units


def _source(tree: ProjectTree, template: EcosystemTemplate) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in tree.paths:
        if path.rpartition(".")[2] in template.endings and is_own(path):
            counts[""] += 1
            folder = path.rpartition("/")[0]
            while folder:
                counts[folder] += 1
                folder = folder.rpartition("/")[0]
    return counts


def is_own(path: str) -> bool:
    """Whether a file is part of the project's own code, also in the root folder."""
    folder = path.rpartition("/")[0]
    return not folder or not is_outside_source(folder)


def main_units(tree: ProjectTree, units: Sequence[PackageUnit]) -> list[PackageUnit]:
    """The package that represents each main ecosystem, largest ecosystem first.

    A package at the root represents its ecosystem, else the largest one. Files of all languages count: a few scripts
    do not make a C program a Python project. Without any source (a new project) every ecosystem at the root counts.
    """
    names = {unit.template.name for unit in units}
    totals = source_totals(tree)
    total = sum(totals.values())
    result = []
    for name in sorted(names, key=lambda name: (-totals[name], name)):
        own = [unit for unit in units if unit.template.name == name]
        main = max(own, key=lambda unit: (unit.folder == "", unit.source, -unit.folder.count("/")))
        share = _SHARE if not main.folder else _SHARE_BELOW
        if totals[name] >= total * share and (totals[name] or (main.is_package and not total)):
            result.append(main)
    return result


def source_totals(tree: ProjectTree) -> Counter[str]:
    """How many of the project's own source files each ecosystem has; `any` counts other languages."""
    ecosystems = {ending: name for name, template in templates().items() for ending in template.endings}
    totals: Counter[str] = Counter()
    for path in tree.paths:
        name = ecosystems.get(path.rpartition(".")[2])
        if name is not None and is_own(path):
            totals[name] += 1
    return totals


def is_main_language(tree: ProjectTree, unit: PackageUnit) -> bool:
    """Whether no other language has more source files than the ecosystem of this package."""
    totals = source_totals(tree)
    return totals[unit.template.name] >= max(totals.values(), default=0)


def packages(units: Sequence[PackageUnit]) -> list[PackageUnit]:
    """The packages of a monorepo below the root, largest first. Empty if there are not several."""
    by_folder: dict[str, PackageUnit] = {}
    for unit in units:
        if unit.folder and unit.is_package and unit.source and not _is_inside_another(unit, units):
            other = by_folder.get(unit.folder)
            if other is None or other.source < unit.source:
                by_folder[unit.folder] = unit
    result = sorted(by_folder.values(), key=lambda unit: (-unit.source, unit.folder))
    return result if len(result) > 1 else []


def _is_inside_another(unit: PackageUnit, units: Sequence[PackageUnit]) -> bool:
    """Whether another package contains it: a Gradle module may hold modules, a Flutter app an Android project."""
    above = [other for other in units if other.folder and unit.folder.startswith(f"{other.folder}/")]
    return any(other.source >= unit.source for other in above)
