"""Which hits of an answer are worth showing: none if nothing answers, and never more just to fill up.

An answer needs one hit above the floor of its group. Other hits then need a part of the best one's certainty: less for
code, where several places belong to an answer. What `init` wrote about the project must nearly be the best. An answer from
the journal alone is not cut further: turns around an answer explain it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import Hit

_DATA = Path(__file__).with_name("data") / "cut.toml"


def worth_showing(hits: Sequence[Hit], *, is_lookup: bool = False) -> list[Hit]:
    """The hits to show, in their order. `is_lookup`: the question is nothing but a name."""
    if is_lookup:
        hits = [hit for hit in hits if not hit.evidence.get("misses")]
    only_journal = all(hit.collection == "journal" for hit in hits)
    floors = _floors()
    if not any((hit.certainty or 0.0) >= _floor(hit, floors, only_journal=only_journal)["answer"] for hit in hits):
        return []
    best = max(hits, key=lambda hit: hit.certainty or 0.0)
    return [hit for hit in hits if (hit.certainty or 0.0) >= _least(hit, best, floors, only_journal=only_journal)]


def _least(hit: Hit, best: Hit, floors: Mapping[str, Mapping[str, float]], *, only_journal: bool) -> float:
    floor = _floor(hit, floors, only_journal=only_journal)
    is_beside = floor is not _floor(best, floors, only_journal=only_journal)
    return max(floor["least"], floor["beside" if is_beside else "share"] * (best.certainty or 0.0))


def _floor(hit: Hit, floors: Mapping[str, Mapping[str, float]], *, only_journal: bool) -> Mapping[str, float]:
    if only_journal:
        return floors["only_journal"]
    if "first_fact" in hit.evidence:
        return floors["first_fact"]
    return floors["code" if hit.collection in CODE_COLLECTIONS else "memory"]


@cache
def _floors() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(_DATA.read_text("utf-8"))
