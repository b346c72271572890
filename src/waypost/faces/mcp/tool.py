"""What a tool is, whatever protocol carries it. Importing this costs nothing: the SDK is needed only to serve."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from waypost import Memory

Schema = Mapping[str, Any]  # a JSON Schema


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool answers: `text` to be read, `data` with the same for programs."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False


class ToolCall(Protocol):
    """One call of a tool: what it may use. Tools run in a thread of their own."""

    @property
    def memory(self) -> "Memory":
        """The memory of the project that the client works in, for the agent that calls."""
        ...

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell the client how far it is. Raises `Cancelled` when the client does not want it any more."""
        ...

    def ask_person(self, question: str) -> bool:
        """The person's word, asked for through the client; False where they say no. Raises `SecurityError` where the
        client has no way to ask them."""
        ...


class Cancelled(Exception):
    """The client has taken its request back."""


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters`: a JSON Schema for each, with its limits, and `default` where it is not required.
    `returns`: the JSON Schema of `Reply.data`; None: it has none."""

    name: str
    description: str
    run: Callable[[ToolCall, Mapping[str, Any]], ToolReply]
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    returns: Schema | None = None
    reads_only: bool = False
    destroys: bool = False
    idempotent: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.parameters)}
        if self.required:
            schema["required"] = list(self.required)
        return schema
