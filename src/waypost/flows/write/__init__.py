"""Write and change memories."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.write import erase_rows as erase_rows
    from waypost.flows.write import insert as insert
    from waypost.flows.write import lifecycle as lifecycle
    from waypost.flows.write import lifetime as lifetime
    from waypost.flows.write import proposals as proposals
    from waypost.flows.write import reinstate as reinstate
    from waypost.flows.write import remember as remember
    from waypost.flows.write import ttl_refresh as ttl_refresh
    from waypost.flows.write import undo as undo

__getattr__ = lazy_modules(__name__)
