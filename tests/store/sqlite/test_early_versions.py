"""Databases that early versions wrote, some before migrations were frozen: they open, migrate and answer.

Each archive holds what the version with that commit wrote with its own code: facts, a corrected one, a rejected one, a
conversation, a reference to code and, where the version had them, code and a decision.
"""

import shutil
import tarfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.store.sqlite.checksums import add_checksum_function
from waypost.store.sqlite.schema import migrate

ARCHIVES = sorted((Path(__file__).parent / "early").glob("*.tar.xz"))
KEPT = {
    "The payment service listens on port 9090",
    "The cache lives for 15 minutes",
    "We talked about the harbour festival",
    "Totals are rounded half up",
    "Der Hafen schließt um sechs Uhr",
}
SHAPES = "SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name"


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.partition(".")[0])
def folder(request: pytest.FixtureRequest, open_memory: OpenMemory, clock: TestClock) -> Path:
    """The folder of a project's memory with what an early version left there."""
    clock.now = datetime(2026, 11, 18, tzinfo=UTC)  # after they were written
    memory = open_memory()
    folder = memory.space.folder
    memory.close()
    for path in folder.iterdir():
        if path.name != "metadata.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_they_have_the_tables_columns_and_indexes_of_a_new_one_afterwards(folder: Path, tmp_path: Path) -> None:
    with (
        closing(apsw.Connection(str(folder / "memory.db"))) as early,
        closing(apsw.Connection(str(tmp_path / "new.db"))) as new,
    ):
        for connection in (early, new):
            add_checksum_function(connection)
            migrate(connection, "a database", datetime(2026, 11, 17, tzinfo=UTC))
        assert early.execute(SHAPES).fetchall() == new.execute(SHAPES).fetchall()
        for kind, name, _ in new.execute(SHAPES).fetchall():
            if kind == "table":
                asked = f"SELECT name, type, [notnull] FROM pragma_table_info('{name}') ORDER BY name"
                assert early.execute(asked).fetchall() == new.execute(asked).fetchall(), name


@pytest.mark.slow
def test_they_open_and_answer_and_can_be_written(folder: Path, open_memory: OpenMemory) -> None:
    memory = open_memory()
    assert memory.space.folder == folder
    assert {row["text"] for row in memory.list(limit=100)} >= KEPT
    for question, answer in (
        ("Which port does the payment service listen on?", "9090"),
        ("How long does the cache live?", "15 minutes"),
        ("the harbour festival", "harbour"),
    ):
        assert any(answer in hit.text for hit in memory.recall(question, k=5)), question
    corrected = next(row["id"] for row in memory.list(limit=100) if "15 minutes" in row["text"])
    assert memory.history(corrected).versions[0].text == "The cache lives for 10 minutes"
    assert memory.remember("Deploys happen on Fridays").status == "refused"  # it was rejected then
    new = str(memory.remember("The gate is painted green").id)
    memory.decide("Use a queue for mails", because=["The gate is painted green"])
    memory.forget(new)
    check_sound(memory)


def check_sound(memory: Memory) -> None:
    (Path(str(memory.code.root)) / "app.py").write_text("def total(prices):\n    return sum(prices)\n")
    memory.index()
    memory.admin.rebuild()
    assert [hit.name for hit in memory.recall("total of prices", k=1, scope="code")] == ["total"]
    memory.admin.doctor(fix=True)
    assert [finding for finding in memory.admin.doctor() if not finding.ok] == []
