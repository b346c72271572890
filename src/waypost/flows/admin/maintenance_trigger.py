"""Start overdue maintenance when a memory is opened. Must be cheap: every opening asks."""

from datetime import datetime, timedelta

from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_time, parse_time
from waypost.store.protocol import Reader

_LAST_RUN = "maintained:journal:"  # set at the end of a step that every run has
_CALLED = "upkeep_called"
_LONGEST = timedelta(hours=36)
_AGAIN = timedelta(hours=6)  # so that not every process starts a worker that fails


def start_if_overdue(space: OpenSpace) -> None:
    """Start a worker if maintenance is overdue. A journal that was never used needs none.

    The worker opens the memory too, so the start is noted on disk before it.
    """
    now = space.clock()
    if not space.settings.background or not space.journal.root.is_dir():
        return
    with space.store.read() as reader:
        if not _is_overdue(reader, now):
            return
    with space.store.write() as writer:
        if not _is_overdue(writer, now):
            return
        writer.meta.set(_CALLED, format_time(now))
    space.start_worker(space)


def _is_overdue(reader: Reader, now: datetime) -> bool:
    return _is_long_ago(reader, _LAST_RUN, now, _LONGEST) and _is_long_ago(reader, _CALLED, now, _AGAIN)


def _is_long_ago(reader: Reader, key: str, now: datetime, longest: timedelta) -> bool:
    last = reader.meta.get(key)
    return last is None or not timedelta(0) <= now - parse_time(last, key) <= longest
