"""The overview: what wants attention first, what is in a memory, how it grew, what happened, how clean it is."""

import re

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.faces.dashboard.conftest import Browse, Sample

from waypost import Memory
from waypost.model.memory import Caller


def test_what_wants_attention_leads_to_where_it_is_put_right(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get()
    assert "1 memory is stale" in text
    assert "2 facts to review." in text
    assert "Maintenance is 151 days late." in text
    assert "1 memory expired." in text
    for section in ("stale", "review"):
        assert f'href="/s/{sample.memory.identity.space_id}/{section}">' in text


def test_growth_is_drawn_and_told_in_numbers(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get()
    assert "Memories over time, 2025-09-01 to 2026-01-30" in text
    assert "Journal from 0 to 18" in text


def test_collections_are_counted_and_lead_to_a_search_in_them(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get()
    assert re.search(r'scope=facts">Facts and decisions</a></td><td class="number">11<', text)
    assert re.search(r'scope=functions">Code symbols</a></td><td class="number">5<', text)


def test_recent_deeds_are_told_with_the_words_they_are_about(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get()
    assert "stored 3 memories" in text
    assert "From now on all reports are written in UTC." in text


@pytest.mark.slow
def test_deeds_about_what_was_forgotten_have_no_words(sample: Sample, browse: Browse, clock: TestClock) -> None:
    kept = sample.memory.remember("The spare key is in the drawer.").id
    assert kept is not None
    sample.memory.forget(kept)
    text = browse(sample.memory).get()
    assert "deleted a memory permanently" in text
    assert "drawer" not in text


@pytest.mark.slow
def test_the_state_of_cleaning_up_is_told(sample: Sample, browse: Browse) -> None:
    assert re.search(r"Archived</dt><dd>0 memories", browse(sample.memory).get())
    sample.memory.admin.maintain(force=True)
    text = browse(sample.memory).get()
    assert re.search(r"Archived</dt><dd>1 memory", text)
    assert "Last run</dt><dd>just now" in text
    assert "late" not in text


@pytest.mark.slow
def test_everything_is_checked_when_asked_for(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert "It is sound." not in browser.get()
    assert "It is sound." in browser.get(check="1")


@pytest.mark.slow
def test_all_memories_of_the_machine_are_there_with_their_health(
    sample: Sample, browse: Browse, open_memory: OpenMemory
) -> None:
    other = open_memory("other")
    other.remember("Another project.")
    text = browse(sample.memory).get()
    assert f'href="/s/{other.identity.space_id}">other</a>' in text
    told = re.search(r"<strong>(\d+)</strong><span>memories</span>", text)
    assert told
    row = text.partition("Memories on this machine</h2>")[2].partition("this one")[2]
    assert f'<td class="number">{told[1]}</td>' in row.partition("</tr>")[0], "read out of the tree is not remembered"
    assert "1 to review" not in text
    assert "2 to review" in text


@pytest.mark.slow
def test_a_memory_whose_tree_is_gone_breaks_nothing(sample: Sample, browse: Browse, open_memory: OpenMemory) -> None:
    other = open_memory("other")
    other.remember("Another project.")
    other.code.root.rmdir()
    assert ">other</a>" in browse(sample.memory).get()


@pytest.mark.slow
def test_a_persons_memory_has_no_tree_and_is_shown_as_well(sample: Sample, browse: Browse, clock: TestClock) -> None:
    own = Memory.open(caller=Caller("person", "ada"), person="ada", clock=clock)
    kept = own.remember("I like short answers.").id
    client = browse(sample.memory).client
    for path in ("", "/search", f"/memory/{kept}", "/context?task=answers"):
        answer = client.get(f"/s/{own.identity.space_id}{path}")
        assert answer.status_code == 200, path
        assert "I like short answers." in answer.text


def test_a_fresh_memory_says_what_to_do(person: Memory, browse: Browse) -> None:
    text = browse(person).get()
    assert "No memories yet." in text
    assert "waypost init" in text
    assert "Nothing to draw yet." in text
