"""A page of the journal as the index knows it, for where its file is on another machine."""

from waypost.flows.journal.files.units import PAGES, entry_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import day_of, stage_of
from waypost.journal.markdown import new_page, render_entry
from waypost.model.memory import State


def page_from_index(space: OpenSpace, path: str) -> str | None:
    """The entries of a day's file, each in its full words. None: no page of a day, of which the index has no words."""
    day = day_of(path)
    if stage_of(path) not in PAGES or day is None:
        return None
    folder = space.journal
    with space.store.read() as reader:
        ids = [one.memory_id for one in reader.journal.places(space.journal_id, [path])]
        states = reader.memories.states(ids)
        held = {one: versions for one in ids if (versions := reader.memories.versions(one))}
    entries = [entry_of(folder, versions, states.get(one, State())) for one, versions in held.items()]
    return new_page(day) + "".join(render_entry(entry) for entry in entries)
