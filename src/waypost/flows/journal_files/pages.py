"""Where the entries of an answer are: the journal file, and the time in the heading."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.flows.open_space import OpenSpace
from waypost.journal.files import JournalFolder
from waypost.journal.layout import STAGES, stage_of
from waypost.model.recall import Hit
from waypost.store.protocol import Reader

_ORDER = {stage: at for at, stage in enumerate(("daily", "archive/daily", "important", "", *STAGES[1:]))}


def best_first(paths: Sequence[str]) -> list[str]:
    """Files with the same entry, the most useful for a person first."""
    return sorted(paths, key=lambda path: _ORDER.get(stage_of(path), len(_ORDER)))


def with_pages(space: OpenSpace, reader: Reader, hits: Sequence[Hit]) -> list[Hit]:
    """The hits; those of the journal with their file."""
    ids = [hit.id for hit in hits if hit.collection == "journal"]
    if not ids:
        return list(hits)
    paths: dict[str, list[str]] = {}
    journal_id = space.journal_id
    for journal, place in reader.journal.places_of(ids):
        if journal == journal_id:
            paths.setdefault(place.memory_id, []).append(place.path)
    if not paths:
        return list(hits)
    folder = space.own_journal  # only its clock counts
    return [_with_page(folder, hit, paths[hit.id]) if hit.id in paths else hit for hit in hits]


def _with_page(folder: JournalFolder, hit: Hit, paths: Sequence[str]) -> Hit:
    page = best_first(paths)[0]
    of_day = stage_of(page) in ("daily", "archive/daily")
    said = folder.local(hit.time or hit.valid_from)
    return replace(hit, page=page, heading=f"{said:%H:%M:%S}" if of_day else None)
