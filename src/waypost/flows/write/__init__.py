"""Write and change memories."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.write import lifecycle as lifecycle
    from waypost.flows.write import lifetime as lifetime
    from waypost.flows.write import remember as remember
    from waypost.flows.write import undo as undo

__getattr__ = lazy_modules(__name__)
