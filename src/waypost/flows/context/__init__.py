"""Put together what an agent reads: briefings, prompt context, smart context."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.context import agents_file as agents_file
    from waypost.flows.context import brief as brief
    from waypost.flows.context import dna as dna
    from waypost.flows.context import greeting as greeting
    from waypost.flows.context import inject as inject
    from waypost.flows.context import journal as journal
    from waypost.flows.context import journal_files as journal_files
    from waypost.flows.context import route as route
    from waypost.flows.context import scope as scope

__getattr__ = lazy_modules(__name__)
