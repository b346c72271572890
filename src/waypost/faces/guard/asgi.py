"""The words of ASGI that the guard uses. Header names are lower-case there."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CALLER = "waypost.caller"  # where the scope of an admitted request holds its `Identity`
SPACE_HEADER = "Waypost-Space"  # by which an agent names one of the memories that its token opens


def values(scope: Scope, name: bytes) -> list[bytes]:
    """Every value of the header, in the order sent."""
    return [value for header, value in scope["headers"] if header == name]


def named_space(scope: Scope) -> str:
    """What the header says; empty where there is none."""
    return b",".join(values(scope, SPACE_HEADER.lower().encode())).decode("latin-1").strip()
