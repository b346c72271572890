"""Watching a tree of files: what changed, in batches, as it happens."""

from waypost.faces.watch.loop import Batch, watch
from waypost.faces.watch.tree import Change

__all__ = ["Batch", "Change", "watch"]
