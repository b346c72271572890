"""The journal's files: synced with the index, written, searched for leftovers."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.journal_files import changes as changes
    from waypost.flows.journal_files import known_files as known_files
    from waypost.flows.journal_files import language as language
    from waypost.flows.journal_files import log as log
    from waypost.flows.journal_files import media as media
    from waypost.flows.journal_files import place as place

__getattr__ = lazy_modules(__name__)
