"""The way from the start of the process to the first answer."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost.faces.cli.commands.mcp_stdio import started_by_agent
from waypost.faces.mcp.session import ServedProject

HERE = Path("somewhere").absolute()


@pytest.mark.parametrize(
    ("arguments", "profile", "directory"),
    [
        (["mcp"], "default", None),
        (["mcp", "--profile", "locai"], "locai", None),
        (["-C", "somewhere", "mcp"], "default", HERE),
        (["-C", "somewhere", "mcp", "--profile", "all"], "all", HERE),
        (["-C", "${workspaceFolder}", "mcp"], "default", None),
    ],
)
def test_the_command_lines_that_agents_are_given_take_the_short_way(
    arguments: list[str], profile: str, directory: Path | None
) -> None:
    assert started_by_agent(arguments) == (profile, ServedProject(directory))


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["recall", "mcp"],
        ["mcp", "--http"],
        ["mcp", "--help"],
        ["mcp", "--profile"],
        ["mcp", "--profile", "all", "--http"],
        ["--person", "mcp"],
        ["-C", "mcp"],
        ["-C", "mcp", "recall"],
    ],
)
def test_every_other_command_line_is_left_to_the_command_framework(arguments: list[str]) -> None:
    assert started_by_agent(arguments) is None


@pytest.mark.slow
def test_the_first_answer_waits_for_nothing_heavy() -> None:
    script = (
        "import json, sys\n"
        "from waypost.faces.cli import entry\nfrom waypost.faces.cli.commands import mcp_stdio as serving_stdio\n"
        "from waypost.faces.mcp.early_answers import EarlyAnswers\n"
        "profile, project = serving_stdio.started_by_agent(['mcp'])\n"
        "early = EarlyAnswers(serving_stdio.tools_of(profile))\n"
        "opening = {'protocolVersion': '2025-11-25', 'capabilities': {}, 'clientInfo': {'name': 'x', 'version': '1'}}\n"
        "line = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': opening})\n"
        "assert early.answer(line.encode())\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded: list[Any] = json.loads(done.stdout)
    heavy = {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "typer", "rich", "numpy", "apsw", "waypost.memory"}
    assert heavy & set(loaded) == set()
