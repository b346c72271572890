"""Imports of Crowdbot's and LocAI's memory files."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.compat.crowdbot import drafts as drafts
    from waypost.compat.crowdbot import importer as importer
    from waypost.compat.crowdbot import locai as locai
    from waypost.compat.crowdbot import memory_file as memory_file
    from waypost.compat.crowdbot import source_file as source_file
    from waypost.compat.crowdbot import timestamps as timestamps

__getattr__ = lazy_modules(__name__)
