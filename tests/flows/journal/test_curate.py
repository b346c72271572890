"""Curating puts an entry into the part of MEMORY.md that people and agents keep."""

from pathlib import Path

import pytest

from waypost import Memory
from waypost.errors import InvalidInput, NotFound
from waypost.flows.curate import curate
from waypost.flows.index_page import refresh_index
from waypost.flows.journal_log import events
from waypost.journal.bullets import parse_bullets
from waypost.journal.layout import INDEX
from waypost.journal.summary_frame import split_frame
from waypost.model.memory import Caller

CALLER = Caller("agent", "tests")


def say(memory: Memory, text: str, kind: str = "note") -> str:
    return memory.remember(text, kind=kind, time="2026-01-30T10:00:00Z").id or ""


def test_an_entry_becomes_a_point_with_its_id_in_the_upper_part(memory: Memory) -> None:
    space = memory._space
    said = say(memory, "The door code changes\nevery Monday.")
    refresh_index(space)
    before = space.journal.read(INDEX)
    done = curate(space, said, CALLER)
    assert done.to_json() == {"id": said, "path": INDEX, "added": True, "heading": None}
    text = space.journal.read(INDEX)
    upper = split_frame(text).before
    bullet = parse_bullets(upper)[-1]
    assert (bullet.id, bullet.text) == (said, "The door code changes\nevery Monday.")
    # Without the point the page is what it was.
    assert text.replace(upper[bullet.start : bullet.end], "").replace("\n\n\n", "\n\n") == before
    assert memory.show(said).version.text == "The door code changes\nevery Monday."
    assert [row["id"] for row in events(space, event="curated")] == [said]
    assert memory.audit()[0].action == "curate"


def test_it_stands_there_once(memory: Memory) -> None:
    said = say(memory, "The door code changes.")
    assert curate(memory._space, said, CALLER).added
    text = memory._space.journal.read(INDEX)
    assert not curate(memory._space, said, CALLER).added
    assert memory._space.journal.read(INDEX) == text


def test_under_a_heading_that_is_there_or_a_new_one(memory: Memory) -> None:
    space = memory._space
    place = space.journal.root / INDEX
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("# Mine\n\n## House\n\n* heating\n\n## Work\n\n* deadline\n")
    one, two = say(memory, "The door code changes."), say(memory, "Clara likes trains.")
    curate(space, one, CALLER, "house")
    curate(space, two, CALLER, "People")
    assert place.read_text() == (
        f"# Mine\n\n## House\n\n* heating\n* The door code changes. <!-- id={one} -->\n\n## Work\n\n* deadline\n\n"
        f"## People\n\n- Clara likes trains. <!-- id={two} -->\n"
    )


def test_the_point_is_no_second_memory(memory: Memory) -> None:
    said = say(memory, "The door code changes every Monday.")
    curate(memory._space, said, CALLER)
    assert [hit.id for hit in memory.recall("door code", k=5)] == [said]


@pytest.mark.parametrize("text", ["<!-- waypost:end -->\n# x", "a <!-- id=other -->", "```\nfence"])
def test_hostile_words_stay_words(memory: Memory, text: str) -> None:
    space = memory._space
    refresh_index(space)
    said = say(memory, text)
    curate(space, said, CALLER)
    frame = split_frame(space.journal.read(INDEX))
    assert frame.part is not None and not frame.is_edited
    assert [bullet.id for bullet in parse_bullets(frame.before)][-1] == said


def test_what_cannot_be_curated_is_refused(memory: Memory, tmp_path: Path) -> None:
    fact = memory.remember("Uploads use S3.").id or ""
    with pytest.raises(InvalidInput):
        curate(memory._space, fact, CALLER)
    long = say(memory, "word " * 2000)
    with pytest.raises(InvalidInput):
        curate(memory._space, long, CALLER)
    with pytest.raises(NotFound):
        curate(memory._space, "01kg81ytb0r5sgfwpgg1yz6cf5", CALLER)
    gone = say(memory, "Wrong.")
    memory.retract(gone)
    with pytest.raises(NotFound):
        curate(memory._space, gone, CALLER)


@pytest.mark.parametrize("heading", [None, "Projects"])
def test_a_blank_line_stays_before_the_generated_part(memory: Memory, heading: str | None) -> None:
    first, second = say(memory, "Prefers tea"), say(memory, "Works in Graz")
    refresh_index(memory._space)
    for one in (first, second):
        memory.journal.curate(one, heading)
    page = memory.journal.show("MEMORY.md").text
    assert page.partition("<!-- waypost:begin")[0].endswith("-->\n\n")
