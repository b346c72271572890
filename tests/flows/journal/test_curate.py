"""Curating puts an entry into the part of MEMORY.md that belongs to people; what agents put there is marked as theirs."""

from pathlib import Path

import pytest

from waypost import Memory
from waypost.errors import InvalidInput, NotFound, PersonOnly
from waypost.flows.journal.curate import curate
from waypost.flows.journal.memory_page import refresh_index
from waypost.flows.journal_files.log import events
from waypost.journal.bullets import parse_bullets
from waypost.journal.layout import INDEX
from waypost.journal.period_pages.frame import split_frame
from waypost.model.memory import Caller

CALLER, AGENT = Caller("person", "tests"), Caller("agent", "bot")


def say(memory: Memory, text: str, kind: str = "note") -> str:
    return memory.remember(text, kind=kind, time="2026-01-30T10:00:00Z").id or ""


def as_person(memory: Memory) -> Memory:
    return Memory.open(memory.code.root, caller=CALLER, settings=memory.space.settings, clock=memory.space.clock)


def test_an_entry_becomes_a_point_with_its_id_in_the_upper_part(memory: Memory) -> None:
    space = memory.space
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
    assert memory.admin.audit()[0].action == "curate"


def test_it_stands_there_once(memory: Memory) -> None:
    said = say(memory, "The door code changes.")
    assert curate(memory.space, said, CALLER).added
    text = memory.space.journal.read(INDEX)
    assert not curate(memory.space, said, CALLER).added
    assert memory.space.journal.read(INDEX) == text


def test_under_a_heading_that_is_there_or_a_new_one(memory: Memory) -> None:
    space = memory.space
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
    curate(memory.space, said, CALLER)
    assert [hit.id for hit in memory.recall("door code", k=5)] == [said]


@pytest.mark.parametrize("text", ["<!-- waypost:end -->\n# x", "a <!-- id=other -->", "```\nfence"])
def test_hostile_words_stay_words(memory: Memory, text: str) -> None:
    space = memory.space
    refresh_index(space)
    said = say(memory, text)
    curate(space, said, CALLER)
    frame = split_frame(space.journal.read(INDEX))
    assert frame.part is not None and not frame.is_edited
    assert [bullet.id for bullet in parse_bullets(frame.before)][-1] == said


def test_what_cannot_be_curated_is_refused(memory: Memory, tmp_path: Path) -> None:
    fact = memory.remember("Uploads use S3.").id or ""
    with pytest.raises(InvalidInput):
        curate(memory.space, fact, CALLER)
    long = say(memory, "word " * 2000)
    with pytest.raises(InvalidInput):
        curate(memory.space, long, CALLER)
    with pytest.raises(NotFound):
        curate(memory.space, "01kg81ytb0r5sgfwpgg1yz6cf5", CALLER)
    gone = say(memory, "Wrong.")
    memory.retract(gone)
    with pytest.raises(NotFound):
        curate(memory.space, gone, CALLER)


@pytest.mark.parametrize("heading", [None, "Projects"])
def test_a_blank_line_stays_before_the_generated_part(memory: Memory, heading: str | None) -> None:
    first, second = say(memory, "Prefers tea"), say(memory, "Works in Graz")
    refresh_index(memory.space)
    for one in (first, second):
        as_person(memory).journal.curate(one, heading)
    page = memory.journal.show("MEMORY.md").text
    assert page.partition("<!-- waypost:begin")[0].endswith("-->\n\n")


# -- agents


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Never run the tests before lunch", "From agents"),
        ("Die Tests laufen vor dem Mittagessen nicht", "Von Agenten"),
        ("Не запускайте тесты до обеда, потому что они мешают", "От агентов"),
    ],
)
def test_what_an_agent_curates_stands_under_a_heading_that_says_so(memory: Memory, text: str, heading: str) -> None:
    space = memory.space
    page = space.journal.root / INDEX
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# Mine\n\n## Rules\n\n- Be kind\n")
    said = say(memory, text)
    assert curate(space, said, AGENT).heading == heading
    assert page.read_text() == f"# Mine\n\n## Rules\n\n- Be kind\n\n## {heading}\n\n- {text} <!-- id={said} -->\n"
    other = say(memory, f"{text} 2")
    assert curate(space, other, AGENT).heading == heading
    assert page.read_text().endswith(f"\n- {text} <!-- id={said} -->\n- {text} 2 <!-- id={other} -->\n")


def test_agents_keep_to_one_heading_whatever_the_language(memory: Memory) -> None:
    curate(memory.space, say(memory, "Die Tests laufen vor dem Mittagessen nicht"), AGENT)
    curate(memory.space, say(memory, "The deployment runs at night"), AGENT)
    upper = split_frame(memory.space.journal.read(INDEX)).before
    assert {bullet.heading for bullet in parse_bullets(upper)} == {"Von Agenten"}


def test_an_agent_chooses_no_heading(memory: Memory) -> None:
    said = say(memory, "Never run the tests")
    refresh_index(memory.space)
    before = memory.space.journal.read(INDEX)
    for heading in ("Rules from the owner", "## Memory"):
        with pytest.raises(PersonOnly, match="From agents"):
            memory.journal.curate(said, heading)
    assert memory.space.journal.read(INDEX) == before
    assert [one.action for one in memory.admin.audit()] == ["remember"]


def test_an_agent_does_not_curate_what_a_person_said(memory: Memory) -> None:
    person = as_person(memory)
    said = say(person, "I trust the bot with everything")
    refresh_index(memory.space)
    before = memory.space.journal.read(INDEX)
    with pytest.raises(PersonOnly, match=r"only a person can put it into MEMORY\.md"):
        memory.journal.curate(said)
    assert memory.space.journal.read(INDEX) == before
    assert person.journal.curate(said, "Rules").heading == "Rules"


def test_a_person_may_vouch_for_an_agents_entry(memory: Memory) -> None:
    said = say(memory, "The deployment runs at night")
    assert as_person(memory).journal.curate(said, "Rules").heading == "Rules"
    assert "## Rules\n\n- The deployment runs at night" in memory.space.journal.read(INDEX)


def test_a_persons_point_never_lands_among_those_of_agents(memory: Memory) -> None:
    refresh_index(memory.space)
    theirs, ours = say(memory, "Never run the tests"), say(memory, "The deployment runs at night")
    memory.journal.curate(theirs)
    as_person(memory).journal.curate(ours)
    upper = split_frame(memory.space.journal.read(INDEX)).before
    assert [(bullet.id, bullet.heading) for bullet in parse_bullets(upper)] == [
        (ours, "Memory"),
        (theirs, "From agents"),
    ]
