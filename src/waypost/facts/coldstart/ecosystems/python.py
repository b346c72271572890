"""Python: pyproject.toml, setup.cfg, setup.py, requirements."""

import re
from typing import Any

from waypost.facts.coldstart.slots import SAID, SEEN, Slot, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree, join, table, words

_SETUP_TEXT = r"^\s*%s\s*=\s*['\"]([^'\"\n]{1,300})['\"]"
_CONSOLE = re.compile(r"^[ \t]*+['\"]?([\w.\-]{1,60})[ \t]*+=[ \t]*+([\w.]{1,120}:[\w.]{1,80})", re.MULTILINE)
_MOST_MAINS = 4


def read(tree: ProjectTree, folder: str) -> Slots:
    found: Slots = {}
    for path in reversed(tree.find(folder, "pyproject.toml", "setup.cfg", "setup.py")):
        data = tree.toml(path) if path.endswith(".toml") else {}
        told = _pyproject(data) if data else _setup(tree.text(path), path)
        found |= {name: Slot(value, (path,)) for name, value in told.items() if value}
    requirements = tree.find(folder, "requirements*.txt", "requirements*.in")
    if requirements:
        found["requirements"] = there(listed(code(path) for path in requirements), tuple(requirements))
    version = join(folder, ".python-version")
    if "requires" not in found and re.fullmatch(r"\d[\w.]{0,12}", tree.text(version).strip()):
        found["requires"] = Slot(tree.text(version).strip(), (version,))
    return found | _mains(tree, folder)


def _pyproject(data: dict[str, Any]) -> dict[str, str]:
    poetry = table(data, "tool", "poetry")
    licence = table(data, "project").get("license")
    scripts = table(data, "project", "scripts") or table(poetry, "scripts")
    return {
        "package": words(data, "project", "name") or words(poetry, "name"),
        "purpose": words(data, "project", "description") or words(poetry, "description"),
        "licence": (licence if isinstance(licence, str) else words(licence, "text")) or words(poetry, "license"),
        "requires": words(data, "project", "requires-python") or words(poetry, "dependencies", "python"),
        "scripts": _scripts((name, place) for name, place in scripts.items() if isinstance(place, str)),
    }


def _setup(text: str, path: str) -> dict[str, str]:
    text = text[:100_000]
    if path.endswith(".py"):
        return {
            "package": _one(_SETUP_TEXT % "name", text),
            "purpose": _one(_SETUP_TEXT % "description", text),
            "licence": _one(_SETUP_TEXT % "license", text),
            "requires": _one(_SETUP_TEXT % "python_requires", text),
            "scripts": _console(text),
        }
    line = r"^%s\s*=\s*([^\n]{1,300})$"
    return {
        "package": _one(line % "name", text),
        "purpose": _one(line % "description", text),
        "licence": _one(line % "license", text),
        "requires": _one(line % "python_requires", text),
        "scripts": _console(text),
    }


def _one(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    found = match[1].strip() if match else ""
    return "" if found.startswith(("attr:", "file:")) or "{" in found else found


def _console(text: str) -> str:
    at = text.find("console_scripts")
    if at < 0:
        return ""
    group = re.split(r"\]|\n\[|\n[^\s#]", text[at : at + 3_000], maxsplit=1)[0]  # other groups are no commands
    return _scripts(_CONSOLE.findall(group.replace("[", "\n").replace(",", "\n")))


def _scripts(pairs: Any) -> str:
    return listed((f"{code(name)} ({place})" for name, place in pairs), 5)


def _mains(tree: ProjectTree, folder: str) -> Slots:
    """Files that are there to be run: `manage.py`, `app.py`, `__main__.py`."""
    named = tree.find(folder, "manage.py", "main.py", "app.py", "wsgi.py", "run.py")
    marks = ("__main__", "execute_from_command_line", "get_wsgi_application")
    found = [path for path in named if any(mark in tree.text(path) for mark in marks)]
    prefix = f"{folder}/" if folder else ""
    inner = [one for one in tree.paths if one.startswith(prefix) and one.endswith("/__main__.py")]
    found += [one for one in inner if one.removeprefix(prefix).removeprefix("src/").count("/") == 1]
    own = [one for one in tree.paths if one.startswith(prefix) and one.removeprefix(prefix) in _APPS]
    found += [one for one in own if "FastAPI(" in tree.text(one) or "Flask(" in tree.text(one)]
    chosen = list(dict.fromkeys(found))[:_MOST_MAINS]
    return (
        {"mains": there(listed(map(code, chosen)), tuple(chosen), SEEN if len(chosen) > 1 else SAID)} if chosen else {}
    )


_APPS = frozenset({"app/main.py", "src/main.py", "src/app.py", "app/__init__.py", "src/app/main.py"})
