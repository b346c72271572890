"""Status of a memory, and its growth."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost.embed.install import status as model_status
from waypost.flows.admin.hook_check import late_hook_counts
from waypost.flows.admin.maintenance_schedule import last_maintained, overdue_maintenance
from waypost.flows.admin.worker_log import worker_notices
from waypost.flows.checkouts.relatives import relatives
from waypost.flows.checkouts.treeless import seen_elsewhere
from waypost.flows.erase.clock_check import clock_notices
from waypost.flows.journal_files.place import journal_notices
from waypost.flows.links.staleness import kept_view, linked
from waypost.flows.open_space import OpenSpace, conclusions_key, indexed_commit_key
from waypost.flows.recall.damage_notices import damage_notices, lost_write_notices
from waypost.model.draft import check_whole
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.recall import View
from waypost.model.time import Moment, format_time
from waypost.space.metadata import read_metadata
from waypost.store.protocol import Reader
from waypost.text.plural import counted

_MOST_POINTS = 100


def status(space: OpenSpace) -> dict[str, Any]:
    """Counts, size, engines and their pending texts. Keys are part of the contract."""
    metadata = read_metadata(space.folder)
    with space.store.read() as reader:
        view = View(Moment(space.clock()), checkout_id=space.identity.checkout_id)
        counts, pending = reader.memories.counts(view), reader.vectors.pending()
        engines = [engine.name for engine in space.engines.active(reader)]
        newest, checkouts = reader.audit.entries(None, 1), reader.code.checkouts()
        tree, references = _tree(space, reader), _references(space, reader)
        seen = seen_elsewhere(space, reader)
        review = {
            "candidates": reader.facts.count_candidates(),
            "expired": len(reader.facts.lifetimes(expired_by=space.clock())),
        }
    others, late = relatives(space), late_hook_counts(space)
    models = {model.name: model.installed for model in model_status(space.settings, hashes=False)}
    return {
        "space": space.identity.space_id,
        "kind": space.identity.kind,
        "name": space.identity.name,
        "root": seen.root if seen is not None else str(space.identity.root or Path()),
        "as_of": None if seen is None else seen.to_json(),
        "checkouts": list(checkouts.values()),
        "path": str(space.folder),
        "tree": tree,
        "references": references,
        "review": review,
        "late_hooks": late,
        "collections": counts,
        "memories": sum(counts.values()),
        "storage_bytes": space.store.size_bytes(),
        "store": space.store.place,
        "model": space.engines.main.name,
        "models_installed": models,
        "pending": {name: pending.get(name, 0) for name in engines},
        "initialised_at": format_time(metadata.created),
        "updated_at": format_time(newest[0].at) if newest else None,
        "journal": str(space.journal.root),
        "relatives": [relative.to_json() for relative in others],
        "journal_offered": None if space.journal_offered is None else str(space.journal_offered),
        "notices": [
            *(relative.notice for relative in others),
            *journal_notices(space),
            *clock_notices(space),
            *worker_notices(space),
            *lost_write_notices(space.folder),
            *damage_notices(space.store),
            *(
                f"{counted(count, 'hook')} of {agent} did not answer in time recently (`waypost doctor`)."
                for agent, count in late.items()
            ),
        ],
        "maintained_at": format_time(last) if (last := last_maintained(space)) else None,
        "overdue": overdue.to_json() if (overdue := overdue_maintenance(space)) else None,
    }


def _tree(space: OpenSpace, reader: Reader) -> dict[str, Any] | None:
    """Figures about the index of this repository, or None without an index."""
    checkout = space.identity.checkout_id
    files = reader.code.files(checkout)
    if not files:
        return None
    return {
        "files": len(files),
        "lines": sum(row.lines for row in files.values()),
        "commit": reader.meta.get(indexed_commit_key(space)) or None,
        "waiting": len(reader.code.tracked(checkout)),
        "complete": not reader.meta.get(conclusions_key(space)),
    }


def _references(space: OpenSpace, reader: Reader) -> dict[str, int]:
    numbers = {row.number for row in reader.references.visible(kept_view(space))}
    memories = linked(space, reader, list(reader.memories.by_number(numbers).values())) if numbers else {}
    return {"memories": len(memories), "stale": sum(memory.state.is_stale for memory in memories.values())}


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How many memories of each collection were current at a moment, without those read from the repository."""

    at: datetime
    counts: dict[str, int]


def growth(space: OpenSpace, points: int) -> tuple[GrowthPoint, ...]:
    """Evenly spaced points from the creation until now, earliest first."""
    points = check_whole(points, "points", 2, _MOST_POINTS)
    now = space.clock()
    made = min(read_metadata(space.folder).created, now)
    moments = [made + (now - made) * place / (points - 1) for place in range(points)]
    with space.store.read() as reader:
        return tuple(
            GrowthPoint(
                at,
                reader.memories.counts(
                    View(Moment(at, at, explicit=True), KEPT_COLLECTIONS, space.identity.checkout_id)
                ),
            )
            for at in moments
        )
