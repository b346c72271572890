"""The command line of a hook, as set-up writes it: `[env WAYPOST_HOME=…] …/waypost-hook EVENT --agent NAME`."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

_PROGRAM = re.compile(r"(?:.*[/\\])?waypost-hook(?:\.exe)?", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[a-z-]{1,40}")
_VARIABLE = "WAYPOST_HOME"


@dataclass(frozen=True, slots=True)
class HookCommand:
    program: str
    event: str
    agent: str
    environment: Mapping[str, str]


def hook_command(line: str) -> HookCommand | None:
    """The parts of a command line, or None if it does anything else than set-up writes."""
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    environment = {}
    if len(words) > 1 and words[0] == "env" and words[1].startswith(f"{_VARIABLE}="):
        environment[_VARIABLE] = words[1].partition("=")[2]
        words = words[2:]
    if len(words) != 4 or words[2] != "--agent" or not _PROGRAM.fullmatch(words[0]):
        return None
    program, event, _, agent = words
    if not _NAME.fullmatch(event) or not _NAME.fullmatch(agent):
        return None
    return HookCommand(program, event, agent, environment)
