"""The façade: `Memory.open(".")`."""

from waypost.memory.knowledge import Knowledge
from waypost.memory.reading import Reading
from waypost.memory.tree import Tree
from waypost.memory.upkeep import Upkeep
from waypost.memory.writing import Writing

__all__ = ["Memory"]


class Memory(Writing, Reading, Knowledge, Tree, Upkeep):
    """Long-term memory of one project or person."""
