"""The façade as a whole."""

from waypost.memory.backups import Backups
from waypost.memory.journal import Journal
from waypost.memory.knowledge import Knowledge
from waypost.memory.reading import Reading
from waypost.memory.seeing import Seeing
from waypost.memory.sharing import Sharing
from waypost.memory.tree import Tree
from waypost.memory.upkeep import Upkeep
from waypost.memory.writing import Writing


class Memory(Writing, Reading, Seeing, Knowledge, Tree, Sharing, Upkeep):
    """Long-term memory of one project or person."""

    @property
    def journal(self) -> Journal:
        """What was said and noted, in Markdown files that people can read and edit."""
        return Journal(self._identity, self._settings, self._caller, self._clock)

    @property
    def backup(self) -> Backups:
        """Snapshots of this memory, and going back to one."""
        return Backups(self._identity, self._settings, self._caller, self._clock)
