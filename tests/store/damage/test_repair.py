"""`doctor` says what is damaged, and `doctor --fix` repairs it, keeps the old file and lists what is lost."""

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.store.damage.filled import Filled, flip_in, pages_of_table, root_page, zero

from waypost import Memory
from waypost.errors import StoreBusy
from waypost.faces.cli.entry import run
from waypost.flows.findings import Finding
from waypost.memory.spaces import open_spaces
from waypost.store.sqlite.checksums import SUMMED
from waypost.store.sqlite.pages import PAGE


def wrong(findings: Iterable[Finding]) -> list[str]:
    return [f"{one.check}: {one.message}" for one in findings if not one.ok]


def texts(memory: Memory) -> dict[str, str]:
    return {row["id"]: row["text"] for row in memory.list(limit=100_000)}


def rows_in(filled: Filled, table: str) -> int:
    with closing(apsw.Connection(str(filled.database))) as connection:
        found: list[Any] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    return int(found[0][0])


def leaf_of(filled: Filled, memory_id: str) -> int:
    return min(filled.places[memory_id])


def some_fact(filled: Filled) -> str:
    return next(one for one, text in filled.memories.items() if text.startswith("Service 41 "))


def test_one_zeroed_page_is_reported_by_table_and_repaired(copied: Filled) -> None:
    page = leaf_of(copied, some_fact(copied))
    zero(copied.database, page)
    memory = copied.open()
    assert any("table memories" in line for line in wrong(memory.admin.doctor()))
    found = memory.admin.doctor(fix=True)
    affected = copied.touched_by(frozenset([page]))
    lost = next(one for one in found if one.check == "lost memories")
    assert set(lost.message.partition(": ")[2].partition(" and ")[0].split(", ")) <= affected
    assert wrong(memory.admin.doctor()) == []
    assert copied.memories.keys() - texts(memory).keys() <= affected


def test_a_damaged_index_is_made_again_and_nothing_is_lost(copied: Filled) -> None:
    zero(copied.database, root_page(copied.database, "memories_by_id"), *pages_of_table(copied.database, "passages"))
    memory = copied.open(for_repair=True)
    assert wrong(memory.admin.doctor()) != []
    assert wrong(memory.admin.doctor(fix=True)) == []
    assert texts(memory) == copied.memories


def test_the_damaged_file_is_kept_for_its_owner_only(copied: Filled) -> None:
    zero(copied.database, leaf_of(copied, some_fact(copied)))
    before = copied.database.read_bytes()
    copied.open().admin.doctor(fix=True)
    (old,) = (copied.database.parent / "damaged").glob("*.db")
    assert old.read_bytes() == before
    assert old.stat().st_mode & 0o777 == 0o600
    assert old.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in old.parent.iterdir()] == [old.name]


@pytest.mark.parametrize("table", ["memories", "states", "edges", "audit", "tombstones", "meta", "code_refs"])
def test_a_table_whose_first_page_is_gone_keeps_all_rows_of_its_other_pages(copied: Filled, table: str) -> None:
    root = root_page(copied.database, table)
    others = pages_of_table(copied.database, table)
    before = rows_in(copied, table)
    zero(copied.database, root)
    memory = copied.open(for_repair=True)
    assert wrong(memory.admin.doctor()) != []
    memory.admin.doctor(fix=True)
    open_spaces.drop_all()
    after = rows_in(copied, table)
    if others and table in ("memories", "audit"):  # tables whose interior pages hold no rows
        assert after >= before
    else:
        assert after >= (0 if not others else before // 2)
    assert wrong(copied.open().admin.doctor()) == []


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("magic", 0, 16),
        ("page size", 16, 18),
        ("versions", 18, 20),
        ("encoding", 56, 60),
        ("mark", 68, 72),
        ("all", 0, PAGE),
    ],
)
def test_a_damaged_header_loses_nothing(copied: Filled, name: str, start: int, end: int) -> None:
    content = bytearray(copied.database.read_bytes())
    content[start:end] = bytes(255 - byte for byte in content[start:end])
    copied.database.write_bytes(content)
    memory = copied.open(for_repair=True)
    assert wrong(memory.admin.doctor()) != [], name
    memory.admin.doctor(fix=True)
    assert texts(memory) == copied.memories
    assert wrong(memory.admin.doctor()) == []


def test_a_file_that_was_cut_off_keeps_what_is_left(copied: Filled) -> None:
    size = copied.database.stat().st_size // PAGE // 2
    with copied.database.open("rb+") as file:
        file.truncate(size * PAGE + 100)
    memory = copied.open(for_repair=True)
    assert any("end of the file is missing" in line for line in wrong(memory.admin.doctor()))
    memory.admin.doctor(fix=True)
    gone = frozenset(range(size + 1, 100_000))
    assert copied.memories.keys() - texts(memory).keys() <= copied.touched_by(gone)
    assert texts(memory)
    assert wrong(memory.admin.doctor()) == []


def test_a_flipped_bit_in_a_text_is_found_and_the_memory_marked(copied: Filled) -> None:
    fact = some_fact(copied)
    flip_in(copied.database, copied.memories[fact].encode())
    memory = copied.open()
    assert any(fact in line for line in wrong(memory.admin.doctor()))
    found = memory.admin.doctor(fix=True)
    assert any(one.check == "changed memories" and fact in one.message for one in found)
    (row,) = [row for row in memory.list(limit=100_000) if row["id"] == fact]
    assert row["is_stale"]
    assert "damaged" in row["stale_reason"]
    assert wrong(memory.admin.doctor()) == []
    memory.verify(fact)
    assert not next(row for row in memory.list(limit=100_000) if row["id"] == fact)["is_stale"]


def test_a_repair_keeps_the_history_links_states_and_log_of_what_is_readable(copied: Filled) -> None:
    whole = copied.open()
    before = {one: whole.history(one) for one in copied.memories}
    edges = [whole.why("Why do we keep the queue in PostgreSQL?").to_json()]
    audit = whole.admin.audit(None, 100_000)
    states = {row["id"]: (row["protected"], row["expires_at"]) for row in whole.list(limit=100_000)}
    whole.close()
    open_spaces.drop_all()
    zero(copied.database, root_page(copied.database, "keywords_data"))
    memory = copied.open()
    memory.admin.doctor(fix=True)
    assert {one: memory.history(one) for one in copied.memories} == before
    assert [memory.why("Why do we keep the queue in PostgreSQL?").to_json()] == edges
    assert memory.admin.audit(None, 100_000)[-len(audit) :] == audit
    assert {row["id"]: (row["protected"], row["expires_at"]) for row in memory.list(limit=100_000)} == states


def test_what_was_rejected_stays_rejected_after_a_repair(copied: Filled) -> None:
    zero(copied.database, leaf_of(copied, some_fact(copied)))
    memory = copied.open()
    memory.admin.doctor(fix=True)
    assert memory.remember("Service 31 listens on port 8031 and logs to place 31", domain="d3").status == "refused"


def test_code_that_was_lost_is_read_again(copied: Filled) -> None:
    zero(copied.database, *pages_of_table(copied.database, "files"), root_page(copied.database, "files"))
    memory = copied.open(for_repair=True)
    memory.admin.doctor(fix=True)
    memory.index()
    assert any(hit.name and "make_3" in hit.name for hit in memory.recall("where is make_3 defined?", k=5).hits)


def test_two_repairs_at_once_are_refused(copied: Filled) -> None:
    zero(copied.database, leaf_of(copied, some_fact(copied)))
    memory = copied.open()
    from waypost.flows.erase.damaged_copies import REPAIR_LOCK
    from waypost.system.platform import try_lock

    with try_lock(memory.space.folder / REPAIR_LOCK), pytest.raises(StoreBusy, match="Another process is repairing"):
        memory.admin.doctor(fix=True)


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_a_process_that_has_the_database_open_goes_on_with_the_repaired_one(copied: Filled, tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom dataclasses import replace\nfrom pathlib import Path\nfrom waypost import Memory, config\n"
        "import waypost.memory.spaces\nfrom waypost.embed.fake import FakeEngine\n"
        "waypost.memory.spaces.open_engine = lambda name, settings: FakeEngine()\n"
        "memory = Memory.open(sys.argv[1], settings=replace(config.load(), home=Path(sys.argv[2])))\n"
        "memory.list(limit=1)\nprint('open', flush=True)\nsys.stdin.readline()\n"
        "print(memory.remember('Written by a process that had it open').status, flush=True)\n"
    )
    zero(copied.database, *pages_of_table(copied.database, "vectors")[:1])
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(copied.project), str(copied.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "open\n"
    inode = copied.database.stat().st_ino
    memory = copied.open()
    memory.admin.doctor(fix=True)
    assert copied.database.stat().st_ino == inode
    out, _ = other.communicate("\n", timeout=60)
    assert out == "added\n"
    assert other.returncode == 0
    assert "Written by a process that had it open" in texts(memory).values()
    assert [line for line in wrong(memory.admin.doctor()) if not line.startswith("vectors: ")] == []


def test_what_another_process_writes_at_the_last_moment_of_a_repair_is_kept(
    copied: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store.sqlite import repair

    zero(copied.database, *pages_of_table(copied.database, "vectors")[:1])
    memory, swap, tries = copied.open(), repair._swap, list[bool]()

    def swap_after_a_write(path: Path, new: Path, holder: repair._Holder | None, seconds: float) -> bool:
        if not tries:
            assert holder is not None
            holder.connection.execute("ROLLBACK")
            with apsw.Connection(str(path)) as other:
                other.execute("INSERT INTO owed (engine_id, hash) SELECT engine_id, x'77' FROM engines")
            other.close()
            holder.connection.execute("BEGIN")
        tries.append(swap(path, new, holder, seconds))
        return tries[-1]

    monkeypatch.setattr(repair, "_swap", swap_after_a_write)
    memory.admin.doctor(fix=True)
    assert tries == [False, True]


def test_forgetting_removes_a_kept_copy_that_holds_the_memory(copied: Filled) -> None:
    fact = some_fact(copied)
    zero(copied.database, *pages_of_table(copied.database, "vectors")[:1])
    memory = copied.open()
    memory.admin.doctor(fix=True)
    after = memory.remember("Said after the repair about nothing that was there before it")
    memory.forget(str(after.id))
    assert list((memory.space.folder / "damaged").glob("*.db")) != []  # it holds nothing of that
    text = copied.memories[fact].encode()
    memory.forget(fact)
    memory.close()
    open_spaces.drop_all()
    holding = [path for path in copied.home.rglob("*") if path.is_file() and text in path.read_bytes()]
    assert holding == []


def test_a_database_of_an_earlier_version_is_repaired_too(copied: Filled) -> None:
    with closing(apsw.Connection(str(copied.database))) as connection:
        for table in SUMMED:
            connection.execute(f"DROP TRIGGER {table}_sum_new; DROP TRIGGER {table}_sum_changed")
            connection.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        connection.execute("DELETE FROM migrations WHERE name = '0010_checksums'")
        connection.execute(
            "DROP TRIGGER audit_keeps_words; CREATE TRIGGER audit_keeps_words BEFORE UPDATE ON audit"
            " BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END"
        )
    zero(copied.database, 1)
    memory = copied.open(for_repair=True)
    memory.admin.doctor(fix=True)
    assert texts(memory) == copied.memories
    assert wrong(memory.admin.doctor()) == []


@pytest.mark.parametrize("name", ["0001_ground", "0004_facts", "0010_checksums"])
def test_a_damaged_list_of_migrations_loses_nothing(copied: Filled, name: str) -> None:
    content = bytearray(copied.database.read_bytes())
    content[content.index(name.encode()) + 5] ^= 1
    content[content.index(b"CREATE TABLE memories")] ^= 1
    copied.database.write_bytes(content)
    memory = copied.open(for_repair=True)
    memory.admin.doctor(fix=True)
    assert texts(memory) == copied.memories
    assert wrong(memory.admin.doctor()) == []


def test_every_command_names_the_repair_that_works(
    copied: Filled, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copied.project)
    zero(copied.database, 1)
    for command in (["ask", "ports"], ["list"], ["remember", "x is y"], ["rebuild", "--yes"], ["status"]):
        assert run(command) == 1
        said = capfd.readouterr().err
        assert "is damaged" in said
        assert "waypost doctor --fix" in said
        assert "Traceback" not in said
    assert run(["doctor"]) == 1
    assert "waypost doctor --fix" in capfd.readouterr().out
    run(["doctor", "--fix"])
    assert "A copy of the old file" in capfd.readouterr().out
    assert run(["list"]) == 0
    assert run(["ask", "Which port does service 40 use?"]) == 0


def test_where_nothing_can_be_read_the_file_is_kept_and_the_journal_comes_back(copied: Filled) -> None:
    content = b"SQLite format 3\0" + bytes(52) + b"WAYP" + b"\xff" * 20_000
    copied.database.write_bytes(content)
    memory = copied.open(for_repair=True)
    assert any(line.startswith("lost memories: Nothing could be read") for line in wrong(memory.admin.doctor(fix=True)))
    (old,) = (copied.database.parent / "damaged").glob("*.db")
    assert old.read_bytes() == content
    filed = {text for text in copied.memories.values() if text.startswith(("Said ", "Noted "))}
    assert set(texts(memory).values()) == filed
    assert wrong(memory.admin.doctor()) == []


def test_export_writes_what_can_be_read_and_says_what_it_skipped(
    copied: Filled, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = leaf_of(copied, some_fact(copied))
    zero(copied.database, page)
    monkeypatch.chdir(copied.project)
    assert run(["export", str(tmp_path / "saved.jsonl")]) == 1
    said = capfd.readouterr()
    assert "the database is damaged" in said.err
    assert some_fact(copied) in said.err
    lines = (tmp_path / "saved.jsonl").read_text().splitlines()
    assert len(lines) >= len(copied.memories) - len(copied.touched_by(frozenset([page])))
    assert run(["export", "-"]) == 1
    said = capfd.readouterr()
    assert len(said.out.splitlines()) >= len(copied.memories) - len(copied.touched_by(frozenset([page])))
    assert "doctor --fix" in said.err
    assert list((copied.database.parent).glob("damaged/*")) == []
