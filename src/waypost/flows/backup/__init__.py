"""Make, check and restore snapshots."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.backup import restore as restore
    from waypost.flows.backup import snapshots as snapshots

# In the table `meta`: the snapshot whose journal files must still be restored. Here, because every opening reads it.
RESTORE_OWED = "restore_owed"

__getattr__ = lazy_modules(__name__)
