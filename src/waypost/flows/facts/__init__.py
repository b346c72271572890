"""Propose, review, approve and arrange facts; record decisions."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.facts import approval as approval
    from waypost.flows.facts import decide as decide
    from waypost.flows.facts import levels as levels
    from waypost.flows.facts import placing as placing
    from waypost.flows.facts import review as review

__getattr__ = lazy_modules(__name__)
