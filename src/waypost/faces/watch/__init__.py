"""Watch a directory tree and report file changes in batches."""

from waypost.faces.watch.loop import ChangeBatch, watch
from waypost.faces.watch.tree import FileEvent

__all__ = ["ChangeBatch", "FileEvent", "watch"]
