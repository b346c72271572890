"""Decide which checkouts a memory opens for."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.checkouts import admission as admission
    from waypost.flows.checkouts import relatives as relatives
    from waypost.flows.checkouts import treeless as treeless

__getattr__ = lazy_modules(__name__)
