"""Snapshots: made whole or not at all, kept for a while, gone back to without bringing back what was forgotten."""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.conftest import OpenMemory, TestClock, agree_to_journal_in_repository
from tests.home_files import contents

from waypost import Memory, config
from waypost.errors import ConfigError, NotFound, Refused, StoreCorrupt
from waypost.flows.backup import erase_from_snapshots
from waypost.flows.backup.restore import RestoredBackup
from waypost.flows.backup.snapshots import MemoryBackup
from waypost.memory.handle import LIBRARY

SECRET_WORDS = ("quixzanthal", "Brückenzollmaut", "ъёжикоград")
TEXT = f"The launch code word is {SECRET_WORDS[0]}, in German {SECRET_WORDS[1]}, in Russian {SECRET_WORDS[2]}"


def texts(memory: Memory) -> set[str]:
    return {row["text"] for row in memory.list(limit=1000)}


def remembered(memory: Memory, text: str, **options: Any) -> str:
    memory_id = memory.remember(text, **options).id
    assert memory_id
    return memory_id


def traces(folder: Path) -> list[str]:
    """Files that hold one of the words, or a piece of one."""
    pieces = [piece.encode() for word in SECRET_WORDS for piece in (word, word[4:], word[:-3])]
    found = contents(folder).items()
    return sorted(str(path.relative_to(folder)) for path, held in found if any(piece in held for piece in pieces))


def daily(memory: Memory) -> MemoryBackup | None:
    """Maintenance, and the snapshot that it made."""
    before = {one.id for one in memory.admin.backups.list()}
    memory.admin.maintain()
    new = [one for one in memory.admin.backups.list() if one.id not in before]
    return new[0] if new else None


def settled(memory: Memory, **changes: object) -> Memory:
    backup = replace(memory.space.settings.backup, **changes)  # type: ignore[arg-type]
    return Memory(memory.identity, replace(memory.space.settings, backup=backup), LIBRARY, memory.space.clock)


@pytest.mark.slow
def test_a_restore_brings_back_memories_journal_links_states_and_candidates_as_they_were(
    memory: Memory, clock: TestClock
) -> None:
    alpha = remembered(memory, "Alpha runs on port 80", domain="net", tags={"a": "b"}, evidence=["seen"])
    beta = remembered(memory, "Beta runs on port 81")
    memory.protect(alpha)
    memory.journal.add("Talked to Anna about billing", session="s1", speaker="anna")
    memory.decide("We use SQLite", because=["One file"], leads_to=["No server"])
    before = list(memory.admin.export_rows())
    day = next((memory.space.folder / "journal" / "daily").iterdir())
    page = day.read_bytes()
    made = memory.admin.backups.make()
    clock.advance(hours=1)
    memory.correct(alpha, "Alpha runs on port 8080", valid_from=None)
    memory.protect(alpha, on=False)
    memory.retract(beta)
    remembered(memory, "Gamma is new")
    memory.journal.add("Said after the snapshot")
    plan = memory.admin.backups.plan()
    assert (plan.removed, plan.changed, plan.returned, plan.files) == (2, 1, 1, 1)
    done = memory.admin.backups.restore(made.id)
    assert (done.plan.removed, done.plan.changed, done.plan.returned) == (2, 1, 1)
    assert list(memory.admin.export_rows()) == before
    assert day.read_bytes() == page
    assert memory.show(alpha).state.protected
    assert {hit.id for hit in memory.recall("Beta port 81")} >= {beta}
    assert "Gamma is new" not in {hit.text for hit in memory.recall("Gamma is new")}
    assert [one.action for one in memory.admin.audit(limit=1)] == ["restore"]
    assert [
        one for one in memory.admin.doctor() if not one.ok and one.check in ("database", "keyword index", "journal")
    ] == []
    assert memory.admin.backups.plan(made.id).changes_nothing
    assert memory.admin.backups.restore(made.id).undo is None


@pytest.mark.slow
def test_a_restore_can_be_undone(memory: Memory, clock: TestClock) -> None:
    remembered(memory, "Alpha runs on port 80")
    made = memory.admin.backups.make()
    clock.advance(hours=1)
    remembered(memory, "Beta runs on port 81")
    memory.journal.add("Said after the snapshot")
    now = list(memory.admin.export_rows())
    done = memory.admin.backups.restore(made.id)
    assert texts(memory) == {"Alpha runs on port 80"}
    assert done.undo is not None
    memory.admin.backups.restore(done.undo)
    assert list(memory.admin.export_rows()) == now
    assert {hit.text for hit in memory.recall("Beta port 81", k=1)} == {"Beta runs on port 81"}


def test_new_numbers_are_never_those_of_memories_that_a_restore_took_away(memory: Memory) -> None:
    remembered(memory, "Alpha runs on port 80")
    made = memory.admin.backups.make()
    remembered(memory, "Beta runs on port 81")
    with memory.space.store.read() as reader:
        last = reader.memories.last_number()
    memory.admin.backups.restore(made.id)
    gamma = remembered(memory, "Gamma runs on port 82")
    with memory.space.store.read() as reader:
        assert [version.number for version in reader.memories.versions(gamma)] == [last + 1]


@pytest.mark.slow
def test_a_snapshot_is_private_and_holds_nothing_that_can_be_made_again(memory: Memory) -> None:
    memory.remember_many([{"text": f"Fact {n} is about item {n}", "kind": "note"} for n in range(300)])
    made = memory.admin.backups.make()
    assert (made.memories, made.cause) == (300, "asked for")
    for path in (made.path.parent, made.path, *made.path.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
    with closing(apsw.Connection(f"file:{made.path}/memory.db?immutable=1", flags=6 | apsw.SQLITE_OPEN_URI)) as saved:
        for table in ("passages", "vectors", "keywords", "files"):  # all that can be made again
            assert saved.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]
    assert [(one.id, one.is_sound) for one in memory.admin.backups.list()] == [(made.id, True)]
    shown = memory.admin.backups.list()[0].to_json()
    assert {"id", "path", "made_at", "cause", "memories", "size", "sound", "problem"} == shown.keys()


@pytest.mark.parametrize("part", ["memory.db", "journal", "backup.json"])
def test_a_snapshot_with_a_flipped_bit_or_without_a_file_is_listed_as_damaged_and_not_restored(
    memory: Memory, part: str
) -> None:
    remembered(memory, "Alpha runs on port 80")
    memory.journal.add("Talked to Anna")
    good = memory.admin.backups.make()
    made = memory.admin.backups.make()
    if part == "memory.db":
        content = bytearray((made.path / part).read_bytes())
        content[content.index(b"port 80")] ^= 1  # SQLite itself would not notice
        (made.path / part).write_bytes(content)
    elif part == "journal":
        shutil.rmtree(made.path / part)
    else:
        (made.path / part).write_text("{")
    assert [(one.id, one.is_sound) for one in memory.admin.backups.list()] == [(made.id, False), (good.id, True)]
    with pytest.raises(StoreCorrupt, match=made.id):
        memory.admin.backups.restore(made.id)
    assert memory.admin.backups.plan("latest").backup.id == good.id


def test_an_id_that_is_not_there_is_not_found(memory: Memory) -> None:
    for which in ("latest", "7", "../..", "000001-20260101T000000Z"):
        with pytest.raises(NotFound):
            memory.admin.backups.restore(which)


def test_a_snapshot_of_another_memory_is_refused(memory: Memory, open_memory: OpenMemory) -> None:
    other = open_memory("other")
    remembered(other, "The other project's secret plan")
    made = other.admin.backups.make()
    remembered(memory, "Alpha runs on port 80")
    memory.admin.backups.make()
    shutil.copytree(made.path, memory.space.folder / "backups" / "000009-20260130T120000Z")
    with pytest.raises(Refused, match="another memory"):
        memory.admin.backups.restore("000009-20260130T120000Z")
    assert texts(memory) == {"Alpha runs on port 80"}


# -- when, and how many


@pytest.mark.slow
def test_maintenance_makes_one_a_day_and_keeps_the_last_seven(memory: Memory, clock: TestClock) -> None:
    made = []
    for day in range(10):
        remembered(memory, f"Fact of day {day}")
        one = daily(memory)
        assert one is not None and one.cause == "daily"
        made.append(one.id)
        clock.advance(hours=3)
        remembered(memory, f"More of day {day}")
        assert daily(memory) is None  # one is enough for a day
        clock.advance(hours=21)
    assert [one.id for one in memory.admin.backups.list()] == made[:-8:-1]
    assert all(one.is_sound for one in memory.admin.backups.list())


def test_a_day_without_changes_makes_no_snapshot(memory: Memory, clock: TestClock) -> None:
    remembered(memory, "Alpha runs on port 80")
    assert daily(memory) is not None
    clock.advance(days=1)
    assert daily(memory) is None
    remembered(memory, "Beta runs on port 81")
    clock.advance(days=1)
    assert daily(memory) is not None


def test_a_memory_in_which_nothing_was_ever_written_gets_no_snapshot(memory: Memory) -> None:
    assert daily(memory) is None


@pytest.mark.slow
def test_snapshots_that_were_asked_for_do_not_push_out_daily_ones(memory: Memory, clock: TestClock) -> None:
    remembered(memory, "Alpha runs on port 80")
    first = daily(memory)
    assert first is not None
    for _ in range(9):
        memory.admin.backups.make()
    causes = [one.cause for one in memory.admin.backups.list()]
    assert causes == ["asked for"] * 7 + ["daily"]


@pytest.mark.slow
def test_how_many_are_kept_and_whether_there_are_daily_ones_can_be_set(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = settled(memory, keep=2)
    for day in range(4):
        remembered(two, f"Fact of day {day}")
        two.admin.maintain()
        clock.advance(days=1)
    assert len(two.admin.backups.list()) == 2
    off = settled(memory, daily=False)
    remembered(off, "Another fact")
    off.admin.maintain()
    assert len(off.admin.backups.list()) == 2
    home = config.load().home
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("[backup]\nkeep = 3\ndaily = false\n")
    assert (config.load().backup.keep, config.load().backup.daily) == (3, False)
    for wrong in ("keep = 0", 'keep = "7"', "daily = 1", "kept = 7"):
        (home / "config.toml").write_text(f"[backup]\n{wrong}\n")
        with pytest.raises(ConfigError):
            config.load()


@pytest.mark.slow
def test_a_clock_that_jumps_by_years_neither_stops_new_snapshots_nor_throws_away_real_ones(
    memory: Memory, clock: TestClock
) -> None:
    made = list[str]()
    for year in (2026, 2051, 2026, 1999, 2026, 2051):
        clock.now = datetime(year, 3, len(made) + 1, 12, 0, tzinfo=UTC)
        remembered(memory, f"Fact {len(made)}")
        one = daily(memory)
        assert one is not None, year
        made.append(one.id)
    assert [one.id for one in memory.admin.backups.list()] == made[::-1]
    for day in range(10, 15):  # back at the right time: the oldest go first, whatever they are dated
        clock.now = datetime(2026, 3, day, 12, 0, tzinfo=UTC)
        remembered(memory, f"Fact of {day}")
        one = daily(memory)
        assert one is not None
        made.append(one.id)
    assert [one.id for one in memory.admin.backups.list()] == made[:-8:-1]
    assert memory.admin.backups.plan("latest").backup.id == made[-1]


def test_missed_maintenance_is_noticed_after_a_clock_that_was_years_ahead(memory: Memory, clock: TestClock) -> None:
    remembered(memory, "Alpha runs on port 80")
    clock.now = datetime(2051, 1, 1, tzinfo=UTC)
    memory.admin.maintain()
    clock.now = datetime(2026, 3, 1, tzinfo=UTC)
    assert memory.status()["overdue"] is not None
    skipped = [one.step for one in memory.admin.maintain() if one.skipped]
    assert skipped == []
    assert memory.status()["overdue"] is None


# -- what was forgotten


@pytest.mark.slow
def test_forgetting_leaves_no_byte_of_it_in_any_snapshot(memory: Memory, clock: TestClock) -> None:
    remembered(memory, "Alpha runs on port 80")
    memory.admin.backups.make()  # without it: this one stays as it is
    doomed = remembered(memory, TEXT)
    memory.admin.backups.make()
    clock.advance(days=1)
    memory.correct(doomed, f"{TEXT}, as of today")
    copy = remembered(memory, f"{TEXT}, as of today", domain="other")
    memory.admin.backups.make()
    assert len(traces(memory.space.folder / "backups")) == 2  # the control
    gone = memory.forget(doomed)
    assert gone.complete
    memory.forget(copy)
    assert traces(memory.space.folder) == []
    assert [(one.memories, one.is_sound) for one in memory.admin.backups.list()] == [(1, True)] * 3
    for one in memory.admin.backups.list():
        memory.admin.backups.restore(one.id)
        assert texts(memory) == {"Alpha runs on port 80"}


@pytest.mark.slow
def test_forgetting_an_entry_takes_it_out_of_the_journal_files_of_every_snapshot(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG " + SECRET_WORDS[0].encode())
    doomed = memory.journal.add(TEXT, session="s1", speaker="anna", media=tmp_path / "photo.png").id
    memory.journal.add("Talked to Ben about lunch")
    memory.admin.backups.make()
    memory.admin.backups.make()
    assert len(traces(memory.space.folder / "backups")) == 6  # the control: file, media and database of both
    assert doomed
    assert memory.forget(doomed).complete
    assert traces(memory.space.folder) == []
    assert all(one.is_sound for one in memory.admin.backups.list())
    memory.journal.add("Said later")
    memory.admin.backups.restore(memory.admin.backups.list()[0].id)
    assert texts(memory) == {"Talked to Ben about lunch"}


def test_a_memory_that_was_deleted_at_the_end_of_its_time_goes_from_the_snapshots(
    memory: Memory, clock: TestClock
) -> None:
    doomed = remembered(memory, TEXT)
    memory.facts.set_ttl(doomed, 3600, on_expire="delete")
    memory.admin.backups.make()
    clock.advance(hours=2)
    assert memory.facts.expire().deleted == [doomed]
    assert traces(memory.space.folder) == []
    assert all(one.is_sound for one in memory.admin.backups.list())


def test_a_snapshot_that_cannot_be_read_goes_as_a_whole_when_something_is_forgotten(memory: Memory) -> None:
    doomed = remembered(memory, TEXT)
    made = memory.admin.backups.make()
    content = bytearray((made.path / "memory.db").read_bytes())
    content[:100] = bytes(100)
    (made.path / "memory.db").write_bytes(content)
    assert memory.forget(doomed).complete
    assert memory.admin.backups.list() == []
    assert traces(memory.space.folder) == []


@pytest.mark.slow
def test_what_could_not_be_erased_from_snapshots_is_erased_by_the_next_opening(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = remembered(memory, TEXT)
    memory.admin.backups.make()
    with monkeypatch.context() as patch:
        patch.setattr(erase_from_snapshots, "erase_from", lambda *_: (_ for _ in ()).throw(OSError("no room")))
        assert not memory.forget(doomed).complete
        assert [one.check for one in memory.admin.doctor() if not one.ok and one.check == "forgotten text"]
    assert traces(memory.space.folder / "backups")
    memory.close()
    texts(memory)
    assert traces(memory.space.folder) == []
    assert all(one.is_sound for one in memory.admin.backups.list())


def put_back(memory: Memory, kept: Path, made: MemoryBackup) -> None:
    shutil.rmtree(made.path)
    shutil.copytree(kept, made.path)


@pytest.mark.slow
def test_a_snapshot_that_was_kept_elsewhere_brings_back_nothing_forgotten(memory: Memory, tmp_path: Path) -> None:
    remembered(memory, "Alpha runs on port 80")
    fact, entry = remembered(memory, TEXT), memory.journal.add(f"Anna said: {TEXT}").id
    over = remembered(memory, f"Soon over: {TEXT}")
    memory.facts.set_ttl(over, 1, on_expire="delete")
    made = memory.admin.backups.make()
    shutil.copytree(made.path, tmp_path / "kept")
    assert entry
    memory.forget(fact)
    memory.forget(entry)
    memory.space.clock.advance(hours=1)  # type: ignore[attr-defined]
    memory.facts.expire()
    remembered(memory, "Beta runs on port 81")
    put_back(memory, tmp_path / "kept", made)
    assert traces(made.path)  # the control
    memory.admin.backups.restore(made.id)
    assert texts(memory) == {"Alpha runs on port 80"}
    assert traces(memory.space.folder) == []
    assert memory.remember(TEXT).status == "refused"


def test_what_was_rejected_since_stays_rejected_with_its_history(memory: Memory) -> None:
    remembered(memory, "Alpha runs on port 80")
    wrong = remembered(memory, "Beta runs on port 81")
    made = memory.admin.backups.make()
    memory.reject(wrong)
    remembered(memory, "Gamma runs on port 82")
    memory.admin.backups.restore(made.id)
    assert texts(memory) == {"Alpha runs on port 80"}
    assert memory.remember("Beta runs on port 81").status == "refused"
    assert [version.text for version in memory.history(wrong).versions] == ["Beta runs on port 81"]


# -- a memory that cannot be read


def destroy(memory: Memory, how: str) -> Path:
    path = memory.space.folder / "memory.db"
    memory.close()
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "garbage":
        path.write_bytes(os.urandom(len(content)))
    elif how == "header":
        path.write_bytes(bytes(4096) + content[4096:])
    elif how == "truncated":
        path.write_bytes(content[: len(content) // 2 + 100])
    else:
        path.write_bytes(content[:4096] + bytes(len(content) - 4096))
    return path


@pytest.mark.parametrize("how", ["missing", "garbage", "header", "truncated", "pages"])
def test_a_destroyed_database_is_restored_and_kept_aside(memory: Memory, how: str) -> None:
    alpha = remembered(memory, "Alpha runs on port 80")
    memory.journal.add("Talked to Anna about billing")
    made = memory.admin.backups.make()
    memory.journal.add("Said after the snapshot")
    remembered(memory, "Lost with the file")
    path = destroy(memory, how)
    content = path.read_bytes() if path.exists() else b""
    closed = memory.admin.backups
    assert closed.plan().is_damaged
    done: RestoredBackup = closed.restore()
    assert done.plan.backup.id == made.id
    if how == "missing":
        assert done.aside is None
    else:
        assert done.aside and done.aside.read_bytes() == content
    # The journal's files were not damaged: what they say is later than the snapshot, and stays.
    assert texts(memory) == {"Alpha runs on port 80", "Talked to Anna about billing", "Said after the snapshot"}
    assert {hit.id for hit in memory.recall("Alpha port", k=1)} == {alpha}
    memory.admin.embed_pending()
    assert [
        one for one in memory.admin.doctor() if not one.ok and one.check in ("database", "keyword index", "vectors")
    ] == []
    assert memory.remember("Alpha runs on port 80").status == "duplicate"
    assert remembered(memory, "Written afterwards") not in {alpha}


@contextmanager
def begun_anew(folder: Path) -> Iterator[None]:
    """Somebody begins a new memory while the snapshots are away: beside them, none is begun by mistake."""
    away = folder.with_name("backups-away")
    (folder / "backups").rename(away)
    yield
    away.rename(folder / "backups")


def test_a_lost_folder_is_restored_from_its_snapshots_with_its_journal(memory: Memory) -> None:
    remembered(memory, "Alpha runs on port 80")
    memory.journal.add("Talked to Anna about billing")
    folder = memory.admin.backups.make().path.parents[1]
    memory.close()
    for path in folder.iterdir():
        if path.name != "backups":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with begun_anew(folder):
        Memory.open(memory.code.root, settings=memory.space.settings, clock=memory.space.clock)
    memory.admin.backups.restore()
    assert texts(memory) == {"Alpha runs on port 80", "Talked to Anna about billing"}
    assert "Anna" in next((memory.space.folder / "journal" / "daily").iterdir()).read_text()


@pytest.mark.slow
def test_a_database_that_was_begun_anew_and_indexed_gets_the_memories_beside_its_own_rows(
    memory: Memory, tmp_path: Path
) -> None:
    (memory.code.root / "a.py").write_text("def pay():\n    return 1\n\n\ndef refund():\n    return 2\n")
    alpha = remembered(memory, "Alpha pays", refs=["a.py#L1-L2"])
    wrong = remembered(memory, "Beta is wrong")
    memory.reject(wrong)
    made = memory.admin.backups.make()
    folder = memory.space.folder
    destroy(memory, "missing")
    with begun_anew(folder):
        memory.index()
    code = len(memory.recall("refund", scope="code").hits)
    assert code
    memory.admin.backups.restore(made.id)
    assert texts(memory) == {"Alpha pays"}
    assert [ref.file_path for ref in memory.show(alpha).version.refs] == ["a.py"]
    assert len(memory.recall("refund", scope="code").hits) == code
    assert memory.remember("Beta is wrong").status == "refused"
    assert {one.action for one in memory.admin.audit(limit=100)} >= {"remember", "reject", "restore"}
    again = memory.admin.backups.plan(made.id)
    assert again.changes_nothing


@pytest.mark.slow
def test_what_the_damaged_database_still_says_of_forgotten_memories_outlasts_the_restore(
    memory: Memory, tmp_path: Path
) -> None:
    memory.remember_many([{"text": f"Fact {n} is about item {n}", "kind": "note"} for n in range(200)])
    doomed, wrong = remembered(memory, TEXT), remembered(memory, "Beta is wrong")
    made = memory.admin.backups.make()
    shutil.copytree(made.path, tmp_path / "kept")
    memory.forget(doomed)
    memory.reject(wrong)
    put_back(memory, tmp_path / "kept", made)
    path = memory.space.folder / "memory.db"
    memory.close()
    content = bytearray(path.read_bytes())
    page = content.index(b"Fact 100 is about") // 4096 * 4096  # of the table of memories: the rest can be read
    content[page : page + 4096] = bytes(4096)
    path.write_bytes(content)
    done = memory.admin.backups.restore(made.id)
    assert done.aside
    shutil.rmtree(done.aside.parent)
    assert len(texts(memory)) == 200
    assert traces(memory.space.folder) == []
    assert memory.remember(TEXT).status == "refused"
    assert memory.remember("Beta is wrong").status == "refused"


@pytest.mark.slow
def test_a_damaged_memory_gets_no_snapshot_and_keeps_the_old_ones(memory: Memory, clock: TestClock) -> None:
    memory.remember_many([{"text": f"Fact {n} is about item {n}", "kind": "note"} for n in range(200)])
    memory.admin.backups.make()
    path = memory.space.folder / "memory.db"
    memory.close()
    content = bytearray(path.read_bytes())
    page = content.index(b"Fact 100 is about") // 4096 * 4096
    content[page : page + 4096] = bytes(4096)
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="no snapshot was made"):
        memory.admin.backups.make()
    assert [one.is_sound for one in memory.admin.backups.list()] == [True]
    assert sorted(path.name for path in (memory.space.folder / "backups").iterdir()) == [
        memory.admin.backups.list()[0].id
    ]


def test_files_of_the_journal_that_did_not_change_are_kept_once(memory: Memory, clock: TestClock) -> None:
    memory.journal.add("Talked to Anna")
    first = memory.admin.backups.make()
    clock.advance(days=1)
    memory.journal.add("Talked to Ben")
    second = memory.admin.backups.make()
    days = [path.name for path in sorted((second.path / "journal" / "daily").iterdir())]
    links = [(second.path / "journal" / "daily" / name).stat().st_nlink for name in days]
    assert links == [2, 1]
    memory.journal.add("Talked to Anna again", time="2026-01-30T13:00:00Z")  # the memory's own file is never shared
    assert "again" not in (first.path / "journal" / "daily" / days[0]).read_text()
    assert json.loads((first.path / "backup.json").read_text())["cause"] == "asked for"


@pytest.mark.both_stores
def test_a_memory_in_postgresql_is_backed_up_by_the_database(memory: Memory, store_address: str) -> None:
    remembered(memory, "Alpha runs on port 80")
    if not store_address:
        assert memory.admin.backups.make().memories == 1
        return
    for call in (
        memory.admin.backups.make,
        memory.admin.backups.list,
        memory.admin.backups.plan,
        memory.admin.backups.restore,
    ):
        with pytest.raises(Refused, match="PostgreSQL") as refused:
            call()
        assert "docs/how-to/postgres.md" in refused.value.remedy
    assert "snapshot" not in {one.step for one in memory.admin.maintain()}


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not tell its locks")
def test_the_locks_of_a_memory_that_is_open_outlast_everything_that_is_done_with_snapshots(memory: Memory) -> None:
    """Closing any descriptor of a file drops all locks that the process holds on it: only SQLite may open it."""
    remembered(memory, "Alpha runs on port 80")
    inodes = {str((memory.space.folder / name).stat().st_ino) for name in ("memory.db", "memory.db-shm")}

    def held() -> set[str]:
        rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        return {row[5].split(":")[2] for row in rows if row[1] == "POSIX" and row[4] == str(os.getpid())} & inodes

    before = held()
    assert before  # the control
    made = memory.admin.backups.make()
    assert held() == before
    remembered(memory, "Beta runs on port 81")
    memory.admin.backups.list()
    memory.admin.backups.plan(made.id)
    assert held() == before
    memory.admin.backups.restore(made.id)
    assert held() == before
    memory.admin.maintain()
    assert held() == before


def test_a_journal_in_the_repository_stays_as_it_is_and_is_read_again(memory: Memory, clock: TestClock) -> None:
    agree_to_journal_in_repository(memory)
    memory.journal.add("Talked to Anna")
    remembered(memory, "Alpha runs on port 80")
    made = memory.admin.backups.make()
    assert not (made.path / "journal").exists()
    clock.advance(days=1)
    memory.journal.add("Talked to Ben")
    remembered(memory, "Beta runs on port 81")
    memory.admin.backups.restore(made.id)
    assert texts(memory) == {"Talked to Anna", "Alpha runs on port 80", "Talked to Ben"}
    assert [one for one in memory.admin.doctor() if not one.ok and one.check == "journal"] == []
