"""Connect memories with code: pin them, check whether they are stale, repair them."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.links import about as about
    from waypost.flows.links import code_changes as code_changes
    from waypost.flows.links import draft_links as draft_links
    from waypost.flows.links import hits as hits
    from waypost.flows.links import past_code as past_code
    from waypost.flows.links import pin as pin
    from waypost.flows.links import repair as repair
    from waypost.flows.links import staleness as staleness

__getattr__ = lazy_modules(__name__)
