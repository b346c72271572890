"""Watching a tree of files: what changed, in batches, as it happens."""

from waypost.faces.watch.loop import ChangeBatch, watch
from waypost.faces.watch.tree import FileEvent

__all__ = ["ChangeBatch", "FileEvent", "watch"]
