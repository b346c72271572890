"""PHP: composer.json, and the entry points for requests and commands."""

from waypost.facts.coldstart.slots import OBSERVED, Slots, code, path_slot, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, join, strings, table, text_at
from waypost.text.plural import join_items


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "composer.json")
    data = tree.json(path)
    licence = text_at(data, "license") or join_items(strings(data, "license"))
    values = {
        "package": text_at(data, "name"),
        "purpose": text_at(data, "description"),
        "licence": licence,
        "requires": text_at(data, "require", "php"),
        "namespaces": _namespaces(data),
    }
    slots = stated_slots(values, path)
    if front := tree.first(folder, "public/index.php", "web/index.php", "index.php", "html/index.php"):
        slots["front"] = path_slot(front, OBSERVED + 0.05)
    if console := tree.first(folder, "artisan", "bin/console", "bin/cake", "spark"):
        slots["console"] = path_slot(console)
    return slots


def _namespaces(data: dict[str, object]) -> str:
    """`BookStack lie in app`: which namespaces the loader maps to which folder."""
    pairs = []
    for name, place in table(data, "autoload", "psr-4").items():
        folder = place if isinstance(place, str) else next(iter(strings(place)), "")
        if name and folder and not name.startswith("Database"):
            pairs.append(f"{code(name.rstrip(chr(92)))} lie in {code(folder)}")
    return join_items(pairs, 4)
