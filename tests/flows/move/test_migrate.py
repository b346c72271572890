"""A memory goes into PostgreSQL and back, and is the same."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.flows.move.conftest import ADA, MACHINE, House, quiet, without_moves
from tests.postgres_server import Postgres

from waypost import Memory
from waypost.errors import NotFound, Refused, StoreError
from waypost.memory.migration_places import place_of
from waypost.space.identity import machine_journal, path_id
from waypost.store.postgres.connection import release
from waypost.store.tables import TABLES


def wrong_with(memory: Memory) -> list[str]:
    """But for what the other engine owes, which is none of ours."""
    return [one.message for one in memory.admin.doctor() if not one.ok and one.check != "vectors"]


def test_there_is_something_in_every_table(house: House) -> None:
    empty = [name for name, rows in house.tables(house.files).items() if not rows]
    assert empty == []


def test_a_memory_goes_there_and_back_and_is_the_same_row_by_row(house: House) -> None:
    before = house.tables(house.files)
    there = house.there()
    assert there.status == "moved"
    assert there.tables == {name: len(rows) for name, rows in before.items()}
    assert there.answers is not None
    assert there.answers.questions > 10
    assert there.answers.same == 1.0
    house.back()
    assert without_moves(house.tables(house.files)) == before


def test_it_answers_the_same_in_its_new_place(house: House) -> None:
    asked = ("euros and francs", "Größe", "the sum of a basket", "bank fees", "How is paid?")
    memory = house.memory(house.files)
    before = {text: [hit.id for hit in memory.recall(text).hits] for text in asked}
    stale = [one.id for one in memory.code.stale().memories]
    assert stale
    memory.close()
    house.there()
    moved = house.memory(house.database)
    assert {text: [hit.id for hit in moved.recall(text).hits] for text in asked} == before
    assert [one.id for one in moved.code.stale().memories] == stale
    assert wrong_with(moved) == []


def test_ids_that_come_from_paths_have_the_machine_in_them(house: House) -> None:
    before, after = path_id(house.root, ""), path_id(house.root, MACHINE)
    house.there()
    moving = house.memory(house.database)
    assert moving.identity.space_id == after
    tables = house.tables(house.database)
    assert [row[:2] for row in tables["checkouts"]] == [(after, f"{MACHINE}:{house.root}")]
    for name, table in TABLES.items():
        for row in tables[name]:
            assert before not in row, name
            if table.journal:
                assert row[0] == machine_journal(MACHINE)
    keys = [row[0] for row in tables["meta"]]
    assert not any(before in key for key in keys)
    assert f"indexed_commit:{after}" in keys
    assert f"journal_tallies:{machine_journal(MACHINE)}" in keys


def test_the_index_of_the_tree_and_the_journal_are_known_again(house: House) -> None:
    house.there()
    memory = house.memory(house.database)
    assert memory.index().indexed.unchanged == 1  # the other was edited after it was indexed
    text = memory.journal.show("2026-01-31").text
    assert "Wrote the contract" in text
    assert memory.journal.add("Signed it").status == "added"
    memory.close()
    house.back()
    again = house.memory(house.files)
    assert "Signed it" in again.journal.show("2026-01-31").text
    assert wrong_with(again) == []


def test_new_memories_get_new_numbers(house: House) -> None:
    last = house.tables(house.files)["memories"][-1][0]
    house.there()
    house.memory(house.database).remember("The shop closes at six")
    numbers = [row[0] for row in house.tables(house.database)["memories"]]
    assert numbers[-1] > last
    house.memory(house.database).close()
    house.back()
    house.memory(house.files).remember("The shop opens at nine")
    after = [row[0] for row in house.tables(house.files)["memories"]]
    assert after[-1] > numbers[-1]


def test_what_was_moved_away_is_not_used_by_mistake(house: House) -> None:
    running = house.memory(house.files)
    space = running.space
    house.there()
    with pytest.raises(StoreError, match="was moved to PostgreSQL"), space.store.write():
        pass
    with pytest.raises(StoreError, match="was moved to PostgreSQL"), space.store.read():
        pass
    with pytest.raises(StoreError, match="was moved to PostgreSQL"):
        running.remember("written by a process that was open all the time")
    with pytest.raises(StoreError, match="was moved to PostgreSQL"):
        running.recall("euros")
    running.close()
    with pytest.raises(StoreError, match="was moved to PostgreSQL") as told:
        house.memory(house.files)
    assert "config.toml" in told.value.remedy
    house.memory(house.database).close()
    house.back()
    with pytest.raises(StoreError, match="was moved to "):
        house.memory(house.database)


def test_it_can_go_there_again_after_it_came_back(house: House) -> None:
    house.there()
    house.memory(house.database).remember("Said in the database")
    house.back()
    house.memory(house.files).remember("Said in the files")
    before = house.tables(house.files)
    house.there()
    texts = [row[4] for row in house.tables(house.database)["memories"]]
    assert "Said in the database" in texts
    assert "Said in the files" in texts
    house.back()
    assert without_moves(house.tables(house.files)) == without_moves(before)


def test_a_journal_follows_as_it_is(house: House) -> None:
    """Also what went from it: a copy that was left behind is not mixed with it."""
    house.there()
    memory = house.memory(house.database)
    day = memory.journal.root / "daily" / "2026-01-30.md"
    if not day.exists():
        day = next(iter(sorted(memory.journal.root.rglob("2026-01-30.md"))))
    day.unlink()
    memory.close()
    house.back()
    left = house.memory(house.files)
    assert not list(left.journal.root.rglob("2026-01-30.md"))
    assert list(left.journal.root.rglob("2026-01-31.md"))


def test_moving_again_says_that_it_is_done(house: House) -> None:
    house.there()
    assert house.there().status == "already"
    assert house.moving(house.files, house.database).look().step == "done"


def test_a_place_that_holds_another_memory_is_refused(house: House) -> None:
    memory = house.memory(house.database)
    memory.remember("Something that nobody moved here")
    memory.close()
    before = house.tables(house.files)
    with pytest.raises(Refused, match="already holds another memory"):
        house.there()
    assert house.tables(house.files) == before
    house.memory(house.files).close()
    assert [row[4] for row in house.tables(house.database)["memories"]] == ["Something that nobody moved here"]
    house.moving(house.files, house.database).run(ADA, quiet, instead=True)
    assert len(house.tables(house.database)["memories"]) == len(before["memories"])


def test_what_was_moved_away_is_no_source_for_another_move(house: House, postgres_server: Postgres) -> None:
    house.there()
    elsewhere = postgres_server.new_database()
    for instead in (False, True):
        with pytest.raises(Refused, match="was moved from"):
            house.moving(house.files, replace(house.database, store=elsewhere)).run(ADA, quiet, instead=instead)
    release(elsewhere)
    postgres_server.drop_database(elsewhere)


def test_a_place_that_was_only_looked_at_is_taken(house: House) -> None:
    house.memory(house.database).close()
    assert house.there().status == "moved"


def test_looking_changes_nothing(house: House) -> None:
    before = house.tables(house.files)
    found = house.moving(house.files, house.database).look()
    assert (found.step, found.rows) == ("fresh", sum(map(len, before.values())))
    assert found.size_bytes > 100_000
    house.memory(house.files).close()
    with pytest.raises(NotFound):
        house.moving(house.database, house.files)


def test_the_old_one_is_removed_only_when_it_was_moved(house: House) -> None:
    moving = house.moving(house.files, house.database)
    with pytest.raises(Refused, match="was not moved"):
        moving.remove_old()
    moving.run(ADA, quiet)
    folder = house.files.memory_root / moving.space.space_id
    assert folder.is_dir()
    moving.remove_old()
    assert not folder.exists()
    memory = house.memory(house.database)
    assert memory.recall("euros and francs").hits
    assert memory.journal.show("2026-01-31").text
    memory.close()
    back = house.moving(house.database, house.files)
    back.run(ADA, quiet)
    back.remove_old()
    assert place_of(house.database, back.space, house.clock).notes() is None


def test_shares_follow_when_both_projects_move(house: House) -> None:
    web = house.root.parent / "web"
    house.there()
    house.moving(house.files, house.database, web).run(ADA, quiet)
    shop = house.memory(house.database)
    assert [(one.project.id, one.state) for one in shop.admin.shares.list()] == [(path_id(web, MACHINE), "active")]
    found = house.memory(house.database, web).recall("pay by card")
    assert any(hit.project is not None for hit in found.hits)


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_a_copy_is_for_its_owner_alone(house: House) -> None:
    house.there()
    house.back()
    folder = house.files.memory_root / path_id(house.root, "")
    for path in (folder, folder / "memory.db"):
        assert Path(path).stat().st_mode & 0o077 == 0 or path.is_file()
    assert folder.stat().st_mode & 0o077 == 0
    assert not (folder / "incoming").exists()
