"""A move that is cut off at any point is finished by the next one; until then the memory is where it was."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.flows.move.conftest import ADA, House, quiet, without_moves

from waypost.errors import Refused, StoreBusy, StoreError
from waypost.store.protocol import Writer
from waypost.store.tables import TABLES


class Cut(Exception):
    """The machine loses its power."""


class Counting:
    """Reports progress to nobody, and fails at one of its calls."""

    def __init__(self, at: int = 0) -> None:
        self.calls, self._at = 0, at
        self.phases = list[str]()

    def __call__(self, phase: str, done: int, total: int, note: str = "") -> None:
        self.calls += 1
        self.phases.append(f"{phase}: {note}")
        if self.calls == self._at:
            raise Cut


def run(house: House, direction: str, report: Callable[..., None]) -> str:
    return (house.there if direction == "there" else house.back)(report).status


@pytest.mark.parametrize("direction", ["there", "back"])
def test_a_move_that_is_cut_off_at_each_step_is_finished_by_the_next(house: House, direction: str) -> None:
    before = house.tables(house.files)
    if direction == "back":
        house.there()
    for where in (
        "Reading what there is: meta",
        "Copying: meta",
        "Copying: memories",
        "Copying: code_refs",
        "Copying: passages",
        "Copying: vectors",
        "Copying: audit",
        "Copying: shares",
        "Finishing: indexes",
        "Looking for what is new: files",
        "Checking the copy: states",
        "Checking the copy: shares",
        "Finishing: notes",
    ):
        with pytest.raises(Cut):
            run(house, direction, _cut_at(Counting(), where))
    assert run(house, direction, Counting()) == "moved"
    if direction == "there":
        house.back()
    assert without_moves(house.tables(house.files)) == before


def test_what_was_copied_is_not_copied_again(house: House) -> None:
    counting = Counting()
    with pytest.raises(Cut):
        house.there(_cut_at(counting, "Copying: edges"))
    again = Counting()
    assert house.there(again).resumed
    copied = [one for one in again.phases if one.startswith("Copying: ")]
    assert copied.index("Copying: edges") < copied.index("Copying: audit")
    # Of the tables before, nothing but a look whether they are as they should be.
    assert copied.count("Copying: passages") == 1


def test_nobody_uses_a_memory_that_has_not_arrived(house: House) -> None:
    with pytest.raises(Cut):
        house.there(_cut_at(Counting(), "Copying: vectors"))
    with pytest.raises(StoreError, match="is not complete yet") as told:
        house.memory(house.database)
    assert "waypost migrate" in told.value.remedy
    memory = house.memory(house.files)
    assert memory.remember("It is still used where it was").status == "added"


def test_what_was_written_meanwhile_is_not_lost(house: House) -> None:
    with pytest.raises(Cut):
        house.there(_cut_at(Counting(), "Copying: journal_places"))
    memory = house.memory(house.files)
    euros = memory.recall("euros and francs").hits[0].id
    memory.correct(euros, "Invoices are written in dollars")
    memory.remember("Said after the move was cut off")
    memory.forget(memory.recall("Nobody carries cash").hits[0].id)
    memory.journal.add("Another word")
    (house.root / "pay.py").write_text("def other():\n    return 1\n")
    memory.index()
    memory.close()
    before = house.tables(house.files)
    assert house.there().resumed
    house.back()
    assert without_moves(house.tables(house.files)) == before
    house.there()
    moved = house.memory(house.database)
    assert moved.recall("dollars").hits[0].id == euros
    assert moved.recall("after the move was cut off").hits
    assert not any("cash" in hit.text for hit in moved.recall("Nobody carries cash").hits)


def test_a_copy_that_differs_is_found_and_told(house: House) -> None:
    def spoil(table: str, change: Callable[[Writer], None]) -> Callable[..., None]:
        done = list[str]()

        def report(phase: str, _done: int, _total: int, note: str = "") -> None:
            if (phase, note) == ("Finishing", "indexes") and not done:
                done.append(table)
                house.write(house.database, change)

        return report

    def one_letter(writer: Writer) -> None:
        table = TABLES["memories"]
        row = writer.tables().rows(table, None, 1)[0]
        writer.tables().put(table, [(*row[:4], row[4] + "!", *row[5:])])

    def one_vector(writer: Writer) -> None:
        table = TABLES["vectors"]
        writer.tables().drop(table, [writer.tables().rows(table, None, 1)[0][:1]])

    before = house.tables(house.files)
    with pytest.raises(StoreError, match="memories: other contents"):
        house.there(spoil("memories", one_letter))
    with pytest.raises(StoreError, match=r"vectors: \d+ rows, not \d+"):
        house.there(spoil("vectors", one_vector))
    assert house.tables(house.files) == before
    house.memory(house.files).close()
    assert house.there().status == "moved"
    house.back()
    assert without_moves(house.tables(house.files)) == before


@pytest.mark.parametrize("direction", ["there", "back"])
def test_a_copy_that_arrived_is_not_taken_for_the_memory_that_went_on(house: House, direction: str) -> None:
    ends = [house.files, house.database]
    if direction == "back":
        house.there()
        ends.reverse()
    with pytest.raises(Cut):
        run(house, direction, _cut_at(Counting(), "Finishing: source"))
    memory = house.memory(ends[0])
    memory.remember("Written because nobody knew that the copy had arrived")
    memory.close()
    before = house.tables(ends[0])
    with pytest.raises(Refused, match="was written to since"):
        run(house, direction, Counting())
    assert house.tables(ends[0]) == before
    assert house.moving(ends[0], ends[1]).run(ADA, quiet, instead=True).status == "moved"
    texts = [row[4] for row in house.tables(ends[1])["memories"]]
    assert "Written because nobody knew that the copy had arrived" in texts


def test_a_copy_that_arrived_is_all_that_is_left_to_tell(house: House) -> None:
    for direction in ("there", "back"):
        with pytest.raises(Cut):
            run(house, direction, _cut_at(Counting(), "Finishing: place"))
        with pytest.raises(Cut):
            run(house, direction, Counting(1))
        assert run(house, direction, Counting()) == "moved"
        assert run(house, direction, Counting()) == "already"


def test_it_is_read_and_written_while_it_is_copied_and_nothing_is_lost(house: House) -> None:
    # Forgetting waits for who reads, as the copy does; what it could not clean then it cleans later.
    memory = house.memory(replace(house.files, busy_timeout_seconds=0.01))
    written = list[str]()

    def work(phase: str, _done: int, _total: int, note: str = "") -> None:
        if phase == "Copying" and note in ("memories", "edges", "shares") and note not in written:
            written.append(note)
            euros = memory.recall("euros francs dollars").hits[0].id
            memory.correct(euros, f"Invoices are written in dollars and {note}")
            memory.remember(f"Said while the {note} were copied")
            memory.forget(str(memory.remember(f"Soon forgotten {note}").id))

    assert house.there(work).status == "moved"
    assert written == ["memories", "edges", "shares"]
    moved = house.memory(house.database)
    for note in written:
        assert moved.recall(f"Said while the {note} were copied").hits[0].text == f"Said while the {note} were copied"
    assert moved.recall("Invoices dollars").hits[0].text == "Invoices are written in dollars and shares"
    assert not any("forgotten" in row[4] for row in house.tables(house.database)["memories"])


def test_nobody_writes_while_it_is_checked(house: House) -> None:
    impatient = house.memory(replace(house.files, busy_timeout_seconds=0.01))
    told = list[str]()

    def work(phase: str, _done: int, _total: int, note: str = "") -> None:
        if (phase, note) == ("Finishing", "notes"):
            assert impatient.list()
            with pytest.raises(StoreBusy) as error:
                impatient.remember("Too late for the copy")
            told.append(error.value.remedy)

    house.there(work)
    assert "nothing was lost" in told[0]


def _cut_at(counting: Counting, where: str) -> Callable[..., None]:
    def report(phase: str, done: int, total: int, note: str = "") -> None:
        counting(phase, done, total, note)
        if f"{phase}: {note}" == where:
            raise Cut

    return report
