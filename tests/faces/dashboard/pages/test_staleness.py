"""What is stale, why, and how to repair it."""

import threading
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.faces.dashboard.conftest import CHECKOUT, HOSTILE, READER, Browse, Sample

from waypost import Memory
from waypost.errors import NotFound
from waypost.faces.dashboard import slow_work
from waypost.memory.code import MemoryCode


def stale_ids(sample: Sample) -> set[str]:
    return {one.id for one in sample.memory.code.stale().memories}


def test_the_page_says_what_is_stale_since_when_why_and_of_which_file(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("stale")
    assert "The total adds up prices without tax." in page
    assert "stale since 2026-01-30" in page
    assert "% changed" in page
    assert "src/checkout.py:4" in page
    assert "A session is open while it has a user." not in page
    assert "Stale memories by age" in page


def test_a_row_shows_the_code_then_and_now(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("stale")
    assert "-     result = 0" in page
    assert "+     return round(sum(prices) * 1.19, 2)" in page


def test_verify_makes_one_fresh_again(sample: Sample, browse: Browse) -> None:
    to = browse(sample.memory).post("stale/verify", only=sample["stale"])
    assert to.endswith("/stale?told=verified")
    assert stale_ids(sample) == set()
    assert "Nothing is stale." in browse(sample.memory).get("stale")


def test_many_are_verified_at_once_and_those_that_are_not_stale_are_left(sample: Sample, browse: Browse) -> None:
    other = sample.memory.remember("pay charges the card at once.", refs=["src/checkout.py#L12-L13"]).id or ""
    (sample.root / "src" / "checkout.py").write_text("x = 1\n")
    assert stale_ids(sample) == {sample["stale"], other}
    (sample.root / "src" / "checkout.py").write_text(CHECKOUT.replace("charge(", "withdraw_now(").replace("0", "100"))
    browse(sample.memory).post("stale/verify", id=[sample["stale"], other, sample["fresh"], "nonsense"])
    assert stale_ids(sample) == set()


def test_what_is_gone_cannot_be_verified_and_stays_listed(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "checkout.py").write_text("x = 1\n")
    browser = browse(sample.memory)
    assert browser.post("stale/verify", only=sample["stale"]).endswith("told=verified_some")
    page = browser.get("stale", told="verified_some")
    assert "Some could not be verified" in page
    assert "The total adds up prices without tax." in page


def test_relink_points_it_at_the_place_that_is_told(sample: Sample, browse: Browse) -> None:
    browse(sample.memory).post("stale/relink", only=sample["stale"], ref="src/session.py#L4-L9")
    linked = sample.memory.show(sample["stale"])
    assert [link.reference.file_path for link in linked.links] == ["src/session.py"]
    assert not linked.state.is_stale


def test_relink_refuses_places_outside_the_tree(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    browser.post("stale/relink", 403, only=sample["stale"], ref="../../secret.py#L1-L2")
    browser.post("stale/relink", 403, only=sample["stale"], place="../../secret.py:1")
    assert "src/checkout.py" in str(sample.memory.show(sample["stale"]).links[0].was)


def test_an_offered_place_is_the_whole_symbol_that_begins_there(sample: Sample, browse: Browse) -> None:
    browse(sample.memory).post("stale/relink", only=sample["stale"], place="src/session.py:4")
    lines = sample.memory.show(sample["stale"]).links[0].reference.line_range
    assert lines is not None
    assert (lines.start, lines.end) == (4, 9)


@pytest.mark.slow
def test_code_that_moved_is_told_apart_and_taken_note_of(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "session.py").rename(sample.root / "src" / "people.py")
    sample.memory.index()
    browser = browse(sample.memory)
    assert "Still true, but the code moved" in browser.get("stale")
    assert browser.post("stale/relink", every="1").endswith("told=relinked")
    assert sample.memory.code.stale().moved == ()


def test_reset_asks_first_and_then_takes_away_what_is_gone(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "checkout.py").write_text("x = 1\n")
    browser = browse(sample.memory)
    asked = browser.post("stale/reset", 200, id=[sample["stale"]])
    assert "Reset 1 memory" in asked
    assert stale_ids(sample) == {sample["stale"]}
    assert browser.post("stale/reset", id=[sample["stale"]], sure="1").endswith("told=reset")
    assert stale_ids(sample) == set()
    assert sample.memory.show(sample["stale"]).version.text == "The total adds up prices without tax."


def test_nothing_chosen_does_nothing_and_says_so(sample: Sample, browse: Browse) -> None:
    for action in ("verify", "relink", "reset"):
        assert browse(sample.memory).post(f"stale/{action}").endswith("told=nothing")
    assert stale_ids(sample) == {sample["stale"]}


def test_filters_by_file_and_reason_are_kept_after_an_action(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert "The total adds" in browser.get("stale", file="src", reason="changed", by="age")
    assert "Nothing here is stale." in browser.get("stale", file="src/session.py")
    assert "Nothing here is stale." in browser.get("stale", reason="deleted")
    to = browser.post("stale/verify", only=sample["stale"], file="src", reason="changed", by="age")
    assert to.endswith("/stale?file=src&reason=changed&by=age&told=verified")


def test_groups_by_age_from_the_oldest(sample: Sample, browse: Browse, clock: TestClock) -> None:
    clock.advance(days=40)
    (sample.root / "src" / "session.py").write_text("class Session:\n    def open_all(self):\n        raise OSError\n")
    assert stale_ids(sample) == {sample["stale"], sample["fresh"]}
    page = browse(sample.memory).get("stale", by="age")
    assert page.index("Stale for up to 3 months") < page.index("Stale for up to 1 day")


@pytest.mark.parametrize(("name", "value"), [("reason", "<script>"), ("by", "x"), ("page", "-1"), ("page", "9" * 30)])
def test_filters_that_make_no_sense_are_refused(sample: Sample, browse: Browse, name: str, value: str) -> None:
    assert "<script>" not in browse(sample.memory).get("stale", 400, **{name: value})


def test_a_file_outside_the_tree_is_refused(sample: Sample, browse: Browse) -> None:
    browse(sample.memory).get("stale", 403, file="../../etc")


def test_unknown_ids_are_not_found(sample: Sample, browse: Browse) -> None:
    browse(sample.memory).post("stale/verify", 400, only="<script>")
    browse(sample.memory).post("stale/verify", 404, only="01kt17kja05te3ezezcdjqd9p3")


def test_only_a_person_who_may_write_can_act(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory, READER)
    page = browser.get("stale")
    assert "The total adds up" in page
    assert "formaction" not in page
    assert "Verify selected" not in page
    for action in ("verify", "relink", "reset"):
        browser.post(f"stale/{action}", 403, only=sample["stale"], sure="1")
    assert stale_ids(sample) == {sample["stale"]}


def test_hostile_words_show_as_text(sample: Sample, browse: Browse) -> None:
    sample.memory.remember(HOSTILE + " again", refs=["src/checkout.py#L4-L7"])
    (sample.root / "src" / "checkout.py").write_text("x = '<script>alert(3)</script>'\n")
    page = browse(sample.memory).get("stale")
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "\u202e" not in page


def test_without_memories_about_code_the_page_says_what_to_do(person: Memory, browse: Browse) -> None:
    page = browse(person).get("stale")
    assert "No memory points at code here yet." in page
    assert "waypost remember" in page


def test_a_person_has_no_code_to_go_stale(clock: TestClock, person: Memory, browse: Browse) -> None:
    ada = Memory.open(person="ada", clock=clock)
    assert "No memory points at code here yet." in browse(ada).get("stale")


def test_everything_is_compared_again_when_a_person_asks_for_it(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "checkout.py").write_text("x = 1\n")
    assert "told=checked" in browse(sample.memory).post("stale/check")
    browse(sample.memory, READER).post("stale/check", 403)
    assert "Check again" not in browse(sample.memory, READER).get("stale")


def test_a_page_waits_for_a_moment_only(sample: Sample, browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    look, go_on, looked = MemoryCode.stale, threading.Event(), threading.Event()

    def slow(*given: Any, **options: Any) -> Any:
        go_on.wait(10)
        try:
            return look(*given, **options)
        finally:
            looked.set()

    monkeypatch.setattr(slow_work, "SECONDS", 0.01)
    monkeypatch.setattr(MemoryCode, "stale", slow)
    browser = browse(sample.memory)
    text = browser.get("stale", by="age")
    assert "continues in the background" in text
    assert "stale?by=age" in text.partition("data-again")[2]
    assert "told=checking" in browser.post("stale/check")
    go_on.set()
    assert looked.wait(10)
    monkeypatch.setattr(slow_work, "SECONDS", 10)
    assert "The total adds up prices without tax." in browser.get("stale")


def test_what_goes_wrong_in_the_meantime_is_told(
    sample: Sample, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise NotFound("The tree is away.", "Bring it back.")

    monkeypatch.setattr(MemoryCode, "stale", away)
    assert "Bring it back." in browse(sample.memory).get("stale", 404)
