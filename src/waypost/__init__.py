"""Long-term memory for AI agents and the people who work with them."""

TYPE_CHECKING = False  # importing `typing` takes longer than a hook has
if TYPE_CHECKING:
    from waypost.errors import WaypostError as WaypostError
    from waypost.memory import Memory as Memory

__version__ = "0.1.0"
__all__ = ["Memory", "WaypostError", "__version__"]


def __getattr__(name: str) -> object:
    # Imported on first use: `waypost --version` and hooks must not pay for the library.
    if name == "Memory":
        from waypost.memory import Memory

        return Memory
    if name == "WaypostError":
        from waypost.errors import WaypostError

        return WaypostError
    raise AttributeError(f"module 'waypost' has no attribute {name!r}")
