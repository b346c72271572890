"""PHP: composer.json, and the entry points for requests and commands."""

from waypost.facts.coldstart.slots import OBSERVED, Slot, Slots, code, seen_slot
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
    slots = {slot: Slot(value, (path,)) for slot, value in values.items() if value}
    front = next(
        (
            name
            for name in ("public/index.php", "web/index.php", "index.php", "html/index.php")
            if tree.has(join(folder, name))
        ),
        "",
    )
    if front:
        slots["front"] = seen_slot(code(join(folder, front)), (join(folder, front),), OBSERVED + 0.05)
    console = next(
        (name for name in ("artisan", "bin/console", "bin/cake", "spark") if tree.has(join(folder, name))), ""
    )
    if console:
        slots["console"] = seen_slot(code(join(folder, console)), (join(folder, console),))
    return slots


def _namespaces(data: dict[str, object]) -> str:
    """`BookStack lie in app`: which namespaces the loader maps to which folder."""
    pairs = []
    for name, place in table(data, "autoload", "psr-4").items():
        folder = place if isinstance(place, str) else next(iter(strings({"list": place}, "list")), "")
        if name and folder and not name.startswith("Database"):
            pairs.append(f"{code(name.rstrip(chr(92)))} lie in {code(folder)}")
    return join_items(pairs, 4)
