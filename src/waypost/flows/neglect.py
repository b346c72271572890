"""Whether nobody has looked after a space for long: asked with every opening, so it must cost next to nothing."""

from datetime import timedelta

from waypost.flows.open_space import OpenSpace
from waypost.model.time import parse_time

_SIGN = "maintained:journal:"  # set at the end of a step of upkeep that every run does
_LONGEST = timedelta(hours=36)


def call_if_neglected(space: OpenSpace) -> None:
    """Have a worker catch up with upkeep that was missed. A journal that was never used needs none."""
    if not space.settings.background or not space.journal.root.is_dir():
        return
    with space.store.read() as reader:
        last = reader.meta(_SIGN)
    if last is None or space.clock() - parse_time(last, _SIGN) > _LONGEST:
        space.start_worker(space)
