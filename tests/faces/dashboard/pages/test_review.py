"""Review of proposed facts."""

import re

import pytest
from tests.conftest import TestClock
from tests.faces.dashboard.conftest import HOSTILE, READER, Browse, Sample

from waypost import Memory
from waypost.flows.facts.candidates import take
from waypost.model.candidate import Candidate


def propose(sample: Sample, *candidates: Candidate) -> list[str]:
    """Let only these candidates wait, and return their ids, surest first."""
    sample.memory.facts.reject(waiting(sample))
    take(sample.memory.space, candidates)
    return waiting(sample)


def waiting(sample: Sample) -> list[str]:
    return [row.candidate_id for row, _ in sample.memory.facts.review().candidates]


def texts(sample: Sample) -> list[str]:
    return [one.text for _, one in sample.memory.facts.review().candidates]


PAGED = Candidate(
    "Orders are paged by fifty.", 0.7, "git_diff", level=2, domain="orders", refs=("src/checkout.py",),
    evidence=("commit 1a2b3c4: Page orders",), reason="A limit was added.",
)  # fmt: skip
NIGHTLY = Candidate("Backups run every night at two.", 0.6, "commit_message", kind="decision")


def test_a_candidate_shows_all_that_is_needed_to_decide(sample: Sample, browse: Browse) -> None:
    propose(sample, PAGED)
    page = browse(sample.memory).get("review")
    for part in (
        "Orders are paged by fifty.", "70%", "from a change", "commit 1a2b3c4: Page orders", "A limit was added.",
        "a fact under your name, about a module, in orders", "/code/src/checkout.py",
    ):  # fmt: skip
        assert part in page


def test_what_is_known_of_the_same_stands_beside_it(sample: Sample, browse: Browse) -> None:
    known = sample.memory.remember("Orders are paged by fifty rows since March.").id
    propose(sample, PAGED)
    page = browse(sample.memory).get("review")
    assert "Most similar" in page
    assert f"/memory/{known}" in page


def test_approving_makes_it_a_memory_on_the_persons_word_and_goes_to_the_next(sample: Sample, browse: Browse) -> None:
    first, second, *_ = propose(sample, PAGED, NIGHTLY)
    to = browse(sample.memory).post("review/approve", only=first)
    assert f"at={second}" in to
    assert "told=approved" in to
    assert sample.memory.show(first).version.source == "person"
    assert first not in waiting(sample)
    page = browse(sample.memory).get("review", at=second)
    assert re.search(rf'id="c-{second}" tabindex="0" autofocus', page)


def test_after_the_last_one_the_one_before_is_next(sample: Sample, browse: Browse) -> None:
    ids = propose(sample, PAGED, NIGHTLY)
    assert f"at={ids[-2]}" in browse(sample.memory).post("review/approve", only=ids[-1])


def test_many_are_approved_at_once_and_those_that_are_gone_are_left(sample: Sample, browse: Browse) -> None:
    ids = propose(sample, PAGED, NIGHTLY)
    browse(sample.memory).post("review/approve", id=[*ids, "01kt17kja05te3ezezcdjqd9p3"])
    assert waiting(sample) == []
    assert sample.memory.show(ids[0]).version.text == "Orders are paged by fifty."


def test_rejecting_one_keeps_it_from_being_proposed_again(sample: Sample, browse: Browse) -> None:
    first = propose(sample, PAGED)[0]
    browse(sample.memory).post("review/reject", only=first)
    assert first not in waiting(sample)
    propose(sample, PAGED)
    assert "Orders are paged by fifty." not in texts(sample)


def test_rejecting_many_asks_first(sample: Sample, browse: Browse) -> None:
    ids = propose(sample, PAGED, NIGHTLY)
    browser = browse(sample.memory)
    page = browser.post("review/reject", 200, id=ids)
    assert "will not be proposed again" in page
    assert "Orders are paged by fifty." in page
    assert waiting(sample) == ids
    browser.post("review/reject", id=ids, sure="1")
    assert waiting(sample) == []


def test_a_rejection_is_undone(sample: Sample, browse: Browse) -> None:
    ids = propose(sample, PAGED, NIGHTLY)
    browser = browse(sample.memory)
    to = browser.post("review/reject", id=ids, sure="1")
    told = browser.client.get(to).text.partition('role="status"')[2].partition("</div>")[0]
    assert "review/restore" in told
    assert all(one in told for one in ids)
    sample.memory.close()  # nothing of it is kept by the process
    assert "told=reconsidered" in browse(sample.memory).post("review/restore", id=ids)
    assert waiting(sample) == ids
    take(sample.memory.space, [PAGED])
    assert waiting(sample) == ids, "its words are not refused any more, and it waits once"


def test_what_was_rejected_long_ago_can_be_restored(sample: Sample, browse: Browse, clock: TestClock) -> None:
    first = propose(sample, PAGED)[0]
    browser = browse(sample.memory)
    browser.post("review/reject", only=first)
    clock.advance(days=40)
    assert "Orders are paged by fifty." in browser.get("review").partition("Recently rejected")[2]
    browser.post("review/restore", id=[first])
    assert waiting(sample) == [first]
    assert "told=nothing" in browser.post("review/restore", id=[first])
    browser.post("review/restore", 404, id=["01kt17kja05te3ezezcdjqd9p3"])


def test_forgetting_takes_the_words_of_a_rejection_away(sample: Sample, browse: Browse) -> None:
    first = propose(sample, PAGED)[0]
    browser = browse(sample.memory)
    browser.post("review/reject", only=first)
    sample.memory.forget(first)
    browser.post("review/restore", 404, id=[first])
    assert "Orders are paged by fifty." not in browser.get("review")


def test_other_words_are_approved_or_left_waiting(sample: Sample, browse: Browse) -> None:
    first, second, *_ = propose(sample, PAGED, NIGHTLY)
    browser = browse(sample.memory)
    to = browser.post("review/edit", only=first, text="Orders are paged by a hundred.", keep="1")
    assert f"at={first}" in to
    assert "Orders are paged by a hundred." in texts(sample)
    browser.post("review/edit", only=second, text="Backups run at three.")
    assert sample.memory.show(second).version.text == "Backups run at three."


def test_editing_to_nothing_is_refused(sample: Sample, browse: Browse) -> None:
    first = propose(sample, PAGED)[0]
    browse(sample.memory).post("review/edit", 400, only=first, text="  ")
    assert first in waiting(sample)


def test_a_value_that_was_rejected_is_refused_and_said_so(sample: Sample, browse: Browse) -> None:
    known = sample.memory.remember("Deploys need two reviews.", domain="orders")
    sample.memory.reject(known.id or "")
    first = propose(sample, PAGED)[0]
    to = browse(sample.memory).post("review/edit", only=first, text="Deploys need two reviews.")
    assert "told=approved_some" in to
    assert first in waiting(sample)


@pytest.mark.slow
def test_a_fact_whose_time_ran_out_is_renewed_or_taken_back(sample: Sample, browse: Browse, clock: TestClock) -> None:
    one, two, three = (sample.memory.remember(f"The sale number {n} runs.", ttl=3600).id or "" for n in (71, 82, 93))
    clock.advance(days=1)
    browser = browse(sample.memory)
    assert "The sale number 71 runs." in browser.get("review")
    browser.post("review/renew", only=one)
    assert not sample.memory.show(one).state.is_stale
    assert "will no longer be used" in browser.post("review/retract", 200, fact=[two, three])
    browser.post("review/retract", fact=[two, three], sure="1")
    assert sample.memory.facts.review().stale == ()
    assert "No expired facts." in browser.get("review")


def test_archived_facts_show_when_asked_for(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert "The staging server is down" not in browser.get("review")
    assert "The staging server is down" in browser.get("review", archived="1")


@pytest.mark.slow
def test_pages_hold_twenty_and_at_leads_to_the_right_one(sample: Sample, browse: Browse) -> None:
    numbers = [
        f"{first}{second}"
        for first in ("order", "bill", "mail")
        for second in ("alpha", "beta", "gamma", "delta", "iota", "kappa", "zeta")
    ]
    ids = propose(sample, *(Candidate(f"The {name} service owns its table.", 0.3, "git_diff") for name in numbers))
    assert len(ids) > 20
    page = browse(sample.memory).get("review", at=ids[20])
    assert "page 2 of 2" in page
    assert f'id="c-{ids[20]}"' in page
    assert f'id="c-{ids[0]}"' not in page


@pytest.mark.slow
def test_only_a_person_who_may_write_decides(sample: Sample, browse: Browse) -> None:
    first = propose(sample, PAGED)[0]
    browser = browse(sample.memory, READER)
    page = browser.get("review")
    assert "Orders are paged by fifty." in page
    assert "formaction" not in page
    for action in ("approve", "reject", "restore", "edit", "renew", "retract"):
        browser.post(f"review/{action}", 403, only=first, text="x", sure="1")
    assert first in waiting(sample)


def test_hostile_candidates_show_as_text(sample: Sample, browse: Browse) -> None:
    hostile = Candidate(HOSTILE, 0.7, "git_diff", domain="<u>d</u>", evidence=(HOSTILE,), reason=HOSTILE)
    propose(sample, hostile)
    page = browse(sample.memory).get("review")
    assert "&lt;script&gt;alert(1)" in page
    for bad in ("<script>alert", "<img src=x", "<u>d</u>", "\u202e"):
        assert bad not in page


@pytest.mark.parametrize(("only", "status"), [("<script>", 400), ("01kt17kja05te3ezezcdjqd9p3", 404), ("x" * 300, 400)])
def test_unknown_candidates_are_refused(sample: Sample, browse: Browse, only: str, status: int) -> None:
    browser = browse(sample.memory)
    for action in ("approve", "reject"):
        assert "<script>alert" not in browser.post(f"review/{action}", status, only=only)


def test_nothing_chosen_does_nothing(sample: Sample, browse: Browse) -> None:
    ids = waiting(sample)
    for action in ("approve", "reject", "renew", "retract"):
        assert browse(sample.memory).post(f"review/{action}").endswith("told=nothing")
    assert waiting(sample) == ids


def test_an_empty_memory_says_what_to_do(person: Memory, browse: Browse) -> None:
    page = browse(person).get("review")
    assert "Nothing to review." in page
    assert "waypost learn" in page
