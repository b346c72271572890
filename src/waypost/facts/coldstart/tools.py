"""Which tools a package uses, by the marks that its template lists."""

from collections.abc import Mapping, Sequence

from waypost.facts.coldstart.commands import pipeline_lines
from waypost.facts.coldstart.dependencies import dependencies
from waypost.facts.coldstart.slots import Slot, Slots, listed
from waypost.facts.coldstart.tree import ProjectTree, at, join

_SEVERAL = frozenset({"linters"})  # slots of which a project may have more than one; of the others the first counts


def tool_slots(tree: ProjectTree, folder: str, tools: Mapping[str, Mapping[str, Sequence[str]]]) -> Slots:
    """The slots of a template's tools that this folder has a mark of. A mark is one of

    `file:GLOB` or `folder:PATH` is there; `toml:FILE:a.b`, `json:FILE:a.b` have this key; `text:FILE:WORDS` has these
    words; `dep:NAME` is asked for by a manifest; `precommit:WORD` is a hook, `step:WORDS` a command of a pipeline,
    `action:NAME` a ready-made step of one.
    """
    found: Slots = {}
    wanted = dependencies(tree, folder)
    for slot, offered in tools.items():
        seen: list[tuple[str, str, bool]] = []
        for tool, marks in offered.items():
            mark, place = next(
                ((mark, found_at) for mark in marks if (found_at := _place(tree, folder, mark, wanted))), ("", "")
            )
            if place:
                seen.append((tool, place, mark.startswith(("file:", "folder:"))))
                if slot not in _SEVERAL:
                    break
        if seen:
            said = tuple(dict.fromkeys(place for _, place, by_name in seen if not by_name))
            there = tuple(dict.fromkeys(place for _, place, by_name in seen if by_name))
            found[slot] = Slot(listed(tool for tool, _, _ in seen), said, seen=there)
    return found


def _place(tree: ProjectTree, folder: str, mark: str, wanted: Mapping[str, str]) -> str:  # noqa: PLR0911
    """The path of the file that has the mark; "" for none."""
    kind, _, what = mark.partition(":")
    file, _, rest = what.partition(":")
    path = join(folder, file)
    if kind == "file":
        within, _, name = path.rpartition("/")
        return next(iter(tree.find(within, name)), "")
    if kind == "folder":
        return next((one for one in tree.paths if one.startswith(f"{path}/")), "")
    if kind == "dep":
        return wanted.get(what.lower(), "")
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
    return next(
        (one for one in tree.paths if one.startswith(".github/workflows/") and f"uses: {what}" in tree.text(one)), ""
    )


def _has_hook(tree: ProjectTree, path: str, word: str) -> bool:
    repositories = at(tree.yaml(path), "repos")
    for repository in repositories if isinstance(repositories, list) else []:
        hooks = at(repository, "hooks")
        for hook in hooks if isinstance(hooks, list) else []:
            name = at(hook, "id")
            if isinstance(name, str) and (name == word or name.startswith(f"{word}-")):
                return True
    return False
