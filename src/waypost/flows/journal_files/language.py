"""The language that a journal's pages are written in: the one that its people use."""

from datetime import datetime

from waypost.flows.open_space import OpenSpace
from waypost.journal.roles import role_of
from waypost.journal.wording import main_language
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Filter

_LAST_ENTRIES = 300  # a month of talking; so one week in another language does not change it


def journal_language(space: OpenSpace, until: datetime) -> str:
    """The language of what people said last until that time, however long ago; empty if they said nothing."""
    view = View(Moment(until, explicit=True), ("journal",), space.identity.checkout_id, archived=True)
    with space.store.read() as reader:
        entries = reader.memories.latest(view, Filter(), _LAST_ENTRIES)
    texts = [entry.text for entry in entries if role_of(entry.speaker, entry.kind) == "person"]
    return main_language(texts) if texts else ""
