"""Learn facts from commits, sessions and a repository that is new."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.learn import changes as changes
    from waypost.flows.learn import cold_start as cold_start
    from waypost.flows.learn import session as session

__getattr__ = lazy_modules(__name__)
