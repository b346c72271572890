"""Whether nobody has looked after a space for long: asked with every opening, so it must cost next to nothing."""

from datetime import datetime, timedelta

from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_time, parse_time
from waypost.store.protocol import Reader

_SIGN = "maintained:journal:"  # set at the end of a step of upkeep that every run does
_CALLED = "upkeep_called"
_LONGEST = timedelta(hours=36)
_AGAIN = timedelta(hours=6)  # a worker that could not do it is not called by every process that comes along


def call_if_neglected(space: OpenSpace) -> None:
    """Have a worker catch up with upkeep that was missed. A journal that was never used needs none.

    The worker opens the space too: that it was called is on disk before it is.
    """
    now = space.clock()
    if not space.settings.background or not space.journal.root.is_dir():
        return
    with space.store.read() as reader:
        if not _is_neglected(reader, now):
            return
    with space.store.write() as writer:
        if not _is_neglected(writer, now):
            return
        writer.meta.set(_CALLED, format_time(now))
    space.start_worker(space)


def _is_neglected(reader: Reader, now: datetime) -> bool:
    return _is_long_ago(reader, _SIGN, now, _LONGEST) and _is_long_ago(reader, _CALLED, now, _AGAIN)


def _is_long_ago(reader: Reader, key: str, now: datetime, longest: timedelta) -> bool:
    last = reader.meta.get(key)
    return last is None or not timedelta(0) <= now - parse_time(last, key) <= longest
