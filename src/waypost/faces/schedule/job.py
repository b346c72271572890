"""A daily job: its command, its environment variables and its time. Also reports, and the protocol of a scheduler."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self

from waypost import config
from waypost.config import Settings
from waypost.errors import InvalidInput
from waypost.model.json_row import json_row
from waypost.space.identity import Identity

EVERYTHING = "all"  # instead of the id of a space
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
# No schedule format can hold them: they would end a line in the middle of a path.
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class At:
    """A time of day on the clock of this machine."""

    hour: int
    minute: int

    @classmethod
    def parse(cls, text: str) -> Self:
        matched = _TIME.fullmatch(text.strip())
        if matched is None:
            raise InvalidInput(f"{text[:40]!r} is not a time of day.", "Write hours and minutes, such as 04:00.")
        return cls(int(matched[1]), int(matched[2]))

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}"


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """Maintenance of one space or of all. Raises InvalidInput for words that a schedule cannot hold."""

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
                    "Rename that folder: no control characters, valid Unicode.",
                )
        if not os.path.isabs(self.command[0]):
            raise InvalidInput(
                f"{self.command[0][:200]!r} is not the full path of a program.", "Start Waypost with its own Python."
            )

    @property
    def name(self) -> str:
        """Its name in the scheduler, one for each space. Installing again replaces it."""
        return name_of(self.space)

    @property
    def shown_title(self) -> str:
        """The title on one line, without characters that unit files or comments interpret."""
        return _UNWRITABLE.sub(" ", self.title).replace("\\", "/").strip()[:100]


def name_of(space: str) -> str:
    return f"waypost-{space}"


def job_of(identity: Identity | None, python: str, settings: Settings, at: At) -> ScheduledJob:
    """The maintenance job of one space; without an identity, of all spaces."""
    start = (os.path.abspath(python) if python else "", "-P", "-m", "waypost")
    environment = _environment(settings)
    if identity is None:
        return ScheduledJob(EVERYTHING, "all memories", (*start, "schedule", "run"), at, environment)
    if identity.is_away:
        raise InvalidInput(f"The tree of {identity.name!r} is not on this machine.", "Schedule all memories: --all.")
    person = identity.kind == "person"
    where = (f"--person={identity.name}",) if person else ("-C", str(identity.root))
    return ScheduledJob(identity.space_id, identity.name, (*start, *where, "maintain"), at, environment)


def _environment(settings: Settings) -> dict[str, str]:
    """The settings that only environment variables set: a scheduler starts with other variables."""
    variables = {"WAYPOST_HOME": str(settings.home)} if settings.home_from_variable else {}
    without = config.load({"WAYPOST_HOME": str(settings.home), "HOME": str(config.user_home())})
    if settings.engine != without.engine:
        variables["WAYPOST_ENGINE"] = settings.engine
    if settings.models != without.models:
        variables["WAYPOST_MODELS"] = str(settings.models[0])
    return variables


def needs_secrets(settings: Settings) -> bool:
    """Whether an API key comes from an environment variable, which a scheduler does not have."""
    servers = (settings.llm, settings.openai if settings.engine == "openai" else None)
    return any(server is not None and server.api_key_variable for server in servers)


Deed = Literal["installed", "updated", "unchanged", "removed", "missing", "left"]


@dataclass(frozen=True, slots=True)
class ScheduleReport:
    """What one scheduler did, or with `dry_run` would do."""

    using: str
    name: str
    deed: Deed
    active: bool  # the system runs it from now on
    written: Mapping[str, str] = field(default_factory=dict)  # file or table → its text
    commands: tuple[str, ...] = ()  # commands you have to run
    notes: tuple[str, ...] = ()
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "deed", action=self.deed)


@dataclass(frozen=True, slots=True)
class ScheduleState:
    using: str
    usable: bool  # this scheduler can be used here
    installed: bool
    active: bool = False
    note: str = ""  # why it cannot be used, or what is unusual

    def to_json(self) -> dict[str, Any]:
        return json_row(self)


class Scheduler(Protocol):
    kind: str

    def reason_against(self) -> str:
        """Why it cannot be used here; empty if it can."""
        ...

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport: ...

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport: ...

    def state(self, name: str) -> ScheduleState: ...
