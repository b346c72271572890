"""Imports from other products, with their names and formats."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.compat import agent_memory as agent_memory
    from waypost.compat import chat as chat
    from waypost.compat import coding_brain as coding_brain
    from waypost.compat import crowdbot as crowdbot
    from waypost.compat import memory_bridge as memory_bridge

__getattr__ = lazy_modules(__name__)
