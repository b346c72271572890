"""Imports of conversations exported by other tools."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.compat.chat import importer as importer
    from waypost.compat.chat import messages as messages

__getattr__ = lazy_modules(__name__)
