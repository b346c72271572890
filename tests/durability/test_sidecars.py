"""Sidecar files only make things faster: torn, missing, foreign or out of date, the answers stay those of the database."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import OpenMemory
from tests.durability.conftest import Cast

from waypost import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

QUESTION = "Which port does the billing server use?"
SUBJECTS = ("billing", "search", "mail", "login", "backup", "report", "queue", "cache")


def fill(memory: Memory, count: int, start: int = 0) -> None:
    memory.remember_many(
        [
            {"text": f"The {SUBJECTS[n % 8]} server {n} uses port {n * 13 % 997}", "kind": "note"}
            for n in range(start, start + count)
        ]
    )


def answers(memory: Memory) -> list[tuple[str, float]]:
    return [(hit.id, round(hit.score, 6)) for hit in memory.recall(QUESTION, k=20)]


def sidecars(memory: Memory) -> list[Path]:
    return sorted(memory.space.folder.glob("vectors-*.bin"))


@pytest.fixture
def low_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.store.sqlite.vectors._SIDECAR_FROM", 32)


@pytest.fixture
def with_sidecar(open_memory: OpenMemory, low_threshold: None) -> Memory:
    memory = open_memory()
    fill(memory, 100)
    answers(memory)
    assert len(sidecars(memory)) == 1
    return memory


HEADER = struct.Struct("<8sQQQQ")  # magic, rows, dimensions, last id, checksum


def _header(content: bytes, **changes: int) -> bytes:
    magic, *values = HEADER.unpack(content[: HEADER.size])
    said = dict(zip(("rows", "dimensions", "last", "checksum"), values, strict=True)) | changes
    return HEADER.pack(magic, *said.values()) + content[HEADER.size :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "shorter than its header": lambda content: content[:20],
    "nothing but its header": lambda content: content[: HEADER.size],
    "cut in half": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "with a byte too many": lambda content: content + b"\0",
    "of zeros": lambda content: bytes(len(content)),
    "of noise": lambda content: bytes(n * 37 % 251 for n in range(len(content))),
    "of another dimension": lambda content: _header(content, dimensions=32),
    "with another last id": lambda content: _header(content, last=77),
    "with a count beyond all memory": lambda content: _header(content, rows=2**60),
    "with its middle lost": lambda content: content[:2000] + bytes(8192) + content[2000 + 8192 :],
    "with its ids lost": lambda content: content[:40] + bytes(600) + content[640:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_sidecar_is_ignored(with_sidecar: Memory, damage: Callable[[bytes], bytes]) -> None:
    right = answers(with_sidecar)
    (path,) = sidecars(with_sidecar)
    with_sidecar.close()
    path.write_bytes(damage(path.read_bytes()))
    assert answers(with_sidecar) == right


def test_a_newest_generation_that_is_damaged_does_not_hide_an_older_whole_one(with_sidecar: Memory) -> None:
    right = answers(with_sidecar)
    (path,) = sidecars(with_sidecar)
    with_sidecar.close()
    path.with_name(path.name.replace("100", "999")).write_bytes(b"torn")
    assert answers(with_sidecar) == right


def test_a_generation_removed_while_it_is_mapped_still_answers(with_sidecar: Memory) -> None:
    with_sidecar.close()
    right = answers(with_sidecar)  # mapped now
    (path,) = sidecars(with_sidecar)
    path.unlink()
    assert answers(with_sidecar) == right
    fill(with_sidecar, 40, start=100)  # enough for the next generation, made from the mapped one
    whole = answers(with_sidecar)
    assert sidecars(with_sidecar)
    with_sidecar.close()
    assert answers(with_sidecar) == whole


def test_a_sidecar_that_is_ahead_of_the_database_is_not_believed(with_sidecar: Memory, open_memory: OpenMemory) -> None:
    """A database put back from a backup, beside the sidecar of its later self."""
    (path,) = sidecars(with_sidecar)
    other = open_memory("other")
    fill(other, 60)
    right_texts = [hit.text for hit in other.recall(QUESTION, k=20)]
    other.close()
    (other.space.folder / path.name).write_bytes(path.read_bytes())
    assert [hit.text for hit in other.recall(QUESTION, k=20)] == right_texts
    fill(other, 60, start=400)  # takes ids that the foreign sidecar also has
    found = answers(other)
    other.close()
    for left in sidecars(other):
        left.unlink()
    assert answers(other) == found


def test_a_generation_that_another_process_has_written_is_taken_over_and_not_written_again(
    project: Path, cast: Cast
) -> None:
    """Else each of ten servers would hold a copy of all vectors, in a file that the next one has removed."""
    writer, other = cast("serve", project, 32), cast("serve", project, 32)
    for server in (writer, other):
        server.wait_ready()
    folder, generations = Memory.open(project).space.folder, set()
    for number in range(100):
        writer.ask("remember", text=f"The {SUBJECTS[number % 8]} server {number} uses port {number}", kind="note")
        right = writer.ask("recall", question=QUESTION, k=20)  # the first to see the new one
        written = {path.name: path.stat().st_ino for path in folder.glob("vectors-*.bin")}
        assert other.ask("recall", question=QUESTION, k=20) == right
        assert {path.name: path.stat().st_ino for path in folder.glob("vectors-*.bin")} == written
        generations |= set(written)
    assert len(generations) > 1


def test_a_damaged_generation_of_another_process_is_not_taken_over(project: Path, cast: Cast) -> None:
    writer, other = cast("serve", project, 32), cast("serve", project, 32)
    for server in (writer, other):
        server.wait_ready()
    writer.ask("remember", text="The billing server uses port 8080", kind="note")
    other.ask("recall", question=QUESTION)  # has a tail from now on, and no generation
    for number in range(40):
        writer.ask("remember", text=f"The {SUBJECTS[number % 8]} server {number} uses port {number}", kind="note")
    right = writer.ask("recall", question=QUESTION, k=20)
    (path,) = Memory.open(project).space.folder.glob("vectors-*.bin")
    torn = path.read_bytes()[:-1]
    path.unlink()  # the writer has it mapped
    path.write_bytes(torn)
    assert other.ask("recall", question=QUESTION, k=20) == right
    assert [one.read_bytes() == torn for one in path.parent.glob("vectors-*.bin")] == [False]


def test_what_was_written_one_by_one_is_found_as_what_was_written_at_once(open_memory: OpenMemory) -> None:
    memory = open_memory()
    for number in range(40):
        fill(memory, 1, start=number)
        found = answers(memory)  # reads one more row
    memory.close()
    assert answers(memory) == found


def test_the_vector_of_what_another_process_forgot_is_in_no_later_generation(
    project: Path, cast: Cast, low_threshold: None
) -> None:
    keeper, forgetter = cast("serve", project, 32), cast("serve", project, 32)
    for server in (keeper, forgetter):
        server.wait_ready()
    doomed = keeper.ask("remember", text="The vault opens with the quixzanthal key")["id"]
    for number in range(40):
        keeper.ask("remember", text=f"The {SUBJECTS[number % 8]} server {number} uses port {number}", kind="note")
    keeper.ask("recall", question=QUESTION)
    assert keeper.ask("sidecars")
    assert forgetter.ask("forget", memory_id=doomed)
    assert forgetter.ask("sidecars") == []
    for number in range(40, 110):
        keeper.ask("remember", text=f"The {SUBJECTS[number % 8]} server {number} uses port {number}", kind="note")
    keeper.ask("recall", question=QUESTION)
    folder = Memory.open(project).space.folder
    (generation,) = folder.glob("vectors-*.bin")
    rows = HEADER.unpack(generation.read_bytes()[: HEADER.size])[1]
    assert rows == 110  # all but the forgotten one


def test_three_processes_find_each_others_newest_words_by_meaning(project: Path, cast: Cast) -> None:
    servers = [cast("serve", project, 16) for _ in range(3)]
    for server in servers:
        server.wait_ready()
    generations = set()
    for turn in range(60):
        text = f"{SUBJECTS[turn % 8]}{turn} workers restart nightly"
        servers[turn % 2].ask("remember", text=text)
        # The question shares no whole word with the text, so only its vector can find it.
        asked = f"{SUBJECTS[turn % 8]}{turn}s worker restarts"
        assert servers[2].ask("recall", question=asked, k=3)[0] == text
        assert servers[1 - turn % 2].ask("recall", question=asked, k=3)[0] == text
        generations |= set(servers[2].ask("sidecars"))
    assert len(generations) > 1  # the control: several generations came and went meanwhile
    scores = [server.ask("scores", question="mail workers", k=10) for server in servers]
    assert scores[0] == scores[1] == scores[2]
    assert servers[0].ask("problems") == []
