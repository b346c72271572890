"""The tools that a package uses, by the marks in its template."""

from collections.abc import Mapping, Sequence

from waypost.facts.coldstart.commands import pipeline_lines
from waypost.facts.coldstart.dependencies import dependencies
from waypost.facts.coldstart.slots import Slot, Slots
from waypost.facts.coldstart.tree import ProjectTree, at, items, join
from waypost.text.plural import join_items

_SEVERAL = frozenset({"linters"})  # slots that may have several tools; in others the first counts


def tool_slots(tree: ProjectTree, folder: str, tools: Mapping[str, Mapping[str, Sequence[str]]]) -> Slots:
    """The slots of a template's tools that have a mark in this folder. A mark is one of:

    `file:GLOB` or `folder:PATH` exists; `toml:FILE:a.b` or `json:FILE:a.b` has this key; `text:FILE:WORDS` contains
    these words; `dep:NAME` is required by a manifest; `precommit:WORD` is a hook; `step:WORDS` is a pipeline command;
    `action:NAME` is a ready-made pipeline step.
    """
    slots: Slots = {}
    required = dependencies(tree, folder)
    for slot, marks_by_tool in tools.items():
        tools_found: list[tuple[str, str, bool]] = []
        for tool, marks in marks_by_tool.items():
            places = ((mark, _path_with_mark(tree, folder, mark, required)) for mark in marks)
            mark, place = next((pair for pair in places if pair[1]), ("", ""))
            if place:
                tools_found.append((tool, place, mark.startswith(("file:", "folder:"))))
                if slot not in _SEVERAL:
                    break
        if tools_found:
            stating = tuple(dict.fromkeys(place for _, place, by_name in tools_found if not by_name))
            existing = tuple(dict.fromkeys(place for _, place, by_name in tools_found if by_name))
            slots[slot] = Slot(join_items(tool for tool, _, _ in tools_found), stating, seen=existing)
    return slots


def _path_with_mark(tree: ProjectTree, folder: str, mark: str, required: Mapping[str, str]) -> str:  # noqa: PLR0911
    kind, _, what = mark.partition(":")
    file, _, rest = what.partition(":")
    path = join(folder, file)
    if kind == "file":
        parent, _, name = path.rpartition("/")
        return next(iter(tree.find(parent, name)), "")
    if kind == "folder":
        return next((path_below for path_below in tree.paths if path_below.startswith(f"{path}/")), "")
    if kind == "dep":
        return required.get(what.lower(), "")
    if kind in ("toml", "json"):
        data = tree.toml(path) if kind == "toml" else tree.json(path)
        return path if at(data, *rest.split(".")) is not None else ""
    if kind == "text":
        return path if rest in tree.text(path) else ""
    if kind == "step":
        return next((place for line, place in pipeline_lines(tree) if what in line), "")
    if kind == "precommit":
        config = ".pre-commit-config.yaml"
        return config if _has_hook(tree, config, what) else ""
    workflows = (path for path in tree.paths if path.startswith(".github/workflows/"))
    return next((path for path in workflows if f"uses: {what}" in tree.text(path)), "")


def _has_hook(tree: ProjectTree, path: str, word: str) -> bool:
    repositories = items(tree.yaml(path), "repos")
    names = (at(hook, "id") for repository in repositories for hook in items(repository, "hooks"))
    return any(isinstance(name, str) and f"{name}-".startswith(f"{word}-") for name in names)
