"""One file per use case, from end to end. The only place where the rooms meet.

A flow is imported when it is first used: to ask must not cost what to write, to forget and to transfer need.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.flows import about as about
    from waypost.flows import analyze as analyze
    from waypost.flows import approval as approval
    from waypost.flows import bridge_import as bridge_import
    from waypost.flows import brief as brief
    from waypost.flows import decide as decide
    from waypost.flows import discover as discover
    from waypost.flows import forget as forget
    from waypost.flows import imports as imports
    from waypost.flows import index as index
    from waypost.flows import init as init
    from waypost.flows import intake as intake
    from waypost.flows import learn as learn
    from waypost.flows import levels as levels
    from waypost.flows import lifecycle as lifecycle
    from waypost.flows import lifetime as lifetime
    from waypost.flows import maintain as maintain
    from waypost.flows import recall as recall
    from waypost.flows import references as references
    from waypost.flows import remember as remember
    from waypost.flows import repair as repair
    from waypost.flows import review as review
    from waypost.flows import route as route
    from waypost.flows import scope as scope
    from waypost.flows import scrub as scrub
    from waypost.flows import settle as settle
    from waypost.flows import status as status
    from waypost.flows import summarize as summarize
    from waypost.flows import tag_import as tag_import
    from waypost.flows import track as track
    from waypost.flows import transfer as transfer
    from waypost.flows import why as why
    from waypost.flows import worker as worker

_FLOWS = frozenset(
    (
        "about",
        "analyze",
        "approval",
        "bridge_import",
        "brief",
        "decide",
        "discover",
        "forget",
        "imports",
        "index",
        "init",
        "intake",
        "learn",
        "levels",
        "lifecycle",
        "lifetime",
        "maintain",
        "recall",
        "references",
        "remember",
        "repair",
        "review",
        "route",
        "scope",
        "scrub",
        "settle",
        "status",
        "summarize",
        "tag_import",
        "track",
        "transfer",
        "why",
        "worker",
    )
)


def __getattr__(name: str) -> ModuleType:
    if name in _FLOWS:
        return import_module(f"waypost.flows.{name}")
    raise AttributeError(f"module 'waypost.flows' has no attribute {name!r}")
