"""`memory.admin.backups`: snapshots of a memory."""

from collections.abc import Sequence
from contextlib import suppress

from waypost import flows
from waypost.errors import ForeignFile, StoreCorrupt
from waypost.memory.handle import MemoryHandle
from waypost.space.place import DATABASE_FILE, space_directory


class Backups:
    """Snapshots of a memory, each a file. All methods but `make` work with a damaged or missing database."""

    def __init__(self, handle: MemoryHandle) -> None:
        self._handle = handle

    def make(self) -> "flows.backup.snapshots.MemoryBackup":
        """Write and check a snapshot. The oldest are deleted, as `[backup] keep` says. Returns the snapshot."""
        flows.backup.snapshots.refuse_servers(self._handle.settings.store)
        return flows.backup.snapshots.make(self._handle.current)

    def list(self) -> "Sequence[flows.backup.snapshots.MemoryBackup]":
        """Return the snapshots, newest first, each with its problems."""
        place = self._place()
        if not (place.folder / flows.backup.snapshots.FOLDER).is_dir():
            return []
        with flows.backup.snapshots.snapshots_lock(place.folder, self._handle.settings.busy_timeout_seconds) as folder:
            return flows.backup.snapshots.backups_in(folder)

    def plan(self, which: str = "latest") -> "flows.backup.restore.RestorePlan":
        """Return what `restore` would remove, change and bring back. `which` is an id, a number or `latest`."""
        return flows.backup.restore.plan(self._place(), which)

    def restore(self, which: str = "latest") -> "flows.backup.restore.RestoredBackup":
        """Go back to a snapshot; rejected and forgotten values stay so. `which` is an id, a number or `latest`.

        Returns:
            What was changed.
        """
        return flows.backup.restore.restore(self._place(), which, self._handle.caller)

    def _place(self) -> "flows.backup.restore.BackupPlace":
        handle = self._handle
        flows.backup.snapshots.refuse_servers(handle.settings.store)
        folder = space_directory(handle.settings.memory_root, handle.identity.space_id)
        if (folder / DATABASE_FILE).exists():
            # A checkout that the memory refuses gets no snapshot. A database that can't be read can't refuse.
            with suppress(StoreCorrupt, ForeignFile):
                handle.space  # noqa: B018
        return flows.backup.restore.BackupPlace(
            handle.identity.space_id, folder, handle.settings, handle.clock, lambda: handle.current, handle.close
        )
