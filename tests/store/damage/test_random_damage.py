"""Files damaged by chance: nothing crashes, only what was damaged is lost, and a repair leaves a sound database."""

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.store.damage.filled import Filled, damage

from waypost import Memory
from waypost.errors import StoreCorrupt
from waypost.memory.spaces import open_spaces


def survives(filled: Filled, seed: int) -> Counter[str]:
    """Damage a copy, use it, repair it, and look at what is left."""
    kind, pages = damage(filled.database, seed)
    affected = filled.touched_by(pages)
    shown = f"seed {seed}: {kind}, pages {sorted(pages)[:5]}"
    memory = filled.open(for_repair=True)
    told: Counter[str] = Counter()
    try:
        told["answered"] += bool(memory.recall("Which port does service 40 use?").hits)
    except StoreCorrupt:
        told["refused"] += 1
    export = memory.admin.export(filled.home / "export.jsonl")
    exported = {json.loads(line)["id"] for line in export.path.read_text().splitlines()}
    assert filled.memories.keys() - exported <= affected, shown
    told["noticed"] += not all(finding.ok for finding in memory.admin.doctor())
    memory.admin.doctor(fix=True)
    assert [finding for finding in memory.admin.doctor() if not finding.ok] == [], shown
    _compare(filled, memory, affected, shown)
    told["lost"] = len(filled.memories.keys() - {row["id"] for row in memory.list(limit=100_000)})
    told["hit"] = len(affected & filled.memories.keys())
    assert memory.remember(f"Written after the repair {seed}").status == "added", shown
    open_spaces.drop_all()
    return told


def _compare(filled: Filled, memory: Memory, affected: set[str], shown: str) -> None:
    rows = {row["id"]: row for row in memory.list(limit=100_000)}
    assert filled.memories.keys() - rows.keys() <= affected, shown
    assert rows.keys() - filled.memories.keys() == set(), shown
    changed = [one for one, text in filled.memories.items() if one in rows and rows[one]["text"] != text]
    assert [one for one in changed if not rows[one]["is_stale"]] == [], shown


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))  # each kind of damage twice
def test_a_memory_that_is_damaged_by_chance_loses_only_what_was_damaged(copied: Filled, seed: int) -> None:
    survives(copied, seed)


@pytest.mark.soak
def test_two_hundred_damages_lose_only_what_was_damaged(template: Filled, tmp_path: Path, fake_engine: object) -> None:
    assert fake_engine is not None
    told: Counter[str] = Counter()
    for seed in range(200):
        told += survives(template.copy(tmp_path / f"home-{seed}"), seed)
    print(dict(told))
    assert told["noticed"] > 100
    assert told["lost"] <= told["hit"]
