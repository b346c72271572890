"""Documentation is part of the feature: complete, and true."""

import re
from pathlib import Path

import pytest

from waypost.config import KNOWN
from waypost.faces.cli.command_reference import page
from waypost.faces.cli.entry import root_command

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md")), ROOT / "README.md"]
COMMANDS = set(root_command().commands)


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "commands.md").read_text() == page(), (
        "python -m waypost.faces.cli.command_reference > docs/commands.md"
    )


def test_every_command_but_that_of_the_worker_is_documented() -> None:
    documented = set(re.findall(r"^## waypost (\w+)", page(), re.MULTILINE))
    assert documented | {"work"} == COMMANDS


def test_every_setting_is_documented() -> None:
    operations = (ROOT / "docs" / "operations.md").read_text()
    assert [name for name in sorted(KNOWN) if name not in operations] == []


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
    assert [one for one in sorted(named) if one[1] not in COMMANDS] == []
