"""While a database is damaged, what can be read is read, and the answer says what is missing."""

import json
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.store.damage.filled import Filled, flip_in, pages_of_table, root_page, zero

from waypost import Memory
from waypost.errors import StoreCorrupt
from waypost.faces.cli.entry import run
from waypost.store.sqlite.pages import INTERIOR_TABLE, PAGE

ASKED = "Which port does service 40 listen on?"


def answered(memory: Memory) -> list[str]:
    return [hit.text for hit in memory.recall(ASKED, k=3).hits]


def notices(memory: Memory) -> str:
    return " ".join(memory.recall(ASKED, k=3).notices)


@pytest.mark.parametrize("part", ["keywords_data", "keywords_idx", "keywords_docsize"])
def test_without_the_keyword_index_embeddings_find_it(copied: Filled, part: str) -> None:
    zero(copied.database, root_page(copied.database, part), *pages_of_table(copied.database, part))
    memory = copied.open()
    assert any("Service 40 listens on port" in text for text in answered(memory))
    assert "without the keyword index" in notices(memory)
    assert "waypost doctor --fix" in notices(memory)


def test_without_embeddings_keywords_find_it(copied: Filled) -> None:
    zero(copied.database, *pages_of_table(copied.database, "vectors"))
    memory = copied.open()
    assert any("Service 40 listens on port" in text for text in answered(memory))
    assert "without the embeddings" in notices(memory)


def test_a_sound_database_has_no_notice(copied: Filled) -> None:
    memory = copied.open()
    assert any("Service 40 listens on port" in text for text in answered(memory))
    assert "damaged" not in notices(memory)


def test_a_memory_that_cannot_be_read_does_not_hide_the_others(copied: Filled) -> None:
    wanted = next(one for one, text in copied.memories.items() if text.startswith("Service 41 "))
    page = min(copied.places[wanted])
    hidden = copied.touched_by(frozenset([page]))
    zero(copied.database, page)
    memory = copied.open()
    assert {row["id"] for row in memory.list(limit=100_000)} >= copied.memories.keys() - hidden
    other = next(text for one, text in copied.memories.items() if one not in hidden and text.startswith("Service "))
    assert any(hit.text == other for hit in memory.recall(other, k=3).hits)


def test_a_text_that_is_no_text_any_more_does_not_hide_the_others(copied: Filled) -> None:
    wanted = next(one for one, text in copied.memories.items() if text.startswith("Service 41 "))
    content = bytearray(copied.database.read_bytes())
    content[content.index(copied.memories[wanted].encode()) + 3] = 0xFF
    copied.database.write_bytes(content)
    memory = copied.open()
    assert {row["id"] for row in memory.list(limit=100_000)} == copied.memories.keys() - {wanted}
    assert any("Service 41 " not in text for text in answered(memory))


def test_a_text_with_a_flipped_bit_is_not_given_as_an_answer(copied: Filled) -> None:
    wanted = next(one for one, text in copied.memories.items() if text.startswith("Service 40 "))
    flip_in(copied.database, copied.memories[wanted].encode())
    memory = copied.open()
    assert wanted not in [hit.id for hit in memory.recall(ASKED, k=10).hits]
    assert "without 1 memory." in notices(memory)


@pytest.mark.parametrize("column", ["kind", "recorded_at", "tags", "level"])
def test_a_value_that_makes_no_sense_is_left_out(copied: Filled, column: str) -> None:
    wanted = next(one for one, text in copied.memories.items() if text.startswith("Service 41 "))
    with closing(apsw.Connection(str(copied.database))) as connection:
        connection.execute(
            f"DROP TRIGGER memories_sum_changed; UPDATE memories SET {column} = '{{' WHERE memory_id = ?", (wanted,)
        )
    memory = copied.open()
    assert {row["id"] for row in memory.list(limit=100_000)} >= copied.memories.keys() - {wanted}
    assert memory.recall(ASKED).hits
    assert memory.admin.export().memories >= len(copied.memories) - 1
    memory.admin.doctor(fix=True)
    assert all(one.ok for one in memory.admin.doctor())


def test_a_writer_does_not_guess(copied: Filled) -> None:
    """What is already known cannot be told from a table that is damaged: the write fails, and says what to do."""
    zero(copied.database, root_page(copied.database, "memories_by_fingerprint"))
    memory = copied.open()
    with pytest.raises(StoreCorrupt, match="damaged") as failed:
        memory.remember("Service 40 listens on port 1")
    assert "waypost doctor --fix" in failed.value.remedy
    memory.admin.doctor(fix=True)
    assert memory.remember("Service 40 listens on port 1").status in ("added", "merged")


def test_the_notice_is_in_the_output_of_ask(
    copied: Filled, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copied.project)
    zero(copied.database, root_page(copied.database, "keywords_data"))
    assert run(["ask", ASKED, "--json"]) == 0
    assert any("doctor --fix" in one for one in json.loads(capfd.readouterr().out)["notices"])


def test_export_is_whole_where_sqlite_takes_a_damaged_page_for_the_end_of_a_table(
    copied: Filled, tmp_path: Path
) -> None:
    start = (root_page(copied.database, "memories") - 1) * PAGE
    content = bytearray(copied.database.read_bytes())
    assert content[start] == INTERIOR_TABLE
    content[start + 3 : start + 5] = (1).to_bytes(2, "big")  # it leads to two pages from now on
    copied.database.write_bytes(content)
    memory = copied.open()
    assert {row["id"] for row in memory.list(limit=100_000)} == copied.memories.keys()
    done = memory.admin.export(tmp_path / "out.jsonl")
    assert done.is_damaged
    assert {json.loads(line)["id"] for line in done.path.read_text().splitlines()} == copied.memories.keys()
    memory.admin.doctor(fix=True)
    assert {row["id"] for row in memory.list(limit=100_000)} == copied.memories.keys()


def test_export_of_a_flipped_text_says_so(copied: Filled, tmp_path: Path) -> None:
    wanted = next(one for one, text in copied.memories.items() if text.startswith("Service 41 "))
    flip_in(copied.database, copied.memories[wanted].encode())
    done = copied.open().admin.export(tmp_path / "out.jsonl")
    assert done.memories == len(copied.memories)
    assert wanted in done.skipped
