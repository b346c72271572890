"""What a person has just rejected, kept by the process for a moment so that it can wait for their word again.

Its words are in no file and in no address: a rejected value is kept as a hash only.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from waypost.store.fact_protocol import CandidateRow

KEPT = timedelta(minutes=10)
_MOST = 32  # people and memories of whom something is kept


@dataclass(slots=True)
class Undoable:
    """The latest rejection of each person in each memory."""

    _rows: OrderedDict[tuple[str, str], tuple[datetime, tuple[CandidateRow, ...]]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, space_id: str, holder: str, rows: Sequence[CandidateRow], now: datetime) -> None:
        with self._lock:
            self._rows[space_id, holder] = (now, tuple(rows))
            self._rows.move_to_end((space_id, holder))
            while len(self._rows) > _MOST:
                self._rows.popitem(last=False)

    def kept(self, space_id: str, holder: str, now: datetime) -> tuple[CandidateRow, ...]:
        with self._lock:
            at, rows = self._rows.get((space_id, holder), (now, ()))
            return rows if now - at < KEPT else ()

    def drop(self, space_id: str | None = None) -> None:
        """It was undone, or something of this memory (or of any) was forgotten: no words of it stay."""
        with self._lock:
            for key in [one for one in self._rows if space_id in (None, one[0])]:
                del self._rows[key]
