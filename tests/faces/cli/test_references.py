"""What the commands say about the code that memories point at."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.faces.cli.links import NOWHERE, Places
from waypost.faces.cli.reference_output import hit_with_links, link_lines, print_about, print_stale, with_links
from waypost.model.finding import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, Finding
from waypost.model.linked import AboutHit, Link, Linked, StaleReport
from waypost.model.memory import State, Version
from waypost.model.reference import CodeReference, LineRange

DAY = datetime(2026, 11, 3, 9, tzinfo=UTC)
WAS = CodeReference("src/a.py", LineRange(3, 9))
HERE = CodeReference("src/b.py", LineRange(17, 23), stale_since=DAY)
ID = "01K9ZX6Y9D4T3N0V1M2B3C4D5E"


def said(link: Link, places: Places = NOWHERE) -> list[str]:
    return [line.plain for line in link_lines(link, places)]


def memory(*links: Link, stale: bool = False) -> Linked:
    version = Version(ID, "decision", "Five tries, then we stop.", DAY, DAY, "person", "anna")
    return Linked(version, State(is_stale=stale, stale_reason="code_changed: …" if stale else None), links, 0.8, DAY)


CHANGED_LINK = Link(
    CodeReference("src/a.py", LineRange(4, 9), stale_since=DAY), WAS, Finding(CHANGED, amount=0.35), True
)


def test_code_that_is_as_it_was_is_shown_with_its_place_and_name() -> None:
    assert said(Link(WAS, WAS, Finding(UNCHANGED, "src/a.py", name="Cart.pay"))) == ["at src/a.py:3-9  Cart.pay"]


def test_changed_code_says_stale_in_words_since_when_and_how_much() -> None:
    assert said(CHANGED_LINK) == ["STALE since 2026-11-03: code_changed: src/a.py:4-9 (35% changed)"]


def test_deleted_code_is_named_by_where_it_was() -> None:
    gone = Link(CodeReference("src/a.py", stale_since=DAY), WAS, Finding(DELETED), True)
    assert said(gone) == ["STALE since 2026-11-03: code_changed: src/a.py:3-9 (deleted)"]


def test_moved_code_is_no_alarm() -> None:
    assert said(Link(HERE, WAS, Finding(MOVED, "src/b.py"))) == ["moved: src/a.py:3-9 → src/b.py:17-23"]


def test_code_that_moved_and_changed_says_both() -> None:
    both = Link(HERE, WAS, Finding(CHANGED, "src/b.py", amount=0.5), True)
    assert said(both) == [
        "STALE since 2026-11-03: code_changed: src/b.py:17-23 (50% changed)",
        "moved: src/a.py:3-9 → src/b.py:17-23",
    ]


def test_code_that_could_be_in_several_places_names_them() -> None:
    found = Finding(AMBIGUOUS, others=("x.py:1", "y.py:2"))
    assert said(Link(WAS, WAS, found, True)) == ["STALE: code_changed: src/a.py:3-9 (could be x.py:1 or y.py:2)"]


def test_code_that_nobody_could_check_says_so() -> None:
    assert said(Link(WAS, WAS, Finding(UNCHECKED), checked_at=DAY)) == ["at src/a.py:3-9 (could not be checked)"]


def test_names_out_of_the_code_cannot_act_on_the_terminal() -> None:
    hostile = CodeReference("a\x1b[31m.py")
    lines = said(Link(hostile, hostile, Finding(UNCHANGED, name="x\x1b]8;;y\x07")))
    assert lines == ["at a\ufffd[31m.py  x\ufffd]8;;y\ufffd"]


def test_the_stale_are_counted_and_the_next_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    moved = memory(Link(HERE, WAS, Finding(MOVED, "src/b.py")))
    print_stale(StaleReport(3, 1, 2, 0, (memory(CHANGED_LINK, stale=True),), (moved,)), NOWHERE, checked=True)
    out = capsys.readouterr().out
    assert (
        f"{ID}  decision · person · 2026-11-03 · confidence 0.80\n   Five tries, then we stop.\n   STALE since" in out
    )
    assert "Still true, in another place now" in out
    assert "3 memories point at code: 1 stale, 2 fresh.\n" in out
    assert "waypost verify ID" in out


def test_nothing_stale_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_stale(StaleReport(1, 0, 1, 0), NOWHERE, checked=True)
    assert capsys.readouterr().out == "1 memory points at code: 0 stale, 1 fresh.\n"


def test_a_memory_stale_for_another_reason_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_about([AboutHit(memory(Link(WAS, WAS), stale=True), "file", Link(WAS, WAS))], "src/a.py", NOWHERE)
    out = capsys.readouterr().out
    assert "STALE: code_changed: …" in out
    assert "about this file" in out


def test_json_has_a_link_for_programs_and_one_for_editors() -> None:
    places = Places(Path("/p"), "vscode")
    row = with_links(AboutHit(memory(CHANGED_LINK), "direct", CHANGED_LINK).to_json(), places)
    for ref in (row["code_ref"], *row["code_refs"]):
        assert (ref["code_link"], ref["editor_link"]) == ("file:src/a.py#L4-L9", "vscode://file/p/src/a.py:4:1")
    hit = hit_with_links({"path": "a#L9.py", "line": 2, "end_line": None, "code_refs": []}, places)
    assert (hit["code_link"], hit["editor_link"]) == ("file:a#L9.py#L2-L2", "vscode://file/p/a%23L9.py:2:1")
    assert hit_with_links({"path": None}, places)["editor_link"] is None
