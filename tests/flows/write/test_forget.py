"""Forgetting removes the memory and every copy within reach, down to the bytes of the files."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.home_files import contents

from waypost import Memory, config
from waypost.errors import NotFound, StoreBusy
from waypost.flows.erase.exports import clean_exports
from waypost.memory.handle import LIBRARY
from waypost.memory.spaces import open_spaces
from waypost.store.sqlite.store import SqliteStore

# Words that stand nowhere else, in three languages, so that a byte found on disk can only come from them.
SECRET_WORDS = ("quixzanthal", "Brückenzollmaut", "ъёжикоград")
TEXT = f"The launch code word is {SECRET_WORDS[0]}, in German {SECRET_WORDS[1]}, in Russian {SECRET_WORDS[2]}"


def bytes_under(folder: Path) -> bytes:
    return b"\n".join(contents(folder).values())


def traces(folder: Path) -> list[str]:
    """Pieces of the text found in any file: whole words, and their tails, since an index may store only those."""
    content = bytes_under(folder).lower()
    pieces = [piece for word in SECRET_WORDS for piece in (word, word[4:], word[:-3])]
    return [piece for piece in pieces if piece.lower().encode() in content or piece.encode() in content]


def filler(memory: Memory, count: int, start: int = 0) -> None:
    numbers = range(start, start + count)
    memory.remember_many([{"text": f"Filler {n} about the launch of rocket {n * 7}", "kind": "note"} for n in numbers])


@pytest.mark.slow
def test_no_file_under_the_home_contains_any_of_its_words(memory: Memory, clock: TestClock) -> None:
    filler(memory, 300)
    doomed = memory.remember(TEXT).id
    assert doomed
    clock.advance(days=1)
    memory.correct(doomed, TEXT + ", as of today")  # an older version is a copy too
    filler(memory, 50, start=300)
    memory.admin.export()
    memory.admin.export(form="json", embeddings=True)
    assert traces(memory.space.folder)  # the control: the words are on disk before
    gone = memory.forget(doomed)
    assert gone.complete
    assert gone.versions == 2
    assert len(gone.exports_changed) == 2
    assert traces(memory.space.folder.parent.parent) == []
    memory.close()
    assert traces(memory.space.folder.parent.parent) == []
    # What must still be found is found.
    assert len(memory.recall("rocket launch", k=10)) == 10
    assert [e.memories for e in memory.admin.exports()] == [350, 350]  # all but the one


def test_neither_recall_history_nor_a_later_write_brings_it_back(memory: Memory) -> None:
    doomed = memory.remember(TEXT).id
    assert doomed
    memory.forget(doomed)
    assert memory.recall("launch code word", k=10).hits == ()
    assert memory.recall(SECRET_WORDS[0], k=10).hits == ()
    for call in (memory.show, memory.history):
        with pytest.raises(NotFound):
            call(doomed)
    assert memory.remember(TEXT).status == "refused"
    assert traces(memory.space.folder) == []


def test_the_audit_keeps_that_it_happened_not_what_it_said(memory: Memory) -> None:
    doomed = memory.remember(TEXT).id
    assert doomed
    memory.forget(doomed)
    assert [(e.action, e.memory_id) for e in memory.admin.audit()] == [("forget", doomed), ("remember", doomed)]
    assert all(word not in str(memory.admin.audit()) for word in SECRET_WORDS)


def test_it_outranks_protection(memory: Memory) -> None:
    doomed = memory.remember(TEXT).id
    assert doomed
    memory.protect(doomed)
    assert memory.forget(doomed).complete
    assert traces(memory.space.folder) == []


@pytest.mark.slow
def test_vectors_and_sidecars_lose_it_too(open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.store.sqlite.vectors._SIDECAR_FROM", 64)
    memory = open_memory()
    filler(memory, 40)
    doomed = memory.remember(TEXT).id
    assert doomed
    filler(memory, 60, start=40)
    memory.recall("anything")
    before = [path.stat().st_size for path in memory.space.folder.glob("vectors-*.bin")]
    assert before
    memory.forget(doomed)
    assert not list(memory.space.folder.glob("vectors-*.bin"))
    assert len(memory.recall("rocket launch", k=5)) == 5
    after = [path.stat().st_size for path in memory.space.folder.glob("vectors-*.bin")]
    assert all(size < before[0] for size in after)
    assert after


@pytest.mark.slow
def test_a_reader_in_another_process_delays_only_the_last_traces(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    impatient = Memory(
        memory.identity, replace(memory.space.settings, busy_timeout_seconds=0.2), LIBRARY, memory.space.clock
    )
    doomed = impatient.remember(TEXT).id
    assert doomed
    script = (
        "import sys, apsw\n"
        "db = apsw.Connection(sys.argv[1]); db.execute('BEGIN; SELECT count(*) FROM memories').fetchall()\n"
        "print('reading', flush=True); sys.stdin.readline()\n"
    )
    reader = subprocess.Popen(
        [sys.executable, "-c", script, str(memory.space.folder / "memory.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert reader.stdout and reader.stdout.readline() == "reading\n"
    gone = impatient.forget(doomed)
    assert not gone.complete
    assert impatient.recall("launch code word").hits == ()
    assert not all(finding.ok for finding in impatient.admin.doctor())
    reader.communicate("\n")
    findings = impatient.admin.doctor(fix=True)
    assert [f for f in findings if f.check == "forgotten text"] == []
    assert traces(memory.space.folder) == []


@pytest.mark.parametrize("text", ["agent", "0", "tokens", "write"])
def test_files_that_are_no_exports_stay_as_they_are_whatever_is_forgotten(memory: Memory, text: str) -> None:
    home = config.load().home
    kept = {
        "tokens.json": '{"tokens": [{"name": "a", "kind": "agent", "rights": "write", "sha256": "00"}]}',
        "setup/cursor.json": '["agent", 0, "tokens", "write"]',
    }
    for name, content in kept.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content)
    receipt = memory.remember(text)
    memory.forget(str(receipt.id))
    assert {name: (home / name).read_text() for name in kept} == kept


def test_a_store_that_stays_busy_leaves_the_traces_and_the_memory_is_gone(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory_id = memory.remember("The vault is under the quixzanthal stairs").id
    assert memory_id is not None
    asked: list[bool] = []

    def busy(_store: SqliteStore, _traces: object, *, wait: bool = True, rewrite: bool = False) -> bool:
        asked.append(rewrite)
        raise StoreBusy("held by another process", "wait")

    monkeypatch.setattr(SqliteStore, "scrub", busy)
    assert not memory.forget(memory_id).complete
    assert any(not one.ok and one.check == "forgotten text" for one in memory.admin.doctor())
    memory.admin.doctor(fix=True)
    assert asked == [False, True]  # the second try does not know what to look for, and writes the whole file anew
    monkeypatch.undo()
    memory.admin.doctor(fix=True)
    assert all(one.ok for one in memory.admin.doctor() if one.check == "forgotten text")


def test_who_finishes_forgetting_leaves_noted_what_another_has_not_finished(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process forgets while this one cleans up, and is killed before it cleans up itself."""
    first, second = (str(memory.remember(text).id) for text in (TEXT, "The gate is painted green"))
    plain, calls = SqliteStore.scrub, list[str]()

    def scrub(store: SqliteStore, traces: Sequence[str], *, wait: bool = True, rewrite: bool = False) -> bool:
        calls.append("cleaning")
        if len(calls) == 1:
            with pytest.raises(KeyboardInterrupt):
                memory.forget(second)
        elif len(calls) == 2:
            raise KeyboardInterrupt
        return plain(store, traces, wait=wait, rewrite=rewrite)

    monkeypatch.setattr(SqliteStore, "scrub", scrub)
    memory.forget(first)
    assert len(calls) == 2
    assert "forgotten text" in [finding.kind for finding in memory.admin.doctor() if not finding.ok]
    memory.close()
    again = Memory.open(memory.code.root, clock=memory.space.clock)  # a new opening finishes it
    assert len(calls) == 3
    assert "forgotten text" not in [finding.kind for finding in again.admin.doctor() if not finding.ok]


@pytest.mark.both_stores
def test_forgetting_that_is_cut_off_once_it_is_stored_is_finished_by_the_next_opening(
    open_memory: OpenMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, picture = open_memory(), tmp_path / "picture.png"
    picture.write_bytes(SECRET_WORDS[0].encode())
    doomed = str(memory.journal.add(TEXT, media=picture).id)
    picture.unlink()
    calls = list[str]()

    def clean(*given: Any, **named: Any) -> set[str]:
        calls.append("exports")
        if len(calls) == 1:
            found = clean_exports(*given, **named)
            memory.admin.export()  # made when the others are clean already
            return found
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("waypost.flows.erase.forget.clean_exports", clean)
        patch.setattr("waypost.flows.erase.exports.clean_exports", clean)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(doomed)
    assert traces(tmp_path)  # the control: there is something left to clean
    memory.close()
    open_spaces.drop_all()
    again = open_memory()
    assert doomed not in [row["id"] for row in again.list()]
    assert traces(tmp_path) == []
