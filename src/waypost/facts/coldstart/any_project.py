"""What every project has, whatever it is written in: a name, a purpose, a licence, tests, pipelines, containers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from waypost.facts.coldstart.commands import targets
from waypost.facts.coldstart.licence import licence_of
from waypost.facts.coldstart.prose import readme_sentence, sentence, title
from waypost.facts.coldstart.slots import SAID, SEEN, Slot, Slots, code, listed, there
from waypost.facts.coldstart.testing import test_slots
from waypost.facts.coldstart.tree import ProjectTree, at, table
from waypost.facts.domains import is_outside_source

_READMES = ("readme.md", "readme.rst", "readme.markdown", "readme.txt", "readme.adoc", "readme.org", "readme")
_ENV_FILES = (".env.example", ".env.sample", ".env.template", ".env.dist", "env.example", ".env.local.example")
_VARIABLE = re.compile(r"^[ \t]*+(?:export[ \t]++)?#?[ \t]?([A-Z][A-Z0-9_]{2,60})=", re.MULTILINE)
_PRISMA = re.compile(r"^(.*?(?:^|/)migrations)/\d[^/]*/migration\.sql$")
_MIGRATIONS = re.compile(
    r"^(.*?(?:^|/)(?:migrations?|migrate|versions)(?:/(?:postgres|postgresql|mysql|sqlite))?)/V?[\da-f][\w\-.]*\.(?:py|rb|sql|php|ts|js|cs|exs|go|rs)$"
)  # each has a number, a date or a hash at its beginning
_AGENTS = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md", "GEMINI.md")
_ROOT_NAME = re.compile(r"[-_.](?:monorepo|root|parent|workspace|repo)$", re.IGNORECASE)
_INIT = re.compile(r"(?<!\S)(?:\S*/)?(?:tini|dumb-init|catatonit)(?: -\S+)*+$")  # it starts what it is told
_FEW = 3
_SIGNPOST = 160  # characters
_TELLING = 36  # characters of a description


def readme(tree: ProjectTree, folder: str = "") -> str:
    """The path of the README of a folder; "" when it has none."""
    return next((path for name in _READMES for path in tree.find(folder, name)), "")


def common_slots(tree: ProjectTree, units: Sequence[Slots]) -> Slots:
    """`units` are the slots of the project's packages, the one at the root first: its name and purpose are the project's."""
    found = _identity(tree, units)
    licence = licence_of(tree, [one["licence"] for one in units if "licence" in one])
    if licence is not None:
        found["licence"] = licence
    return found | test_slots(tree) | _pipelines(tree) | _containers(tree) | _settings(tree) | _documents(tree)


def _identity(tree: ProjectTree, units: Sequence[Slots]) -> Slots:
    path = readme(tree)
    text = tree.text(path)
    headed = title(text)
    named = [unit[key] for unit in units for key in ("title", "package") if key in unit]
    plain = [slot for slot in named if re.fullmatch(r"[\w.\- ]{2,40}", slot.value)]
    found: Slots = {}
    if headed:
        found["project"] = Slot(headed, (path,))
    elif plain and tree.name.lower() in re.split(r"[-_. ]", plain[0].value.lower()):
        found["project"] = Slot(tree.name, ())  # `redash-client` is a part of redash
    elif plain:
        found["project"] = replace(plain[0], value=_ROOT_NAME.sub("", plain[0].value))
    elif tree.name:
        found["project"] = Slot(tree.name, (), SAID)
    says = readme_sentence(text)
    described = [(sentence(unit["purpose"].value), unit["purpose"].refs) for unit in units if "purpose" in unit]
    told = [(words, refs) for words, refs in [*described[:1], (says, (path,)), *described[1:]] if words]
    told.sort(key=lambda one: len(one[0]) < _TELLING)  # `A JSON library.` says less than the README
    if told:
        found["purpose"] = Slot(told[0][0].replace('"', "'"), told[0][1])
    return found


def _pipelines(tree: ProjectTree) -> Slots:
    paths = [path for path in tree.paths if re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", path)]
    named = [(path, at(tree.yaml(path), "name")) for path in paths[:30]]
    names = [
        code(name if isinstance(name, str) and len(name) < 50 else path.rpartition("/")[2]) for path, name in named
    ]
    return {"workflows": there(f"the workflows {listed(names, 6)}", tuple(paths[:5]))} if names else {}


def _containers(tree: ProjectTree) -> Slots:
    found: Slots = {}
    dockerfile = next((path for path in ("Dockerfile", "docker/Dockerfile") if tree.has(path)), "")
    command = _started(tree.text(dockerfile))
    if command:
        found["container_command"] = Slot(code(command), (dockerfile,))
    for path in tree.find(
        "", "compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", "docker-compose.dev.yml"
    ):
        services = [name for name in table(tree.yaml(path), "services") if isinstance(name, str)]
        if services and "compose_services" not in found:
            found["compose_services"] = Slot(listed(map(code, services), 8), (path,))
            found["compose_file"] = there(code(path), (path,))
    processes = re.findall(r"^([a-z][\w\-]{0,30}):\s*(\S[^\n]{0,120})$", tree.text("Procfile"), re.MULTILINE)
    if processes:
        shown = [f"{code(name)} with {code(line)}" for name, line in processes]
        found["processes"] = Slot(listed(shown, 4), ("Procfile",))
    return found


def _started(dockerfile: str) -> str:
    """What the last stage of a Dockerfile starts, as one would type it."""
    lines = re.findall(r"(?m)^(ENTRYPOINT|CMD)\s+(\[[^\n]{1,300}\]|[^\n\[]{1,200})$", dockerfile[-20_000:])
    last = dict(lines)
    parts = []
    for kind in ("ENTRYPOINT", "CMD"):
        told = last.get(kind, "").strip()
        quoted = re.findall(r'"([^"]{0,200})"', told) if told.startswith("[") else []
        parts.append(" ".join(quoted) if told.startswith("[") else told)
    whole = _INIT.sub("", " ".join(part for part in parts if part)).strip()
    return whole if 0 < len(whole) < 150 and "$" not in whole and "\\" not in whole else ""


def _settings(tree: ProjectTree) -> Slots:
    found: Slots = {}
    path = next((path for path in _ENV_FILES if tree.has(path)), "")
    variables = list(dict.fromkeys(_VARIABLE.findall(tree.text(path)[:50_000])))
    if variables:
        found["environment_file"] = there(code(path), (path,))
        found["variables"] = there(listed(map(code, variables[:4])), (path,))
    folders = Counter(match[1] for one in tree.paths if (match := _MIGRATIONS.match(one) or _PRISMA.match(one)))
    main = [folder for folder, count in folders.most_common(3) if count >= _FEW and not _is_aside(folder)]
    if main:
        found["migrations"] = there(listed(code(f"{one}/") for one in main), tuple(main), SEEN + 0.05)
    return found


def _is_aside(folder: str) -> bool:
    """Migrations of tests and examples; the folder of migrations itself is beside every project's code."""
    return is_outside_source(
        "/".join(part for part in folder.split("/") if part not in ("migrations", "migrate", "versions"))
    )


def _documents(tree: ProjectTree) -> Slots:
    found: Slots = {}
    makefile, names = targets(tree, "")
    if len(names) >= _FEW:
        found["target_file"] = Slot(code(makefile), (makefile,))
        found["targets"] = Slot(listed(map(code, names), 12), (makefile,))
    for slot, wanted in (
        ("contributing", ("contributing*", ".github/contributing*", "docs/contributing*")),
        ("changelog", ("changelog*", "changes.*", "history.*", "releases.md", "news.*", "release_notes*")),
    ):
        paths = [one for pattern in wanted for one in tree.find(*_split(pattern)) if not _is_signpost(tree.text(one))]
        if paths:
            found[slot] = there(code(paths[0]), (paths[0],))
    agents = [path for path in _AGENTS if tree.has(path)]
    if agents:
        found["agent_files"] = there(listed(map(code, agents)), tuple(agents))
    docs = Counter(
        path.partition("/")[0] for path in tree.paths if path.endswith((".md", ".rst", ".mdx", ".adoc", ".txt"))
    )
    folder = next((name for name in ("docs", "doc", "documentation", "Documentation") if docs[name] >= _FEW), "")
    if folder:
        found["docs"] = there(code(f"{folder}/"), (folder,))
    return found


def _is_signpost(text: str) -> bool:
    """Whether a document only says that it has moved."""
    return 0 < len(text) < _SIGNPOST


def _split(pattern: str) -> tuple[str, str]:
    folder, _, name = pattern.rpartition("/")
    return folder, name
