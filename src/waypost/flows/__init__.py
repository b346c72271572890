"""The use cases, one folder for each topic. The only place where stores, code, journal and facts meet."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows import admin as admin
    from waypost.flows import backup as backup
    from waypost.flows import checkouts as checkouts
    from waypost.flows import context as context
    from waypost.flows import engines as engines
    from waypost.flows import erase as erase
    from waypost.flows import facts as facts
    from waypost.flows import findings as findings
    from waypost.flows import index as index
    from waypost.flows import journal as journal
    from waypost.flows import journal_files as journal_files
    from waypost.flows import learn as learn
    from waypost.flows import links as links
    from waypost.flows import move as move
    from waypost.flows import open_space as open_space
    from waypost.flows import recall as recall
    from waypost.flows import share as share
    from waypost.flows import structure as structure
    from waypost.flows import versions as versions
    from waypost.flows import write as write

__getattr__ = lazy_modules(__name__)
