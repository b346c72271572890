"""Fields of other tools are kept and returned under their own names."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import InvalidInput
from waypost.flows.versions.row import memory_row
from waypost.memory import Memory
from waypost.model.draft import Draft
from waypost.model.kinds import LABELS

OpenMemory = Callable[..., Memory]
SEED = {
    "category": "architecture",
    "scope": "project",
    "entity": "FileUploadService",
    "artifact_type": "file",
    "artifact_ref": "storage.service.ts",
    "access_entity": "project:default_org/merlin",
}
TEXT = "createFileUploads uses S3 multipart uploads for large files"


def labels_shown(memory: Memory, memory_id: str) -> dict[str, object]:
    record = memory.show(memory_id)
    row = memory_row(record.version, record.state)
    return {name: row[name] for name in LABELS}


def remembered(memory: Memory, text: str = TEXT, **options: Any) -> str:
    receipt = memory.remember(text, **options)
    assert receipt.id
    return receipt.id


def test_every_label_comes_back_from_show_list_and_ask(open_memory: OpenMemory) -> None:
    memory = open_memory()
    memory_id = remembered(memory, **SEED)
    assert labels_shown(memory, memory_id) == SEED
    (listed,) = memory.list()
    assert {name: listed[name] for name in LABELS} == SEED
    (hit,) = memory.recall("how are large files uploaded?")
    assert {name: hit.to_json()[name] for name in LABELS} == SEED
    assert hit.entity == "FileUploadService"


def test_what_was_not_given_takes_no_room_and_is_null(open_memory: OpenMemory) -> None:
    memory = open_memory()
    memory_id = remembered(memory)
    assert labels_shown(memory, memory_id) == dict.fromkeys(LABELS)
    assert not memory.show(memory_id).version.details
    memory_id = remembered(memory, "Deploys run on Fridays", category="process")
    assert memory.show(memory_id).version.details == {"labels": {"category": "process"}}


def test_an_export_carries_them_to_another_memory(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory()
    memory_id = remembered(memory, **SEED)
    path = memory.admin.export(tmp_path / "all.jsonl").path
    other = open_memory("another")
    assert [receipt.status for receipt in other.admin.import_file(path)] == ["added"]
    assert labels_shown(other, memory_id) == SEED


def test_many_are_remembered_with_them(open_memory: OpenMemory) -> None:
    memory = open_memory()
    (receipt,) = memory.remember_many([{"text": TEXT, **SEED}])
    assert receipt.id
    assert labels_shown(memory, receipt.id) == SEED


def test_a_correction_keeps_them(open_memory: OpenMemory) -> None:
    memory = open_memory()
    memory_id = remembered(memory, **SEED)
    memory.correct(memory_id, "createFileUploads uses presigned URLs")
    assert labels_shown(memory, memory_id) == SEED


def test_a_merge_keeps_what_is_known_and_adds_what_is_new(open_memory: OpenMemory) -> None:
    memory = open_memory()
    first = remembered(memory, category="architecture", valid_from="2026-01-20")
    merged = memory.remember(TEXT, category="storage", entity="Uploader", valid_from="2026-01-10")
    assert (merged.status, merged.id) == ("merged", first)
    shown = labels_shown(memory, first)
    assert (shown["category"], shown["entity"]) == ("architecture", "Uploader")


def test_a_secret_in_a_label_is_masked(open_memory: OpenMemory) -> None:
    memory = open_memory()
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    receipt = memory.remember(TEXT, entity=f"uses {token}")
    assert receipt.id
    assert any("(entity)" in what for what in receipt.masked)
    assert token not in json.dumps(labels_shown(memory, receipt.id))


@pytest.mark.parametrize("wrong", ["two\nlines", "x" * 501, "", 7, ["a"], "bell\x07", "\ud800"])
def test_a_label_is_a_text_on_one_line(wrong: object) -> None:
    with pytest.raises(InvalidInput):
        Draft.of({"text": TEXT, "category": wrong})


def test_labels_do_not_make_the_same_words_another_memory(open_memory: OpenMemory) -> None:
    memory = open_memory()
    first = remembered(memory, category="architecture")
    again = memory.remember(TEXT, category="storage")
    assert (again.status, again.id) == ("duplicate", first)


@pytest.mark.parametrize("name", ["labels", "import_id", "stale_reason"])
def test_a_payload_cannot_set_what_only_an_import_may(name: str) -> None:
    with pytest.raises(InvalidInput, match="Unknown field"):
        Draft.of({"text": TEXT, name: "x"})
