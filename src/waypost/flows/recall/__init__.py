"""Answer questions, list memories, show what belongs to one."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.recall import access as access
    from waypost.flows.recall import candidates as candidates
    from waypost.flows.recall import damage_notices as damage_notices
    from waypost.flows.recall import listing as listing
    from waypost.flows.recall import related as related
    from waypost.flows.recall import search as search
    from waypost.flows.recall import structure_hits as structure_hits
    from waypost.flows.recall import why as why

__getattr__ = lazy_modules(__name__)
