"""PHP: composer.json, and where requests and commands come in."""

from waypost.facts.coldstart.slots import SEEN, Slot, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree, join, strings, table, words


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "composer.json")
    data = tree.json(path)
    licence = words(data, "license") or listed(strings(data, "license"))
    told = {
        "package": words(data, "name"),
        "purpose": words(data, "description"),
        "licence": licence,
        "requires": words(data, "require", "php"),
        "namespaces": _namespaces(data),
    }
    found = {slot: Slot(value, (path,)) for slot, value in told.items() if value}
    front = next(
        (
            one
            for one in ("public/index.php", "web/index.php", "index.php", "html/index.php")
            if tree.has(join(folder, one))
        ),
        "",
    )
    if front:
        found["front"] = there(code(join(folder, front)), (join(folder, front),), SEEN + 0.05)
    console = next((one for one in ("artisan", "bin/console", "bin/cake", "spark") if tree.has(join(folder, one))), "")
    if console:
        found["console"] = there(code(join(folder, console)), (join(folder, console),))
    return found


def _namespaces(data: dict[str, object]) -> str:
    """`BookStack are in app`: what the loader maps where."""
    pairs = []
    for name, place in table(data, "autoload", "psr-4").items():
        folder = place if isinstance(place, str) else next(iter(strings({"list": place}, "list")), "")
        if name and folder and not name.startswith("Database"):
            pairs.append(f"{code(name.rstrip(chr(92)))} lie in {code(folder)}")
    return listed(pairs, 4)
