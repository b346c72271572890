"""The block of memories in a project's AGENTS.md, for agents without hooks: rules and decisions that people stated.

The file is in the repository, and agents follow it. So what agents stated, what awaits review, and preferences of a person
stay out. Only a project for which `waypost setup agents-md` was run on this machine gets it.
"""

import os
import re
from pathlib import Path

from waypost.context.render import BriefingEntry, plain_line, render
from waypost.flows.context.decisions import reasons_of
from waypost.flows.context.standing import latest_hits
from waypost.flows.open_space import OpenSpace
from waypost.model.recall import Hit, View
from waypost.model.time import Moment
from waypost.store.protocol import Filter
from waypost.system.config_file import SETUP, FileTransaction, keeps_memories, read_config
from waypost.system.platform import wait_lock
from waypost.text.marked_block import MEMORIES, UnpairedMarks, block_span, is_edited, with_memories

FILE = "AGENTS.md"
TOKENS = 1000
_SOURCE = "person"
_MOST = 60  # of each sort, the latest
_RULES_SHARE = 0.6
_LOCK_SECONDS = 2.0
_FILE_REFERENCE = re.compile(r"(?<!\w)@(?=[~./\\]|[\w-]+[/\\:])")  # some agents read the file that is named so


def is_kept(space: OpenSpace) -> bool:
    root = space.identity.root
    return root is not None and keeps_memories(space.settings.home, root)


def memories_block(space: OpenSpace) -> str:
    """The text of the block; empty without such memories."""
    view = View(Moment(space.clock()), checkout_id=space.identity.checkout_id)
    with space.store.read() as reader:
        rules = _stated(space, latest_hits(space, reader, view, Filter(level=0), _MOST))
        rules += _stated(space, latest_hits(space, reader, view, Filter(kinds=("constraint",)), _MOST))
        decisions = _stated(space, latest_hits(space, reader, view, Filter(kinds=("decision",)), _MOST))
        reasons = reasons_of(reader, [hit.id for hit in decisions], view, source=_SOURCE)
    entries = {hit.id: BriefingEntry("facts", hit, line=plain_line(hit, reasons.get(hit.id, ()))) for hit in decisions}
    entries |= {hit.id: BriefingEntry("rules", hit) for hit in rules}
    ordered = sorted(entries.values(), key=lambda entry: entry.section != "rules")  # stable: the newest first
    return _FILE_REFERENCE.sub("＠", render(ordered, TOKENS, {"rules": _RULES_SHARE}).text)


def renew(space: OpenSpace) -> bool:
    """Write the block again if memories have changed. Returns whether the file changed.

    A file without the block, or with one that was changed by hand, is left alone. Raises Refused or a StoreError if the file
    can't be written.
    """
    root = space.identity.root
    if root is None or not is_kept(space):
        return False
    with wait_lock(space.settings.home / SETUP / "lock", _LOCK_SECONDS):  # the latest to write has read the latest
        current = read_config(root / FILE, "project", root)
        try:
            if block_span(current.text, MEMORIES) is None or is_edited(current.text):
                return False
        except UnpairedMarks:  # two branches were merged: `doctor` reports it
            return False
        text = with_memories(current.text, memories_block(space))
        if text == current.text:
            return False
        FileTransaction().write(current, text.encode("utf-8"))
    return True


def _stated(space: OpenSpace, hits: list[Hit]) -> list[Hit]:
    """Those that a person stated or approved for the whole project, and whose code has not changed since.

    Memories about this very file are left out: writing them into it would make them stale, and take them out again.
    """
    stated = [hit for hit in hits if hit.source == _SOURCE and hit.kind != "preference" and not hit.is_stale]
    root = space.identity.root or Path()
    own = os.path.realpath(root / FILE)  # it may be a link to CLAUDE.md
    return [hit for hit in stated if all(os.path.realpath(root / ref.file_path) != own for ref in hit.code_refs)]
