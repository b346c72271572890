"""The snapshots of a memory: `memory.backup`."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from waypost import flows
from waypost.config import Settings
from waypost.errors import ForeignFile, StoreCorrupt
from waypost.memory.handle import OpenMemoryBase
from waypost.memory.spaces import open_spaces
from waypost.model.memory import Caller
from waypost.model.time import Clock, utc_now
from waypost.space.place import DATABASE_FILE, space_directory


class Backups(OpenMemoryBase):
    """Snapshots of a memory in a file. Works also where its database is damaged or missing, but for `make`."""

    @classmethod
    def open_as(
        cls,
        caller: Caller,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock = utc_now,
        for_repair: bool = True,  # noqa: ARG003  no database is opened here
    ) -> Self:
        """The database is not opened before it is needed: it may be what is to be restored."""
        return cls._identified(caller, path, person=person, space_id=space_id, settings=settings, clock=clock)

    def make(self) -> "flows.backup.snapshots.MemoryBackup":
        """Write a snapshot and check it. The oldest go, as `[backup] keep` says."""
        flows.backup.snapshots.refuse_servers(self._settings.store)
        return flows.backup.snapshots.make(self._current)

    def list(self) -> "Sequence[flows.backup.snapshots.MemoryBackup]":
        """The snapshots, newest first, each with what is wrong with it."""
        place = self._place()
        if not (place.folder / flows.backup.snapshots.FOLDER).is_dir():
            return []
        with flows.backup.snapshots.locked(place.folder, self._settings.busy_timeout_seconds) as folder:
            return flows.backup.snapshots.backups_in(folder)

    def plan(self, which: str = "latest") -> "flows.backup.restore.RestorePlan":
        """What `restore` would take away, change and bring back."""
        return flows.backup.restore.plan(self._place(), which)

    def restore(self, which: str = "latest") -> "flows.backup.restore.RestoredBackup":
        """Go back to a snapshot, by its id or number. What was rejected or forgotten since stays so."""
        return flows.backup.restore.restore(self._place(), which, self._caller)

    def _place(self) -> "flows.backup.restore.BackupPlace":
        flows.backup.snapshots.refuse_servers(self._settings.store)
        folder = space_directory(self._settings.memory_root, self.space_id)
        if (folder / DATABASE_FILE).exists():
            with suppress(
                StoreCorrupt, ForeignFile
            ):  # what cannot be read does not say whose it is, and is to be restored
                self._space  # noqa: B018  a folder that the memory does not open for gets no snapshot either
        return flows.backup.restore.BackupPlace(
            self.space_id,
            folder,
            self._settings,
            self._clock,
            lambda: self._current,
            lambda: open_spaces.drop(self._identity, self._settings),
        )
