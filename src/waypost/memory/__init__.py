"""The façade: `Memory.open(".")`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waypost.memory.facade import Memory as Memory

__all__ = ["Memory"]


def __getattr__(name: str) -> Any:
    # Imported on first use, since hooks need only parts of the package.
    if name == "Memory":
        from waypost.memory.facade import Memory

        return Memory
    raise AttributeError(f"module 'waypost.memory' has no attribute {name!r}")
