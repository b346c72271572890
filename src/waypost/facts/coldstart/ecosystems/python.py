"""Python: pyproject.toml, setup.cfg, setup.py, requirements."""

import re
from typing import Any

from waypost.facts.coldstart.slots import OBSERVED, STATED, Slot, Slots, code, seen_slot, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, join, table, text_at
from waypost.text.plural import join_items

_SETUP_PY = r"^\s*%s\s*=\s*['\"]([^'\"\n]{1,300})['\"]"
_SETUP_CFG = r"^%s\s*=\s*([^\n]{1,300})$"
_SETUP_KEYS = {"package": "name", "purpose": "description", "licence": "license", "requires": "python_requires"}
_CONSOLE = re.compile(r"^[ \t]*+['\"]?([\w.\-]{1,60})[ \t]*+=[ \t]*+([\w.]{1,120}:[\w.]{1,80})", re.MULTILINE)
_MOST_MAINS = 4


def read(tree: ProjectTree, folder: str) -> Slots:
    slots: Slots = {}
    for path in reversed(tree.find(folder, "pyproject.toml", "setup.cfg", "setup.py")):
        data = tree.toml(path) if path.endswith(".toml") else {}
        values = _pyproject(data) if data else _setup(tree.text(path), path)
        slots |= stated_slots(values, path)
    requirements = tree.find(folder, "requirements*.txt", "requirements*.in")
    if requirements:
        slots["requirements"] = seen_slot(join_items(code(path) for path in requirements), tuple(requirements))
    version = join(folder, ".python-version")
    if "requires" not in slots and re.fullmatch(r"\d[\w.]{0,12}", tree.text(version).strip()):
        slots["requires"] = Slot(tree.text(version).strip(), (version,))
    return slots | _mains(tree, folder)


def _pyproject(data: dict[str, Any]) -> dict[str, str]:
    poetry = table(data, "tool", "poetry")
    licence = table(data, "project").get("license")
    scripts = table(data, "project", "scripts") or table(poetry, "scripts")
    return {
        "package": text_at(data, "project", "name") or text_at(poetry, "name"),
        "purpose": text_at(data, "project", "description") or text_at(poetry, "description"),
        "licence": (licence if isinstance(licence, str) else text_at(licence, "text")) or text_at(poetry, "license"),
        "requires": text_at(data, "project", "requires-python") or text_at(poetry, "dependencies", "python"),
        "scripts": _scripts((name, place) for name, place in scripts.items() if isinstance(place, str)),
    }


def _setup(text: str, path: str) -> dict[str, str]:
    text, pattern = text[:100_000], _SETUP_PY if path.endswith(".py") else _SETUP_CFG
    values = {slot: _match_text(pattern % key, text) for slot, key in _SETUP_KEYS.items()}
    return {**values, "scripts": _console(text)}


def _match_text(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    value = match[1].strip() if match else ""
    return "" if value.startswith(("attr:", "file:")) or "{" in value else value


def _console(text: str) -> str:
    at = text.find("console_scripts")
    if at < 0:
        return ""
    group = re.split(r"\]|\n\[|\n[^\s#]", text[at : at + 3_000], maxsplit=1)[0]  # other groups have no commands
    return _scripts(_CONSOLE.findall(group.replace("[", "\n").replace(",", "\n")))


def _scripts(pairs: Any) -> str:
    return join_items((f"{code(name)} ({place})" for name, place in pairs), 5)


def _mains(tree: ProjectTree, folder: str) -> Slots:
    """Files meant to be run: `manage.py`, `app.py`, `__main__.py`."""
    named = tree.find(folder, "manage.py", "main.py", "app.py", "wsgi.py", "run.py")
    marks = ("__main__", "execute_from_command_line", "get_wsgi_application")
    mains = [path for path in named if any(mark in tree.text(path) for mark in marks)]
    prefix = f"{folder}/" if folder else ""
    inner = tree.below(folder, "/__main__.py")
    mains += [path for path in inner if path.removeprefix(prefix).removeprefix("src/").count("/") == 1]
    own = [path for path in tree.below(folder, ".py") if path.removeprefix(prefix) in _APPS]
    mains += [path for path in own if "FastAPI(" in tree.text(path) or "Flask(" in tree.text(path)]
    selected = list(dict.fromkeys(mains))[:_MOST_MAINS]
    sure = OBSERVED if len(selected) > 1 else STATED
    return {"mains": seen_slot(join_items(map(code, selected)), tuple(selected), sure)} if selected else {}


_APPS = frozenset({"app/main.py", "src/main.py", "src/app.py", "app/__init__.py", "src/app/main.py"})
