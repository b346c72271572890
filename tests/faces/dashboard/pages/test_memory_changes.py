"""Putting a memory right: each change, who may make it, and how it is undone."""

from dataclasses import replace

import pytest
from tests.faces.dashboard.conftest import AGENT, READER, Browse, Browser, Sample

from waypost import Memory
from waypost.errors import NotFound
from waypost.model.memory import Caller

ACTIONS = ("correct", "retract", "reject", "restore", "protect", "verify", "relink", "promote", "ttl", "forget")


@pytest.fixture
def browser(sample: Sample, browse: Browse) -> Browser:
    return browse(sample.memory)


def id_in(address: str) -> str:
    return address.partition("/memory/")[2].partition("?")[0]


@pytest.mark.slow
def test_a_correction_is_told_and_keeps_the_history(sample: Sample, browser: Browser) -> None:
    to = browser.post(f"memory/{sample['tagged']}/correct", text="Cards are charged at most once.")
    assert to == f"/s/{sample.memory.identity.space_id}/memory/{sample['tagged']}?told=corrected"
    text = browser.client.get(to).text
    assert "Corrected. History keeps the old text." in text
    shown = sample.memory.show(sample["tagged"]).version
    assert (shown.text, shown.source, shown.actor) == ("Cards are charged at most once.", "person", "ada")


def test_an_earlier_version_is_restored_as_its_author_said_it(sample: Sample, browser: Browser) -> None:
    place = f"memory/{sample['corrected']}"
    assert "Restore this version" in browser.get(place)
    first = sample.memory.history(sample["corrected"]).versions[0]
    browser.post(f"{place}/restore", before=str(first.number))
    back = sample.memory.show(sample["corrected"]).version
    assert (back.text, back.source, back.actor) == ("Deploys run on Fridays.", first.source, first.actor)
    for wrong in ("999999", "first"):
        browser.post(f"{place}/restore", 404, before=wrong)


def test_a_correction_never_writes_over_one_that_was_not_seen(sample: Sample, browser: Browser) -> None:
    seen = str(sample.memory.show(sample["tagged"]).version.number)
    sample.memory.correct(sample["tagged"], "Cards are charged by the bank.")
    place = f"memory/{sample['tagged']}/correct"
    assert "Someone has changed it" in browser.post(place, 409, text="Cards are charged twice.", seen=seen)
    assert sample.memory.show(sample["tagged"]).version.text == "Cards are charged by the bank."


def test_an_empty_correction_is_refused(sample: Sample, browser: Browser) -> None:
    browser.post(f"memory/{sample['tagged']}/correct", 400, text="  ")
    assert sample.memory.show(sample["tagged"]).version.text.startswith("Cards")


@pytest.mark.parametrize(("action", "says"), [("retract", "It was retracted."), ("reject", "It was rejected")])
def test_what_was_taken_back_or_rejected_can_be_brought_back(
    sample: Sample, browser: Browser, action: str, says: str
) -> None:
    place, before = f"memory/{sample['tagged']}", sample.memory.show(sample["tagged"]).version
    browser.post(f"{place}/{action}")
    with pytest.raises(NotFound):
        sample.memory.show(sample["tagged"])
    text = browser.get(place)
    assert says in text
    assert "estore it" in text
    assert id_in(browser.post(f"{place}/restore")) == sample["tagged"]
    back = sample.memory.show(sample["tagged"]).version
    assert replace(back, recorded_at=before.recorded_at, number=before.number) == before


def test_what_points_at_code_points_there_again_when_it_is_brought_back(sample: Sample, browser: Browser) -> None:
    pinned = sample.memory.show(sample["fresh"]).version.refs
    browser.post(f"memory/{sample['fresh']}/retract")
    assert id_in(browser.post(f"memory/{sample['fresh']}/restore")) == sample["fresh"]
    assert sample.memory.show(sample["fresh"]).version.refs == pinned


@pytest.mark.slow
def test_what_is_held_cannot_be_brought_back(sample: Sample, browser: Browser) -> None:
    assert "still holds" in browser.post(f"memory/{sample['tagged']}/restore", 400)


def test_restoring_is_not_offered_for_what_was_replaced_or_forgotten(sample: Sample, browser: Browser) -> None:
    old = sample["tagged"]
    sample.memory.remember("Cards are charged by the shop.", replaces=old, valid_from="2000-01-01")
    assert "/restore" not in browser.get(f"memory/{old}").partition("<h2>History")[0]
    browser.post(f"memory/{old}/restore", 400)
    sample.memory.forget(old)
    browser.get(f"memory/{old}", 404)
    browser.post(f"memory/{old}/restore", 404)


def test_verified_is_shown_once_somebody_has_verified_it(sample: Sample, browser: Browser) -> None:
    place = f"memory/{sample['fresh']}"
    assert "<dt>Verified</dt>" not in browser.get(place)
    browser.post(f"{place}/verify")
    assert "<dt>Verified</dt>" in browser.get(place)


def test_who_proposed_what_a_person_approved_is_shown(sample: Sample, browser: Browser) -> None:
    agent = Memory.open(sample.root, caller=Caller("agent", "claude-code"), clock=sample.memory.space.clock)
    proposed = str(agent.remember("Cards are charged on delivery.", replaces=sample["tagged"]).id)
    page = browser.get("review")
    assert "Instead of" in page
    assert "Cards are charged once, never twice." in page
    browser.post("review/approve", only=proposed)
    assert "an agent, claude-code; approved by a person" in browser.get(f"memory/{proposed}")
    browser.post(f"memory/{proposed}/reject")
    assert sample.memory.show(sample["tagged"]).version.text == "Cards are charged once, never twice."


def test_a_proposed_retraction_is_approved_or_rejected_but_not_edited(sample: Sample, browser: Browser) -> None:
    agent = Memory.open(sample.root, caller=Caller("agent", "claude-code"), clock=sample.memory.space.clock)
    receipt = agent.retract(sample["tagged"])
    assert receipt is not None
    page = browser.get("review")
    assert "retracted: no longer true" in page
    browser.post("review/edit", 400, only=str(receipt.id), text="Other words")
    browser.post("review/approve", only=str(receipt.id))
    with pytest.raises(NotFound):
        sample.memory.show(sample["tagged"])


def test_protection_begins_and_ends(sample: Sample, browser: Browser) -> None:
    place = f"memory/{sample['tagged']}"
    browser.post(f"{place}/protect", on="1")
    assert sample.memory.show(sample["tagged"]).state.protected
    assert "Unprotect" in browser.get(place)
    browser.post(f"{place}/protect", on="0")
    assert not sample.memory.show(sample["tagged"]).state.protected


def test_a_stale_memory_is_verified(sample: Sample, browser: Browser) -> None:
    assert sample.memory.show(sample["stale"]).state.is_stale
    browser.post(f"memory/{sample['stale']}/verify")
    assert not sample.memory.show(sample["stale"]).state.is_stale


def test_a_memory_without_code_is_verified_too(sample: Sample, browser: Browser) -> None:
    browser.post(f"memory/{sample['lesson']}/verify")
    assert "verified a memory" in browser.get(f"memory/{sample['lesson']}")


def test_a_memory_is_pointed_at_other_code(sample: Sample, browser: Browser) -> None:
    browser.post(f"memory/{sample['stale']}/relink", refs="src/checkout.py#pay\r\n\r\nsrc/session.py#L1-L3")
    links = sample.memory.show(sample["stale"]).links
    assert [str(link.was.file_path) for link in links] == ["src/checkout.py", "src/session.py"]


def test_a_place_outside_of_the_project_is_refused(sample: Sample, browser: Browser) -> None:
    for place in ("../outside.py", "/etc/passwd", "src/../../x.py#L1", "file:///etc/passwd#L1-L2"):
        answer = browser.client.post(browser.address(f"memory/{sample['stale']}/relink"), data={"refs": place})
        assert answer.status_code in (400, 403)
    assert [link.was.file_path for link in sample.memory.show(sample["stale"]).links] == ["src/checkout.py"]


def test_a_fact_gets_another_place(sample: Sample, browser: Browser) -> None:
    browser.post(f"memory/{sample['lesson']}/promote", level="3", domain="build", module="ci", parent=sample["tagged"])
    version = sample.memory.show(sample["lesson"]).version
    assert (version.level, version.domain, version.module, version.parent) == (3, "build", "ci", sample["tagged"])


def test_a_place_that_makes_no_sense_is_refused(sample: Sample, browser: Browser) -> None:
    for wrong in ({"level": "9"}, {"level": "x"}, {"parent": "nonsense"}, {"domain": "d" * 501}):
        browser.post(f"memory/{sample['lesson']}/promote", 400, **{"level": "2", **wrong})


def test_a_lifetime_is_given_and_taken_away(sample: Sample, browser: Browser) -> None:
    place = f"memory/{sample['tagged']}"
    browser.post(f"{place}/ttl", span="3d", on_expire="archive")
    state = sample.memory.show(sample["tagged"]).state
    assert (state.ttl_seconds, state.on_expire) == (259_200, "archive")
    browser.post(f"{place}/ttl", **{"class": "architecture"})
    assert sample.memory.show(sample["tagged"]).state.ttl_class == "architecture"
    browser.post(f"{place}/ttl")
    assert sample.memory.show(sample["tagged"]).state.expires_at is None


def test_a_lifetime_that_makes_no_sense_is_refused(sample: Sample, browser: Browser) -> None:
    for wrong in ({"span": "for ever"}, {"span": "3d", "on_expire": "explode"}, {"class": "x"}):
        browser.post(f"memory/{sample['tagged']}/ttl", 400, **wrong)


@pytest.mark.slow
def test_forgetting_asks_first_and_says_what_is_beyond_reach(sample: Sample, browser: Browser) -> None:
    place = f"memory/{sample['tagged']}"
    asked = browser.get(f"{place}/forget")
    assert "This cannot be undone." in asked
    assert "the history of git repositories" in asked
    browser.post(f"{place}/forget", 400)
    assert sample.memory.show(sample["tagged"])
    done = browser.post(f"{place}/forget", 200, sure="1")
    assert "backups of this disk" in done
    browser.get(place, 404)
    assert "Cards are charged" not in browser.get("search", q="cards charged")


@pytest.mark.slow
@pytest.mark.parametrize("identity", [AGENT, READER], ids=["agent", "reader"])
def test_only_a_person_who_may_write_changes_anything(sample: Sample, browse: Browse, identity: object) -> None:
    browser = browse(sample.memory, identity)
    before = sample.memory.history(sample["stale"]), sample.memory.admin.audit()
    for action in ACTIONS:
        text = browser.post(f"memory/{sample['stale']}/{action}", 403, text="x", sure="1", level="2", span="1d")
        assert "Sign in with" in text
    browser.get(f"memory/{sample['stale']}/forget", 403)
    assert (sample.memory.history(sample["stale"]), sample.memory.admin.audit()) == before


@pytest.mark.slow
def test_a_change_to_what_is_not_there_is_not_found(browser: Browser) -> None:
    for action in ACTIONS:
        form = {"text": "x", "sure": "1", "level": "2", "span": "1d"}
        browser.post(f"memory/01k4282cm0y6pnb28x5k9kthph/{action}", 404, **form)
        browser.post(f"memory/nonsense/{action}", 404, **form)


@pytest.mark.slow
def test_looking_never_changes_anything(sample: Sample, browser: Browser) -> None:
    for action in ACTIONS:
        browser.get(f"memory/{sample['tagged']}/{action}", 200 if action == "forget" else 405)
    assert sample.memory.show(sample["tagged"])
