"""One file per use case, from end to end. The only place where the rooms meet.

A flow is imported when it is first used: to ask must not cost what to write, to forget and to transfer need.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.flows import brief as brief
    from waypost.flows import forget as forget
    from waypost.flows import lifecycle as lifecycle
    from waypost.flows import recall as recall
    from waypost.flows import remember as remember
    from waypost.flows import scrub as scrub
    from waypost.flows import settle as settle
    from waypost.flows import status as status
    from waypost.flows import transfer as transfer
    from waypost.flows import worker as worker

_FLOWS = {"brief", "forget", "lifecycle", "recall", "remember", "scrub", "settle", "status", "transfer", "worker"}


def __getattr__(name: str) -> ModuleType:
    if name in _FLOWS:
        return import_module(f"waypost.flows.{name}")
    raise AttributeError(f"module 'waypost.flows' has no attribute {name!r}")
