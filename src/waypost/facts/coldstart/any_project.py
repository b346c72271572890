"""Facts that any project can have: name, purpose, licence, tests, pipelines, containers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from waypost.facts.coldstart.commands import targets
from waypost.facts.coldstart.prose import first_sentence, readme_sentence, readme_title
from waypost.facts.coldstart.slots import OBSERVED, STATED, Slot, Slots, code, path_slot, seen_slot
from waypost.facts.coldstart.testing import test_slots
from waypost.facts.coldstart.tree import ProjectTree, table
from waypost.facts.coldstart.units import is_own, source_totals
from waypost.facts.domains import is_outside_source
from waypost.text.plural import join_items

_READMES = ("readme.md", "readme.rst", "readme.markdown", "readme.txt", "readme.adoc", "readme.org", "readme")
_ENV_FILES = (".env.example", ".env.sample", ".env.template", ".env.dist", "env.example", ".env.local.example")
_COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", "docker-compose.dev.yml")
_VARIABLE = re.compile(r"^[ \t]*+(?:export[ \t]++)?#?[ \t]?([A-Z][A-Z0-9_]{2,60})=", re.MULTILINE)
_PRISMA = re.compile(r"^(.*?(?:^|/)migrations)/\d[^/]*/migration\.sql$")
_MIGRATIONS = re.compile(
    r"^(.*?(?:^|/)(?:migrations?|migrate|versions)(?:/(?:postgres|postgresql|mysql|sqlite))?)/V?[\da-f][\w\-.]*\.(?:py|rb|sql|php|ts|js|cs|exs|go|rs)$"
)  # each file name begins with a number, a date or a hash
_AGENTS = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md", "GEMINI.md")
_ROOT_NAME = re.compile(r"[-_.](?:monorepo|root|parent|workspace|repo)$", re.I)
_INIT = re.compile(r"(?<!\S)(?:\S*/)?(?:tini|dumb-init|catatonit)(?: -\S+)*+$")  # starts the command after it
_FEW = 3
_MANY = 10  # documents
_MOSTLY = 3  # documents for each file of code, if the repository consists mostly of documents
_DOCUMENTS = {
    ".md": "Markdown",
    ".mdx": "MDX",
    ".rst": "reStructuredText",
    ".adoc": "AsciiDoc",
    ".tex": "LaTeX",
    ".org": "Org",
}
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_LONGEST_HEADING = 5  # words
_INFORMATIVE = 36  # characters of a useful description


def readme(tree: ProjectTree, folder: str = "") -> str:
    """The path of a folder's README, or an empty string."""
    return next((path for name in _READMES for path in tree.find(folder, name)), "")


def common_slots(tree: ProjectTree, units: Sequence[Slots]) -> Slots:
    """Slots that do not depend on the ecosystem. `units` has the slots of the packages, the root first."""
    slots = _identity(tree, units)
    if licence := licence_of(tree, [unit["licence"] for unit in units if "licence" in unit]):
        slots["licence"] = licence
    return slots | test_slots(tree) | _contents(tree) | _containers(tree) | _settings(tree) | _documents(tree)


def _identity(tree: ProjectTree, units: Sequence[Slots]) -> Slots:
    path = readme(tree)
    text = tree.text(path)
    heading = readme_title(text)
    package_names = [unit[key] for unit in units for key in ("title", "package") if key in unit]
    plain_names = [slot for slot in package_names if re.fullmatch(r"[\w.\- ]{2,40}", slot.value)]
    slots: Slots = {}
    if heading and _is_name_of(heading, [tree.name, *(slot.value for slot in plain_names)]):
        slots["project"] = Slot(heading, (path,))
    elif plain_names and tree.name.lower() in re.split(r"[-_. ]", plain_names[0].value.lower()):
        slots["project"] = Slot(tree.name, ())  # `redash-client` is a part of redash
    elif plain_names:
        slots["project"] = replace(plain_names[0], value=_ROOT_NAME.sub("", plain_names[0].value))
    elif tree.name:
        slots["project"] = Slot(tree.name, (), STATED)
    readme_text = readme_sentence(text)
    described = [(first_sentence(unit["purpose"].value), unit["purpose"].refs) for unit in units if "purpose" in unit]
    purposes = [(words, refs) for words, refs in [*described[:1], (readme_text, (path,)), *described[1:]] if words]
    purposes.sort(key=lambda purpose: len(purpose[0]) < _INFORMATIVE)  # `A JSON library.` says less than the README
    if purposes:
        slots["purpose"] = Slot(purposes[0][0].replace('"', "'"), purposes[0][1])
    return slots


def _is_name_of(heading: str, names: Sequence[str]) -> bool:
    """Whether a README's heading is the project's name: one word, or a short title that shares one with a name."""
    words = set(_LETTERS.findall(heading.lower()))
    shared = any(word in name.lower() for word in words for name in names if len(word) > 2)
    return "?" not in heading and (len(heading.split()) == 1 or (shared and len(words) <= _LONGEST_HEADING))


def common_folder(folders: Sequence[str]) -> str:
    """The deepest folder that contains all of these, or an empty string."""
    levels = zip(*(folder.split("/") for folder in folders), strict=False)
    return "/".join(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, levels))


def _contents(tree: ProjectTree) -> Slots:
    """Notebooks, and documents if the repository has little else."""
    slots: Slots = {}
    notebooks = list(filter(is_own, tree.below("", ".ipynb")))
    if len(notebooks) >= _FEW:
        folders = sorted({path.rpartition("/")[0] for path in notebooks})
        shown_folders = folders if len(folders) <= 2 else [common_folder(folders)]
        names = join_items(code(f"{folder}/") if folder else "the root folder" for folder in shown_folders)
        if len(folders) > 2 and not shown_folders[0]:
            names = f"{len(folders)} folders"
        slots["notebook_folders"] = seen_slot(names, notebooks[:3])
        slots["notebooks"] = seen_slot(join_items(code(path) for path in notebooks[:2]), notebooks[:3])
    documents = Counter(name for path in tree.paths for ending, name in _DOCUMENTS.items() if path.endswith(ending))
    others = sum(source_totals(tree).values()) + len(tree.below("", ".ipynb"))
    if documents.total() >= _MANY and documents.total() >= _MOSTLY * others:
        kinds = [name for name, count in documents.most_common() if count * 10 >= documents.total()]
        examples = [path for path in tree.paths if path.endswith(tuple(_DOCUMENTS))]
        slots["document_kinds"] = seen_slot(join_items(kinds), examples[:3], OBSERVED + 0.05)
    return slots


def _containers(tree: ProjectTree) -> Slots:
    slots: Slots = {}
    dockerfile = tree.first("", "Dockerfile", "docker/Dockerfile")
    if command := _start_command(tree.text(dockerfile)):
        slots["container_command"] = Slot(code(command), (dockerfile,))
    for path in tree.find("", *_COMPOSE_FILES):
        services = [name for name in table(tree.yaml(path), "services") if isinstance(name, str)]
        if services and "compose_services" not in slots:
            slots["compose_services"] = Slot(join_items(map(code, services), 8), (path,))
            slots["compose_file"] = path_slot(path)
    processes = re.findall(r"^([a-z][\w\-]{0,30}):\s*(\S[^\n]{0,120})$", tree.text("Procfile"), re.MULTILINE)
    if processes:
        process_lines = [f"{code(name)} with {code(line)}" for name, line in processes]
        slots["processes"] = Slot(join_items(process_lines, 4), ("Procfile",))
    return slots


def _start_command(dockerfile: str) -> str:
    lines = re.findall(r"(?m)^(ENTRYPOINT|CMD)\s+(\[[^\n]{1,300}\]|[^\n\[]{1,200})$", dockerfile[-20_000:])
    last = dict(lines)
    parts = []
    for kind in ("ENTRYPOINT", "CMD"):
        command = last.get(kind, "").strip()
        quoted = re.findall(r'"([^"]{0,200})"', command) if command.startswith("[") else []
        parts.append(" ".join(quoted) if command.startswith("[") else command)
    whole = _INIT.sub("", " ".join(part for part in parts if part)).strip()
    return whole if 0 < len(whole) < 150 and "$" not in whole and "\\" not in whole else ""


def _settings(tree: ProjectTree) -> Slots:
    slots: Slots = {}
    path = tree.first("", *_ENV_FILES)
    variables = list(dict.fromkeys(_VARIABLE.findall(tree.text(path)[:50_000])))
    if variables:
        slots["environment_file"] = path_slot(path)
        slots["variables"] = seen_slot(join_items(map(code, variables[:4])), (path,))
    folders = Counter(match[1] for path in tree.paths if (match := _MIGRATIONS.match(path) or _PRISMA.match(path)))
    main = [folder for folder, count in folders.most_common(3) if count >= _FEW and not _is_outside(folder)]
    if main:
        slots["migrations"] = seen_slot(join_items(code(f"{folder}/") for folder in main), tuple(main), OBSERVED + 0.05)
    return slots


def _is_outside(folder: str) -> bool:
    """Whether these migrations belong to tests or examples. The migrations folder itself never counts as source."""
    parts = [part for part in folder.split("/") if part not in ("migrations", "migrate", "versions")]
    return is_outside_source("/".join(parts))


def _documents(tree: ProjectTree) -> Slots:
    slots: Slots = {}
    makefile, names = targets(tree, "")
    if len(names) >= _FEW:
        slots["target_file"] = Slot(code(makefile), (makefile,))
        slots["targets"] = Slot(join_items(map(code, names), 12), (makefile,))
    agents = [path for path in _AGENTS if tree.has(path)]
    if agents:
        slots["agent_files"] = seen_slot(join_items(map(code, agents)), tuple(agents))
    docs = Counter(path.partition("/")[0] for path in tree.below("", ".md", ".rst", ".mdx", ".adoc", ".txt"))
    folder = next((name for name in ("docs", "doc", "documentation", "Documentation") if docs[name] >= _FEW), "")
    if folder:
        slots["docs"] = seen_slot(code(f"{folder}/"), (folder,))
    return slots


# Phrases that identify a licence, in search order: specific ones before general ones.
_KNOWN = (
    ("GNU AFFERO GENERAL PUBLIC LICENSE", "the GNU Affero General Public License"),
    ("GNU LESSER GENERAL PUBLIC LICENSE", "the GNU Lesser General Public License"),
    ("GNU GENERAL PUBLIC LICENSE", "the GNU General Public License"),
    ("Apache License", "the Apache License 2.0"),
    ("Mozilla Public License", "the Mozilla Public License 2.0"),
    ("Eclipse Public License", "the Eclipse Public License"),
    ("BSD 3-Clause", "the BSD 3-Clause License"),
    ("Neither the name of", "the BSD 3-Clause License"),
    ("BSD 2-Clause", "the BSD 2-Clause License"),
    ("Redistributions in binary form", "the BSD 2-Clause License"),
    ("ISC License", "the ISC License"),
    ("Permission to use, copy, modify, and/or distribute", "the ISC License"),
    ("Permission is hereby granted, free of charge", "the MIT License"),
    ("This is free and unencumbered software", "the Unlicense"),
    ("Boost Software License", "the Boost Software License 1.0"),
    ("Business Source License", "the Business Source License"),
    ("Elastic License", "the Elastic License"),
)
_VERSION = re.compile(r"Version (\d(?:\.\d)?)\b")
_WITH_VERSION = ("GNU", "Eclipse")
_READ = 3_000  # characters: the title and the first clauses
_SPDX = re.compile(r"[A-Za-z0-9][\w.+\- ()/]{1,60}")


def licence_of(tree: ProjectTree, declared: Sequence[Slot]) -> Slot | None:
    """The licence by a single known licence file, else by a manifest, else by all licence files."""
    paths = [path for path in tree.find("", "licen[cs]e*", "copying*", "unlicen[cs]e*") if "/" not in path]
    names = sorted({licence_name(tree.text(path)) for path in paths} - {""})
    if names and len(paths) == 1:
        return Slot(names[0], tuple(paths))
    stated = next((slot for slot in declared if _SPDX.fullmatch(slot.value) and "file" not in slot.value.lower()), None)
    if stated is not None:
        return stated
    return Slot(" or ".join(names), tuple(paths), OBSERVED) if names else None


def licence_name(text: str) -> str:
    """The licence whose text this is, or an empty string."""
    head = " ".join(text[:_READ].split())
    lowered = head.lower()
    matches = [(lowered.find(mark.lower()), mark, name) for mark, name in _KNOWN if mark.lower() in lowered]
    if not matches:
        return ""
    _, _, name = min(matches, key=lambda row: row[0])  # the title comes first; texts mention other licences later
    if name.startswith("the BSD") and "neither the name of" in lowered:
        name = "the BSD 3-Clause License"
    version = _VERSION.search(head) if any(word in name for word in _WITH_VERSION) else None
    return f"{name}, version {version[1]}" if version else name
