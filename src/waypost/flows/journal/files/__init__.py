"""Keep the journal's files and the index in step."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.journal.files import adopt as adopt
    from waypost.flows.journal.files import changes as changes
    from waypost.flows.journal.files import check as check
    from waypost.flows.journal.files import editor_conflicts as editor_conflicts
    from waypost.flows.journal.files import erase as erase
    from waypost.flows.journal.files import erasure_marks as erasure_marks
    from waypost.flows.journal.files import first_files as first_files
    from waypost.flows.journal.files import from_index as from_index
    from waypost.flows.journal.files import media as media
    from waypost.flows.journal.files import pages as pages
    from waypost.flows.journal.files import place as place
    from waypost.flows.journal.files import sync as sync
    from waypost.flows.journal.files import units as units
    from waypost.flows.journal.files import write as write

__getattr__ = lazy_modules(__name__)
