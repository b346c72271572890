"""A client's session: which project it works in, who it is, and one call of a tool. Nothing here knows the protocol."""

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
from waypost.model.memory import Caller
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.config import Settings

UNKNOWN_CLIENT = "mcp"  # one that does not say its name
_LONGEST_NAME = 60
_REPORT_SECONDS = 0.1  # between two reports of progress: more is not seen


@dataclass(frozen=True, slots=True)
class ServedProject:
    """What the server was started for. Without a directory it is where the client works: its first root, else where the
    server was started. `follows_roots` is off where several clients share a server."""

    directory: Path | None = None
    person: str | None = None  # a person's own memory instead
    follows_roots: bool = True
    settings: "Settings | None" = None
    clock: Clock = utc_now
    space: str | None = None  # a memory by its id instead, wherever its tree is

    @property
    def asks_for_roots(self) -> bool:
        return self.follows_roots and self.directory is None and self.person is None and self.space is None

    def memory(self, caller: Caller, root: Path | None = None) -> "Memory":
        """Opening costs little and loads no model."""
        from waypost.memory import Memory  # what the handshake need not wait for

        settings = self.settings or config.load()
        if self.space is not None:
            from waypost.memory.catalog import open_by_id

            return open_by_id(settings, caller, self.space, self.clock)
        directory = self.directory or self._found(root or Path.cwd())
        return Memory.open(directory, caller=caller, person=self.person, settings=settings, clock=self.clock)

    def _found(self, directory: Path) -> Path:
        """Where nobody named a directory, it must be one of a project: agents start servers in the home directory, too, and
        there all projects would share a memory, and an index would hold all their files."""
        here = directory.absolute()
        everything = here == Path(here.anchor) or here == config.user_home().absolute()
        if self.person is None and everything and not (here / ".git").exists():
            raise InvalidInput(
                f"The server works in {here}, which is no project: the agent has not said where it works.",
                'Open a project in the agent; or let the person add "-C", "/path/of/the/project" before "mcp" where the '
                "server is configured.",
            )
        return directory

    def person_name(self) -> str:
        return (self.settings or config.load()).person

    def home(self) -> Path:
        return (self.settings or config.load()).home


def client_name(name: object) -> str:
    """A client's name for itself, fit to stand in a record."""
    told = "".join(c for c in name if c.isprintable()).strip() if isinstance(name, str) else ""
    return told[:_LONGEST_NAME] or UNKNOWN_CLIENT


def no_way_to_ask(_question: str) -> bool:
    """For clients that cannot show a question to their person."""
    raise SecurityError(
        "This takes the word of the person, and this client has no way to ask them.",
        "Tell them: they can do it at a terminal with `waypost review`, `waypost reject ID` or `waypost forget ID`.",
    )


class AnswerNeeded(Exception):
    """The person's word has to come with another request: the protocol at hand has no questions in between."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question


Tell = Callable[[float, float | None, str], None]


class Speaks(Protocol):
    def __call__(self, space_id: str, *, forgetting: bool = False) -> None: ...


@dataclass(slots=True)
class ServedCall:
    """One call, as `tool.Call` wants it. `tell` brings progress to the client, `ask` brings a person's word."""

    project: ServedProject
    client: str = UNKNOWN_CLIENT
    root: Path | None = None
    tell: Tell = lambda *_: None
    ask: Callable[[str], bool] = no_way_to_ask
    opens: Callable[[str], None] = lambda _: None  # raises where the client may not open the memory of this id
    space: Callable[[], str | None] = lambda: None  # the memory of this caller, where it is not the project's
    person: str = ""  # whose word the client brings, where it is not the person's of this home
    speaks: Speaks = lambda *_, **__: None  # raises where the client cannot bring a person's word about this memory
    ticks: Callable[[], float] = time.monotonic
    stopped: threading.Event = field(default_factory=threading.Event)
    _told: float = field(default=-1.0, init=False)
    _told_at: float = field(default=float("-inf"), init=False)

    @property
    def memory(self) -> "Memory":
        return self._opened(Caller("agent", self.client))

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        if self.stopped.is_set():
            raise Cancelled
        # The protocol wants numbers that rise.
        if done > self._told and (done == total or self.ticks() - self._told_at >= _REPORT_SECONDS):
            self._told, self._told_at = done, self.ticks()
            self.tell(done, total, message)

    def ask_person(self, question: str) -> bool:
        return self.ask(question)

    def persons_memory(self) -> "Memory":
        """The memory in the hands of the person. Only after `ask_person` has said yes."""
        return self._opened(Caller("person", self.person or self.project.person_name()))

    def _opened(self, caller: Caller) -> "Memory":
        space = self.space()
        project = self.project if space is None else replace(self.project, space=space)
        memory = project.memory(caller, self.root)
        self.opens(memory.identity.space_id)
        return memory

    def now(self) -> datetime:
        return self.project.clock()


def now_of(call: ToolCall) -> datetime:
    return call.now() if isinstance(call, ServedCall) else utc_now()


def persons_word(call: ToolCall, question: str, *, forgetting: bool = False) -> "Memory":
    """Ask, and on a yes return the memory in the person's hands. Nobody is asked whose yes would not count."""
    if isinstance(call, ServedCall):
        call.speaks(call.memory.identity.space_id, forgetting=forgetting)
    if not call.ask_person(question):
        raise Refused("The person said no; nothing was changed.", "Respect that, and ask them what they want.")
    if not isinstance(call, ServedCall):
        raise SecurityError("This call cannot speak for a person.", "Use the MCP server.")
    return call.persons_memory()


def run_tool(tool: Tool, call: ToolCall, arguments: Mapping[str, Any], home: Callable[[], Path]) -> ToolReply:
    """Check and run. What goes wrong becomes an answer that the agent can act on; only `Cancelled` and `AnswerNeeded` pass."""
    try:
        return tool.run(call, checked(tool, arguments))
    except WaypostError as error:
        return ToolReply(failed(error), is_error=True)
    except (Cancelled, AnswerNeeded):
        raise
    except Exception as error:  # noqa: BLE001  the last wall before the client: a traceback helps no agent
        log_crash(error, home)
        return ToolReply(unexpected(error), is_error=True)


def failed(error: WaypostError) -> str:
    return f"{error.what} {error.remedy}".strip()


def unexpected(error: Exception) -> str:
    return (
        f"Something unexpected happened: {type(error).__name__}. This is a bug of Waypost; crash.log in its home has the "
        "place. Nothing that was acknowledged is lost; go on without this call."
    )


def log_crash(error: Exception, home: Callable[[], Path]) -> None:
    from waypost.space.crash import note_crash

    with contextlib.suppress(WaypostError):  # settings that cannot be read say so elsewhere
        note_crash(error, home())
