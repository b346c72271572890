"""Connect memories with code: pin them, check whether they are stale, repair them."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.links import about as about
    from waypost.flows.links import code_changes as code_changes
    from waypost.flows.links import repair as repair
    from waypost.flows.links import staleness as staleness

__getattr__ = lazy_modules(__name__)
