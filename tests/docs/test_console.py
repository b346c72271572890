"""The examples in the documents do what they show."""

import re
import time
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.docs.console import ROOT, Session, comparable, matches, new_repository, steps
from typer.core import TyperCommand, TyperGroup

from waypost.faces.cli import session as cli_session
from waypost.faces.cli.entry import root_command, run
from waypost.flows.links.cause import CauseSearch
from waypost.memory import Memory
from waypost.model.time import parse_time

PAGES = [
    path for path in (*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md") if "```console" in path.read_text()
]


def _search_for_a_minute(search: CauseSearch) -> None:
    search._until = time.monotonic() + 60.0


@pytest.mark.slow  # they load the embedding model
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, tmp_path: Path, clock: TestClock, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shop"
    new_repository(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WAYPOST_PERSON", "ada")
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setattr(cli_session, "interactive", lambda: True)  # a person types them
    monkeypatch.setattr(CauseSearch, "__post_init__", _search_for_a_minute)  # also on a busy machine
    examples = list(steps(page.read_text(encoding="utf-8")))
    if any(step.day for step in examples):
        opening = Memory.open.__func__  # type: ignore[attr-defined]
        monkeypatch.setattr(opening, "__kwdefaults__", {**opening.__kwdefaults__, "clock": clock})

    def printed(words: list[str]) -> str:
        capfd.readouterr()
        run(words)
        out, err = capfd.readouterr()
        return err + out

    console = Session(folder, printed)
    assert any(step.command for step in examples)
    for step in examples:
        if step.day:
            clock.now = parse_time(step.day)
        output = console.play(step)
        assert not step.command or matches(output, step.text), f"{step.command}\n{comparable(output)}"


SHELL = re.compile(r"(?ms)^```(?:sh|bash)\n(.*?)^```$")


@pytest.mark.parametrize(
    "page", [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"], ids=lambda page: page.stem
)
def test_commands_in_shell_blocks_are_commands_with_options_that_exist(page: Path) -> None:
    for block in SHELL.findall(page.read_text(encoding="utf-8")):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            if match := re.match(r"(?:\w+=\S+ )*waypost (.*?)(?:\s+#.*)?$", line):
                assert_known(match[1])


def assert_known(arguments: str) -> None:
    """The command exists and has every option that is named."""
    command: TyperGroup | TyperCommand = root_command()
    known = option_names(command)
    for word in arguments.split():
        inner = command.commands.get(word) if isinstance(command, TyperGroup) else None
        if isinstance(inner, TyperGroup | TyperCommand):
            command = inner
            known |= option_names(command)
        elif word.startswith("--"):
            assert word.partition("=")[0] in known, f"{arguments}: {word}"


def option_names(command: TyperGroup | TyperCommand) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
