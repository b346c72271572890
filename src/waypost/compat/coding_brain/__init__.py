"""Imports of Coding Brain's memories, which have their code references in tags."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.compat.coding_brain import drafts as drafts
    from waypost.compat.coding_brain import importer as importer
    from waypost.compat.coding_brain import places as places
    from waypost.compat.coding_brain import tag_format as tag_format

__getattr__ = lazy_modules(__name__)
