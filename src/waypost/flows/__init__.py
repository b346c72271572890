"""One file per use case, from end to end. The only place where the rooms meet.

A flow is imported when it is first used: to ask must not cost what to write, to forget and to transfer need.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.flows import about as about
    from waypost.flows import admission as admission
    from waypost.flows import analyze as analyze
    from waypost.flows import approval as approval
    from waypost.flows import backup as backup
    from waypost.flows import backup_restore as backup_restore
    from waypost.flows import bridge_import as bridge_import
    from waypost.flows import brief as brief
    from waypost.flows import chat_import as chat_import
    from waypost.flows import code_behind as code_behind
    from waypost.flows import condense as condense
    from waypost.flows import crowdbot as crowdbot
    from waypost.flows import curate as curate
    from waypost.flows import decide as decide
    from waypost.flows import discover as discover
    from waypost.flows import dna as dna
    from waypost.flows import doctor as doctor
    from waypost.flows import elsewhere as elsewhere
    from waypost.flows import empty_database as empty_database
    from waypost.flows import expiry as expiry
    from waypost.flows import finding as finding
    from waypost.flows import forget as forget
    from waypost.flows import growth as growth
    from waypost.flows import imports as imports
    from waypost.flows import index as index
    from waypost.flows import index_page as index_page
    from waypost.flows import init as init
    from waypost.flows import inject as inject
    from waypost.flows import intake as intake
    from waypost.flows import journal_brief as journal_brief
    from waypost.flows import journal_calendar as journal_calendar
    from waypost.flows import journal_import as journal_import
    from waypost.flows import journal_log as journal_log
    from waypost.flows import journal_look as journal_look
    from waypost.flows import journal_media as journal_media
    from waypost.flows import journal_place as journal_place
    from waypost.flows import journal_search as journal_search
    from waypost.flows import journal_show as journal_show
    from waypost.flows import journal_stats as journal_stats
    from waypost.flows import learn as learn
    from waypost.flows import levels as levels
    from waypost.flows import lifecycle as lifecycle
    from waypost.flows import lifetime as lifetime
    from waypost.flows import locai as locai
    from waypost.flows import maintain as maintain
    from waypost.flows import neglect as neglect
    from waypost.flows import overdue as overdue
    from waypost.flows import paging as paging
    from waypost.flows import prune as prune
    from waypost.flows import recall as recall
    from waypost.flows import recovery as recovery
    from waypost.flows import recovery_notices as recovery_notices
    from waypost.flows import references as references
    from waypost.flows import related as related
    from waypost.flows import relatives as relatives
    from waypost.flows import remember as remember
    from waypost.flows import repair as repair
    from waypost.flows import restore as restore
    from waypost.flows import review as review
    from waypost.flows import route as route
    from waypost.flows import scope as scope
    from waypost.flows import scrub as scrub
    from waypost.flows import see_also as see_also
    from waypost.flows import session as session
    from waypost.flows import settle as settle
    from waypost.flows import share as share
    from waypost.flows import share_owner as share_owner
    from waypost.flows import source as source
    from waypost.flows import status as status
    from waypost.flows import summarize as summarize
    from waypost.flows import tag_import as tag_import
    from waypost.flows import timeline as timeline
    from waypost.flows import track as track
    from waypost.flows import transfer as transfer
    from waypost.flows import undo as undo
    from waypost.flows import why as why
    from waypost.flows import worker as worker

_FLOWS = frozenset(
    (
        "about",
        "admission",
        "analyze",
        "approval",
        "backup",
        "backup_restore",
        "bridge_import",
        "brief",
        "chat_import",
        "code_behind",
        "condense",
        "crowdbot",
        "curate",
        "decide",
        "discover",
        "dna",
        "doctor",
        "elsewhere",
        "empty_database",
        "expiry",
        "finding",
        "forget",
        "growth",
        "imports",
        "index",
        "index_page",
        "init",
        "inject",
        "intake",
        "journal_brief",
        "journal_calendar",
        "journal_import",
        "journal_log",
        "journal_look",
        "journal_media",
        "journal_place",
        "journal_search",
        "journal_show",
        "journal_stats",
        "learn",
        "levels",
        "lifecycle",
        "lifetime",
        "locai",
        "maintain",
        "neglect",
        "overdue",
        "paging",
        "prune",
        "recall",
        "recovery",
        "recovery_notices",
        "references",
        "related",
        "relatives",
        "remember",
        "repair",
        "restore",
        "review",
        "route",
        "scope",
        "scrub",
        "see_also",
        "session",
        "settle",
        "share",
        "share_owner",
        "source",
        "status",
        "summarize",
        "tag_import",
        "timeline",
        "track",
        "transfer",
        "undo",
        "why",
        "worker",
    )
)


def __getattr__(name: str) -> ModuleType:
    if name in _FLOWS:
        return import_module(f"waypost.flows.{name}")
    raise AttributeError(f"module 'waypost.flows' has no attribute {name!r}")
