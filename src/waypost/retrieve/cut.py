"""Which hits of an answer are worth showing: none if nothing answers, and never more just to fill up.

An answer needs one hit above the floor of its group. Every further hit needs a share of the best one's certainty: much of it
for memories and for what `init` wrote, and for code behind a memory; little for code behind code. If the best one is doubtful
itself, only what is nearly as good follows, of any group. An answer from a long journal alone or from code alone is not cut further: what
is around an answer explains it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import Hit

_DATA = Path(__file__).with_name("data") / "cut.toml"


def worth_showing(
    hits: Sequence[Hit], *, is_lookup: bool = False, is_small: bool = False, only_code: bool = False
) -> list[Hit]:
    """The hits to show, in their order.

    `is_lookup`: the question is nothing but a name. `is_small`: everything stored was compared with the question.
    `only_code`: nothing but code was searched, so the question is about code.
    """
    if is_lookup:
        hits = [hit for hit in hits if not hit.evidence.get("misses")]
    alone = "only_code" if only_code else _only_journal(hits, is_small=is_small)
    floors = _floors()
    if is_small:
        floors = {**floors, "memory": floors["small_memory"]}
    if not any((hit.certainty or 0.0) >= _floor(hit, floors, alone=alone)["answer"] for hit in hits):
        return []
    best = max(hits, key=lambda hit: hit.certainty or 0.0)
    return [hit for hit in hits if (hit.certainty or 0.0) >= _least(hit, best, floors, alone=alone)]


def _least(hit: Hit, best: Hit, floors: Mapping[str, Mapping[str, float]], *, alone: str) -> float:
    floor = _floor(hit, floors, alone=alone)
    is_beside = (floor is floors["code"]) is not (_floor(best, floors, alone=alone) is floors["code"])
    share, certainty = floor["beside" if is_beside else "share"], best.certainty or 0.0
    if hit.session is not None and hit.session == best.session:
        share = min(share, floors["session"]["share"])
    if not alone and certainty < floors["doubtful"]["below"]:
        share = floors["doubtful"]["abroad" if "abroad" in best.evidence else "share"]
    return certainty if hit is best else max(floor["least"], share * certainty)


def _floor(hit: Hit, floors: Mapping[str, Mapping[str, float]], *, alone: str) -> Mapping[str, float]:
    if alone:
        return floors[alone]
    if "first_fact" in hit.evidence:
        return floors["first_fact"]
    if hit.collection in CODE_COLLECTIONS:
        return floors["code"]
    if "abroad" in hit.evidence:
        return floors["abroad"]
    return floors["turn" if hit.collection == "journal" else "memory"]


def _only_journal(hits: Sequence[Hit], *, is_small: bool) -> str:
    if any(hit.collection != "journal" for hit in hits):
        return ""
    return "small_journal" if is_small else "only_journal"


@cache
def _floors() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(_DATA.read_text("utf-8"))
