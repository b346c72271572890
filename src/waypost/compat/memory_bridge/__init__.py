"""Imports of a Memory Bridge database."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.compat.memory_bridge import columns as columns
    from waypost.compat.memory_bridge import facts as facts
    from waypost.compat.memory_bridge import importer as importer
    from waypost.compat.memory_bridge import refs as refs
    from waypost.compat.memory_bridge import survey as survey
    from waypost.compat.memory_bridge import values as values
    from waypost.compat.memory_bridge import verify as verify
    from waypost.compat.memory_bridge import write as write

__getattr__ = lazy_modules(__name__)
