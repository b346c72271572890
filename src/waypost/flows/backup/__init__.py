"""Make, check and restore snapshots."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.backup import restore as restore
    from waypost.flows.backup import snapshots as snapshots

__getattr__ = lazy_modules(__name__)
