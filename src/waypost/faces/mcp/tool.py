"""Tools, independent of the protocol. Cheap to import: only serving needs the SDK."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from waypost import Memory

Schema = Mapping[str, Any]  # a JSON Schema


@dataclass(frozen=True, slots=True)
class ToolReply:
    """A tool's answer: `text` for reading, `data` with the same content for programs that request it."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False


class ToolCall(Protocol):
    """What a tool can use during a call. Tools run in their own threads."""

    @property
    def memory(self) -> "Memory":
        """The memory of the client's project, with the agent's rights."""
        ...

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report progress to the client. Raises `Cancelled` if the client has cancelled the request."""
        ...

    def ask_person(self, question: str) -> bool:
        """Ask the user through the client; False if they say no. Raises `SecurityError` if the client cannot ask."""
        ...


class Cancelled(Exception):
    """The client has cancelled the request."""


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters`: a JSON Schema per parameter, with limits, and `default` if it is optional.
    `returns`: the JSON Schema of `ToolReply.data`, or None. `structured`: whether answers carry that data. Claude Code
    and Codex show a model the data instead of the text, without its fence; so only on request."""

    name: str
    description: str
    run: Callable[[ToolCall, Mapping[str, Any]], ToolReply]
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    returns: Schema | None = None
    reads_only: bool = False
    destroys: bool = False
    idempotent: bool = False
    structured: bool = False
    short_ids: bool = False  # whether ids in the text are shortened; those in the data are whole

    @property
    def input_schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.parameters)}
        if self.required:
            schema["required"] = list(self.required)
        return schema
