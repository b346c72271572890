"""Write, change, expire and erase memories."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.write import authority as authority
    from waypost.flows.write import erase as erase
    from waypost.flows.write import erasure as erasure
    from waypost.flows.write import expiry as expiry
    from waypost.flows.write import forget as forget
    from waypost.flows.write import insert as insert
    from waypost.flows.write import lifecycle as lifecycle
    from waypost.flows.write import lifetime as lifetime
    from waypost.flows.write import masking as masking
    from waypost.flows.write import prepare as prepare
    from waypost.flows.write import reinstate as reinstate
    from waypost.flows.write import remember as remember
    from waypost.flows.write import scrub as scrub
    from waypost.flows.write import ttl_refresh as ttl_refresh
    from waypost.flows.write import undo as undo

__getattr__ = lazy_modules(__name__)
