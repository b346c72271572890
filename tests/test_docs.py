"""Documentation is part of the feature: complete, and true."""

import re
import tomllib
from collections import Counter
from itertools import takewhile
from pathlib import Path

import pytest

from waypost.config import KNOWN
from waypost.faces.cli.command_reference import page
from waypost.faces.cli.entry import root_command

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "waypost"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
REQUIREMENTS = ROOT / "docs" / "design" / "requirements.md"
REQUIREMENT = re.compile(r"\b(?:CG|CB|CM|LA|MB|GOV|ALL)-\d+\b")
LAST_REQUIREMENT = {"CG": 21, "CB": 14, "CM": 15, "LA": 6, "MB": 11, "GOV": 10, "ALL": 9}
TEXTS = {".py", ".md", ".html", ".toml", ".yaml", ".js", ".css", ".sh"}
CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.md")),
    *sorted((ROOT / "benchmarks" / "notes").glob("*.md")),
    ROOT / "README.md",
]
COMMANDS = set(root_command().commands)


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "reference" / "commands.md").read_text() == page(), (
        "python -m waypost.faces.cli.command_reference > docs/reference/commands.md"
    )


def test_every_command_but_that_of_the_worker_is_documented() -> None:
    documented = set(re.findall(r"^## waypost (\w+)", page(), re.MULTILINE))
    assert documented | {"work"} == COMMANDS


def test_people_have_at_most_150_kb_to_read() -> None:
    """Without the lists that are printed from `--help` and docstrings, where a name is looked up."""
    folders = ("tutorials", "how-to", "reference", "explanation")
    pages = [path for folder in folders for path in (ROOT / "docs" / folder).glob("*.md")]
    assert sum(path.stat().st_size for path in pages if path.name not in ("commands.md", "library.md")) <= 150_000


def test_every_setting_is_documented() -> None:
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text()
    assert [name for name in sorted(KNOWN) if name not in settings] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_named_in_a_page_exist(path: Path) -> None:
    for command in re.findall(r"\bwaypost ([a-z]+)\b", re.sub(r"(?s)```python.*?```", "", path.read_text())):
        assert command in COMMANDS, command


def test_messages_name_commands_that_exist() -> None:
    sources = {path: path.read_text() for path in (ROOT / "src").rglob("*.py")}
    named = {
        (path.name, word) for path, text in sources.items() for word in re.findall(r"`waypost ([a-z][a-z-]*)", text)
    }
    assert len(named) > 50
    assert [name for name in sorted(named) if name[1] not in COMMANDS] == []


def test_paths_in_the_architecture_page_exist() -> None:
    named = paths_named(ARCHITECTURE.read_text())
    assert len(named) > 80
    assert [path for path in named if not exists(path, SOURCE, ROOT)] == []


def test_the_architecture_page_shows_every_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    shown = set(re.findall(r"\w+", " ".join(CODE_BLOCK.findall(ARCHITECTURE.read_text()))))
    layers = {
        name for contract in contracts for layer in contract.get("layers", ()) for name in re.findall(r"\w+", layer)
    }
    assert layers - shown == {"__main__"}


def test_the_table_of_changes_has_thirty_rows_that_lead_to_files() -> None:
    rows = table(ARCHITECTURE, "I want to change …")
    targets = [path for row in rows for path in paths_named(row[1])]
    assert len(rows) == len(targets) == 30
    assert [path for path in targets if not is_file(path)] == []
    assert [path for path, count in Counter(targets).items() if count > 2] == []


def test_the_glossary_has_at_most_twenty_five_terms() -> None:
    terms = [row[0] for row in table(ARCHITECTURE, "Glossary")]
    assert 15 <= len(terms) == len(set(terms)) <= 25


def test_recall_is_explained_by_at_most_fifteen_files() -> None:
    assert 8 <= len(table(ARCHITECTURE, "Recall in 15 files")) <= 15


def test_every_requirement_is_mapped_to_modules_and_tests_that_exist() -> None:
    rows = [row for row in table_rows(REQUIREMENTS.read_text()) if REQUIREMENT.search(row[0])]
    codes = {code for row in rows for code in REQUIREMENT.findall(row[0])}
    assert codes == {f"{area}-{number}" for area, last in LAST_REQUIREMENT.items() for number in range(1, last + 1)}
    for codes_of_row, _, modules, tests in rows:
        paths = paths_named(modules), paths_named(tests)
        assert all(paths) or modules == tests == "–", codes_of_row
        assert [path for path in paths[0] if not exists(path, SOURCE)] == [], codes_of_row
        assert [path for path in paths[1] if not exists(path, ROOT / "tests")] == [], codes_of_row


def test_requirement_codes_appear_on_their_page_only() -> None:
    folders = (ROOT / name for name in ("src", "docs", "tests", "benchmarks", "deploy", "plugin", "scripts"))
    paths = [*ROOT.glob("*.md"), *(path for folder in folders for path in folder.rglob("*.*") if path.is_file())]
    coded = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(paths)
        if path.suffix in TEXTS and path != REQUIREMENTS and "node_modules" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if REQUIREMENT.search(line)
    ]
    assert coded == []


def paths_named(markdown: str) -> list[str]:
    """Files and folders in backticks. A plain name counts only if it ends with .py: `memory.md` is a user's file."""
    named = re.findall(r"`([\w./-]+)`", CODE_BLOCK.sub("", markdown))
    return [name for name in named if name.endswith((".py", "/")) or ("/" in name and "." in name)]


def exists(path: str, *folders: Path) -> bool:
    return any((folder / path).exists() for folder in folders)


def is_file(path: str) -> bool:
    return (SOURCE / path).is_file() or (
        path.startswith(("docs/", "tests/", "benchmarks/")) and (ROOT / path).is_file()
    )


def table(page_path: Path, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading."""
    _, _, section = page_path.read_text().partition(f"\n## {heading}\n")
    lines = section[section.index("\n|") + 1 :].splitlines()
    return table_rows("\n".join(takewhile(lambda line: line.startswith("|"), lines)))[1:]


def table_rows(markdown: str) -> list[list[str]]:
    lines = [line for line in markdown.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
