"""The journal's files: synced with the index, written, searched for leftovers."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.journal_files import adopt as adopt
    from waypost.flows.journal_files import changes as changes
    from waypost.flows.journal_files import editor_conflicts as editor_conflicts
    from waypost.flows.journal_files import erase_from_files as erase_from_files
    from waypost.flows.journal_files import known_files as known_files
    from waypost.flows.journal_files import log as log
    from waypost.flows.journal_files import media as media
    from waypost.flows.journal_files import pages as pages
    from waypost.flows.journal_files import place as place
    from waypost.flows.journal_files import preferences as preferences
    from waypost.flows.journal_files import reconcile as reconcile
    from waypost.flows.journal_files import sync as sync
    from waypost.flows.journal_files import tally as tally
    from waypost.flows.journal_files import write as write

__getattr__ = lazy_modules(__name__)
