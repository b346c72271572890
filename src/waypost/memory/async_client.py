"""`AsyncMemory`: the same memory for programs with an event loop. Each call runs in a thread."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from types import TracebackType
from typing import Any, Self

from waypost.memory.chat import Chat
from waypost.memory.facade import Memory

_GROUPS = ("code", "facts", "journal", "admin", "backups", "shares")


class AsyncObject:
    """An object of the library whose methods are coroutines. Groups such as `journal` work the same way.

    It has no logic of its own: names, arguments and answers are those of the object.
    """

    def __init__(self, target: object) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._target, name)
        if name in _GROUPS:
            return AsyncObject(value)
        return _in_thread(value) if callable(value) else value


class AsyncMemory(AsyncObject):
    """A memory whose methods are coroutines: `await memory.recall(…)`, `await memory.journal.add(…)`."""

    @classmethod
    async def open(cls, *given: Any, **options: Any) -> Self:
        """Open a memory; the arguments are those of `Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, *given, **options))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _in_thread(method: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    @wraps(method)
    async def call(*given: Any, **options: Any) -> Any:
        return await asyncio.to_thread(_finished, method, given, options)

    return call


def _finished(method: Callable[..., Any], given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result, computed to its end in this thread."""
    result = method(*given, **options)
    if isinstance(result, Iterator):
        return list(result)
    return AsyncObject(result) if isinstance(result, (Chat, Memory)) else result
