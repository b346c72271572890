"""What is to run every day: the words of its command, what it is told by its environment, and when."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from waypost import config
from waypost.config import Settings
from waypost.errors import InvalidInput
from waypost.space.identity import Identity

EVERYTHING = "all"  # in place of the id of a space
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
# No format of a schedule can hold them: a line or a table would end where a path does not.
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class At:
    """A time of day on the clock of this machine."""

    hour: int
    minute: int

    @classmethod
    def parse(cls, text: str) -> Self:
        found = _TIME.fullmatch(text.strip())
        if found is None:
            raise InvalidInput(f"{text[:40]!r} is not a time of day.", "Write hours and minutes, such as 04:00.")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}"


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """One space's upkeep, or that of all. Every word can stand in a line of text; InvalidInput else."""

    space: str  # 16 hex digits, or EVERYTHING
    title: str  # for people
    command: tuple[str, ...]  # the program is absolute
    at: At
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word in (*self.command, *self.environment.values()):
            if _UNWRITABLE.search(word):
                raise InvalidInput(
                    f"{word[:200]!r} cannot be written into a schedule.",
                    "Give that folder a name without control characters, in valid Unicode.",
                )
        if not os.path.isabs(self.command[0]):
            raise InvalidInput(
                f"{self.command[0][:200]!r} is not the full path of a program.", "Call Waypost by its own Python."
            )

    @property
    def name(self) -> str:
        """How the system calls it. One for each space: installing again replaces it."""
        return name_of(self.space)

    @property
    def shown_title(self) -> str:
        """On one line, without what unit files or comments could take for more than words."""
        return _UNWRITABLE.sub(" ", self.title).replace("\\", "/").strip()[:100]


def name_of(space: str) -> str:
    return f"waypost-{space}"


def job_of(identity: Identity | None, python: str, settings: Settings, at: At) -> ScheduledJob:
    """The upkeep of one space, or without an identity of all there are when it runs."""
    start = (os.path.abspath(python) if python else "", "-P", "-m", "waypost")
    told = _told(settings)
    if identity is None:
        return ScheduledJob(EVERYTHING, "all memories", (*start, "schedule", "run"), at, told)
    if identity.is_away:
        raise InvalidInput(f"The tree of {identity.name!r} is not on this machine.", "Schedule all memories: --all.")
    person = identity.kind == "person"
    where = (f"--person={identity.name}",) if person else ("-C", str(identity.root))
    return ScheduledJob(identity.space_id, identity.name, (*start, *where, "maintain"), at, told)


def _told(settings: Settings) -> dict[str, str]:
    """What this process knows by its environment alone: whoever runs by night has another one."""
    told = {"WAYPOST_HOME": str(settings.home)} if settings.home_is_told else {}
    plain = config.load({"WAYPOST_HOME": str(settings.home), "HOME": str(config.user_home())})
    if settings.engine != plain.engine:
        told["WAYPOST_ENGINE"] = settings.engine
    if settings.models != plain.models:
        told["WAYPOST_MODELS"] = str(settings.models[0])
    return told


def needs_secrets(settings: Settings) -> bool:
    """Whether a server wants a key that only the environment of a shell knows."""
    servers = (settings.llm, settings.openai if settings.engine == "openai" else None)
    return any(server is not None and server.api_key_variable for server in servers)


def unit_folder(home: Path) -> Path:
    return home / ".config" / "systemd" / "user"


def agent_folder(home: Path) -> Path:
    return home / "Library" / "LaunchAgents"
