"""Move memories: export, import, and from one database to another."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.move import export as export
    from waypost.flows.move import import_rows as import_rows
    from waypost.flows.move import imports as imports

__getattr__ = lazy_modules(__name__)
