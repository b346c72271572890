"""The façade as a whole."""

from waypost.memory.admin import MemoryAdmin
from waypost.memory.backups import Backups
from waypost.memory.code import MemoryTree
from waypost.memory.facts import Knowledge
from waypost.memory.journal import Journal
from waypost.memory.reading import MemoryReading
from waypost.memory.seeing import Seeing
from waypost.memory.sharing import Sharing
from waypost.memory.writing import MemoryWriting


class Memory(MemoryWriting, MemoryReading, Seeing, Knowledge, MemoryTree, Sharing, MemoryAdmin):
    """Long-term memory of one project or person."""

    @property
    def journal(self) -> Journal:
        """What was said and noted, in Markdown files that people can read and edit."""
        return Journal(self._identity, self._settings, self._caller, self._clock)

    @property
    def backup(self) -> Backups:
        """Snapshots of this memory, and going back to one."""
        return Backups(self._identity, self._settings, self._caller, self._clock)
