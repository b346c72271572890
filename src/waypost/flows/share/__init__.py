"""Share memories between projects when both agree."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.share import agreements as agreements
    from waypost.flows.share import owner as owner

__getattr__ = lazy_modules(__name__)
