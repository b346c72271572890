"""A client's session: its project, its identity, and one tool call. Independent of the protocol."""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from waypost import config
from waypost.errors import InvalidInput, Refused, SecurityError, WaypostError
from waypost.faces.mcp.schema import checked
from waypost.faces.mcp.tool import Cancelled, Tool, ToolCall, ToolReply
from waypost.model.ids import ids_in, with_short_ids
from waypost.model.memory import Caller
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.config import Settings

UNKNOWN_CLIENT = "mcp"  # for clients without a name
_LONGEST_NAME = 60
_REPORT_SECONDS = 0.1  # between two progress reports


@dataclass(frozen=True, slots=True)
class ServedProject:
    """What the server was started for. Without a directory it is the client's first root, else the current directory.
    `follows_roots` is off if several clients share the server."""

    directory: Path | None = None
    person: str | None = None  # use this person's memory instead
    follows_roots: bool = True
    settings: "Settings | None" = None
    clock: Clock = utc_now
    space: str | None = None  # use the memory with this id instead, wherever its repository is

    @property
    def asks_for_roots(self) -> bool:
        return self.follows_roots and self.directory is None and self.person is None and self.space is None

    def memory(self, caller: Caller, root: Path | None = None) -> "Memory":
        """Open the memory. Cheap: loads no model."""
        from waypost.memory import Memory  # not needed for the handshake

        settings = self.settings or config.load()
        if self.space is not None:
            from waypost.memory.catalog import open_by_id

            return open_by_id(settings, caller, self.space, self.clock)
        directory = self.directory or self._project_directory(root or Path.cwd())
        return Memory.open(directory, caller=caller, person=self.person, settings=settings, clock=self.clock)

    def _project_directory(self, directory: Path) -> Path:
        """Refuse the home and root directories unless they are repositories. Agents sometimes start servers there, and
        then all projects would share one memory."""
        here = directory.absolute()
        if self.person is None and config.is_everything(here):
            raise InvalidInput(
                f"The server was started in {here}, which is not a project, and the agent named no folder.",
                'Open a project in the agent, or add "-C", "/path/of/the/project" before "mcp" in the server\'s '
                "configuration.",
            )
        return directory

    def person_name(self) -> str:
        return (self.settings or config.load()).person

    def home(self) -> Path:
        return (self.settings or config.load()).home


def client_name(name: object) -> str:
    """A client's own name, printable and not too long."""
    printable = "".join(c for c in name if c.isprintable()).strip() if isinstance(name, str) else ""
    return printable[:_LONGEST_NAME] or UNKNOWN_CLIENT


def no_way_to_ask(_question: str) -> bool:
    """For clients that cannot ask their user."""
    raise SecurityError(
        "This needs the user's confirmation, and this client cannot ask for it.",
        "Ask them to run `waypost review`, `waypost reject ID` or `waypost forget ID` at a terminal.",
    )


class AnswerNeeded(Exception):
    """The client must repeat the request with the user's answer: this protocol cannot ask during a request."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question


ReportProgress = Callable[[float, float | None, str], None]


class SpeaksForPerson(Protocol):
    def __call__(self, space_id: str, *, forgetting: bool = False) -> None: ...


def _always(space_id: str, *, forgetting: bool = False) -> None: ...


@dataclass(slots=True)
class ServedCall:
    """One call, implementing `tool.ToolCall`. `tell` sends progress to the client; `ask` asks its user."""

    project: ServedProject
    client: str = UNKNOWN_CLIENT
    root: Path | None = None
    tell: ReportProgress = lambda *_: None
    ask: Callable[[str], bool] = no_way_to_ask
    opens: Callable[[str], None] = lambda _: None  # raises if the client has no access to this space
    space: Callable[[], str | None] = lambda: None  # the caller's space, if it is not the project's
    person: str = ""  # the person the client speaks for, if not the one in the settings
    speaks: SpeaksForPerson = _always  # raises if the client cannot speak for a person in this space
    ticks: Callable[[], float] = time.monotonic
    stopped: threading.Event = field(default_factory=threading.Event)
    _reported: float = field(default=-1.0, init=False)
    _reported_at: float = field(default=float("-inf"), init=False)

    @property
    def memory(self) -> "Memory":
        return self._open(Caller("agent", self.client))

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        if self.stopped.is_set():
            raise Cancelled
        # The protocol requires increasing numbers.
        if done > self._reported and (done == total or self.ticks() - self._reported_at >= _REPORT_SECONDS):
            self._reported, self._reported_at = done, self.ticks()
            self.tell(done, total, message)

    def ask_person(self, question: str) -> bool:
        return self.ask(question)

    def persons_memory(self) -> "Memory":
        """The memory with the person's rights. Only after `ask_person` returned True."""
        return self._open(Caller("person", self.person or self.project.person_name()))

    def _open(self, caller: Caller) -> "Memory":
        space = self.space()
        project = self.project if space is None else replace(self.project, space=space)
        memory = project.memory(caller, self.root)
        self.opens(memory.identity.space_id)
        return memory

    def now(self) -> datetime:
        return self.project.clock()


def now_of(call: ToolCall) -> datetime:
    return call.now() if isinstance(call, ServedCall) else utc_now()


def confirmed_by_person(call: ToolCall, question: str, *, forgetting: bool = False) -> "Memory":
    """Ask the user; on yes return the memory with their rights. Checks first that their answer would count."""
    if isinstance(call, ServedCall):
        call.speaks(call.memory.identity.space_id, forgetting=forgetting)
    if not call.ask_person(question):
        raise Refused("The user said no; nothing was changed.", "Respect that, and ask them what they want.")
    if not isinstance(call, ServedCall):
        raise SecurityError("This call cannot speak for a person.", "Use the MCP server.")
    return call.persons_memory()


def run_tool(tool: Tool, call: ToolCall, arguments: Mapping[str, Any], home: Callable[[], Path]) -> ToolReply:
    """Check the arguments and run the tool. Errors become replies; only `Cancelled` and `AnswerNeeded` are raised."""
    try:
        reply = tool.run(call, checked(tool, arguments))
        return _with_short_ids(reply, call) if tool.short_ids else reply
    except WaypostError as error:
        return ToolReply(failed(error), is_error=True)
    except (Cancelled, AnswerNeeded):
        raise
    except Exception as error:  # noqa: BLE001  last boundary before the client: log the traceback, reply in one line
        log_crash(error, home)
        return ToolReply(unexpected(error), is_error=True)


def _with_short_ids(reply: ToolReply, call: ToolCall) -> ToolReply:
    """The reply with short ids in its text: they cost an agent a third of the tokens."""
    ids = ids_in(reply.text)
    return replace(reply, text=with_short_ids(reply.text, call.memory.admin.short_ids(ids))) if ids else reply


def failed(error: WaypostError) -> str:
    return f"{error.what} {error.remedy}".strip()


def unexpected(error: Exception) -> str:
    return (
        f"Unexpected error: {type(error).__name__}. This is a bug in Waypost; see crash.log in its data directory. "
        "Everything that was confirmed is saved. Continue without this call."
    )


def log_crash(error: Exception, home: Callable[[], Path]) -> None:
    from waypost.system.crash_log import note_crash

    with contextlib.suppress(WaypostError):  # unreadable settings are reported elsewhere
        note_crash(error, home())
