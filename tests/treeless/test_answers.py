"""Of code that is elsewhere a memory says what was found there, when, and in which checkout; and judges nothing itself."""

import shutil
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.treeless.conftest import ADA, JUDGED, Shop, leave, make_tree

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.errors import NotFound, SecurityError
from waypost.memory.catalog import Spaces, open_by_id


@pytest.mark.slow
def test_hits_say_as_of_when_and_in_which_checkout(away: Memory, shop: Shop) -> None:
    answer = away.recall("total prices tax session user", 20)
    assert answer.notices[0].startswith("The tree of 'shop' is not on this machine; what is said of its code is as of")
    hits = {hit.id: hit for hit in answer}
    stale, fresh, unjudged = (hits[shop.ids[name]] for name in ("stale", "fresh", "unjudged"))
    assert (stale.is_stale, fresh.is_stale, unjudged.is_stale) == (True, False, False)
    assert stale.links[0].as_of == fresh.links[0].as_of == f"as of {JUDGED}, checkout {shop.root}"
    assert unjudged.links[0].as_of == f"unverified: never judged in the checkout {shop.root}"
    rows = [hit.to_json()["code_refs"][0] for hit in (stale, fresh, unjudged)]
    assert [row["state"] for row in rows] == ["changed", "unchanged", "unchecked"]
    assert [row.get("checked_at", "")[:10] for row in rows] == ["2026-01-30", "2026-01-30", ""]
    assert {row["checkout"] for row in rows} == {str(shop.root)}


def test_what_was_read_out_of_the_tree_is_found_and_says_when_it_was_read(away: Memory, shop: Shop) -> None:
    hit = away.recall("total", scope="code")[0]
    assert (hit.name, hit.path, hit.line) == ("total", "src/checkout.py", 4)
    assert "result += price" in hit.text
    assert hit.links[0].as_of == f"as of {JUDGED}, checkout {shop.root}"
    assert hit.links[0].finding.state == "unchecked"  # nobody has looked today


@pytest.mark.parametrize("preset", [None, "scope", "inject"])
def test_a_briefing_says_as_of_when_it_knows_the_code(preset: str | None, away: Memory, shop: Shop) -> None:
    brief = away.brief("change how the total of prices is computed", preset=preset)
    links = [link for hit in brief.memories for link in hit.links]
    assert links and all(link.as_of for link in links)
    if preset != "inject":
        assert "not on this machine" in brief.explanation


def test_a_report_of_what_is_stale_tells_the_last_verdicts(away: Memory, shop: Shop) -> None:
    report = away.code.stale()
    assert (report.checked, report.stale, report.fresh, report.errors) == (3, 1, 1, 1)
    assert [one.id for one in report.memories] == [shop.ids["stale"]]
    told = report.to_json()["as_of"]
    assert (told["root"], told["judged_at"][:10]) == (str(shop.root), "2026-01-30")
    with pytest.raises(NotFound, match="not on this machine"):
        away.code.stale(check=True)


@pytest.mark.slow
def test_looking_changes_no_verdict_and_no_time(away: Memory, shop: Shop, clock: TestClock) -> None:
    before = away.code.stale().to_json()
    for _ in range(3):
        clock.advance(days=1)
        away.recall("total prices")
        away.code.about("src/checkout.py")
        away.show(shop.ids["stale"])
        away.admin.maintain(force=True)
        away.admin.run_worker()
    after = away.code.stale().to_json()
    assert [one["code_refs"][0]["checked_at"] for one in after["memories"]] == [
        one["code_refs"][0]["checked_at"] for one in before["memories"]
    ]
    assert (after["stale"], after["fresh"], after["errors"], after["as_of"]) == (
        before["stale"], before["fresh"], before["errors"], before["as_of"],
    )  # fmt: skip


def test_a_place_is_asked_about_by_what_the_index_knows(away: Memory, shop: Shop) -> None:
    hits = {hit.memory.id: hit.relevance for hit in away.code.about("src/checkout.py", 6)}
    assert hits == {shop.ids["stale"]: "direct", shop.ids["unjudged"]: "file"}
    assert {hit.memory.id for hit in away.code.about("src")} == {shop.ids[n] for n in ("stale", "fresh", "unjudged")}
    with pytest.raises(SecurityError):
        away.code.about("../elsewhere.py")
    with pytest.raises(SecurityError):
        away.code.about("/etc/passwd")


def test_files_are_outlined_and_their_lines_are_said_to_be_elsewhere(away: Memory) -> None:
    assert {one.path: one.stale for one in away.code.files()} == {
        "README.md": 0,
        "src/checkout.py": 1,
        "src/session.py": 0,
    }
    seen = away.code.source("src/checkout.py")
    assert (seen.lines, seen.total, seen.language) == ((), 14, "python")
    assert [one.name for one in seen.outline] == ["total", "Card", "Card.charge"]
    assert seen.away.startswith("The tree of 'shop' is not on this machine")
    with pytest.raises(NotFound, match="not on this machine"):
        away.code.source("src/unknown.py")


def test_the_code_beside_a_memory_is_what_was_indexed(away: Memory, shop: Shop) -> None:
    (behind,) = away.code.code_behind(shop.ids["fresh"])
    assert behind.now is not None and behind.then is None
    assert (behind.now.first, behind.now.meant[0]) == (4, "def is_open(session):")


def test_status_says_where_the_tree_is_and_that_it_is_not_here(away: Memory, shop: Shop) -> None:
    status = away.status()
    assert status["root"] == str(shop.root)
    assert status["as_of"]["root"] == str(shop.root)
    assert status["tree"]["files"] == 3
    assert status["references"] == {"memories": 3, "stale": 1}


def test_what_is_said_of_code_is_kept_unpinned_and_says_so(away: Memory, shop: Shop, clock: TestClock) -> None:
    receipt = away.remember("Totals are rounded at the end.", refs=["src/checkout.py#total"])
    assert receipt.links == ("src/checkout.py#L4-L9",)
    assert "src/checkout.py was not checked" in receipt.notices[0]
    assert receipt.id is not None
    (link,) = away.show(receipt.id).links
    assert not link.was.anchor and link.was.code_hash is None and link.checked_at is None
    unknown = away.remember("Nothing is there.", refs=["src/new.py#L1-L2"])
    assert "its index does not know it" in unknown.notices[0]
    with pytest.raises(SecurityError):
        away.remember("Outside.", refs=["../x.py"])


def test_where_the_tree_is_again_it_can_be_verified_and_is_pinned(away: Memory, shop: Shop, clock: TestClock) -> None:
    kept = away.remember("Totals are rounded at the end.", refs=["src/checkout.py#total"]).id or ""
    make_tree(shop.root)
    here = Memory.open(shop.root, caller=ADA, clock=clock)
    assert here.identity.space_id == away.identity.space_id and here.identity.has_tree
    assert not here.verify(kept).left
    (link,) = here.show(kept).links
    assert link.was.anchor and link.finding.state == "unchanged" and link.as_of == ""


@pytest.mark.slow
def test_the_checkout_that_was_judged_last_is_shown_unless_another_is_chosen(
    tmp_path: Path, clock: TestClock, fake_engine: FakeEngine, spaces: Spaces, shop: Shop
) -> None:
    clock.advance(days=1)
    other = tmp_path / "work" / "other"
    make_tree(shop.root)
    shutil.copytree(shop.root, other)
    _same_origin(shop.root, other)
    first, second = Memory.open(shop.root, caller=ADA, clock=clock), Memory.open(other, caller=ADA, clock=clock)
    assert first.identity.space_id == second.identity.space_id
    said = first.remember("The sum is exact.", refs=["src/checkout.py#total"]).id or ""
    first.code.stale()
    clock.advance(hours=1)
    (other / "src" / "checkout.py").write_text("# all is new\n")
    second.code.stale()
    for root in (shop.root, other):
        shutil.rmtree(root)
    last = spaces.memory(ADA, first.identity.space_id)
    shown = last.admin.shown_checkout()
    assert shown is not None and shown.root == str(other)
    assert last.show(said).state.is_stale
    assert [one.root for one in last.admin.checkouts()] == [str(other), str(shop.root)]
    chosen = spaces.memory(ADA, first.identity.space_id, checkout=last.admin.checkouts()[1].id)
    assert not chosen.show(said).state.is_stale
    assert not last.admin.as_of_checkout(last.admin.checkouts()[1].id).show(said).state.is_stale
    with pytest.raises(NotFound, match="not another checkout"):
        last.admin.as_of_checkout("0" * 16)
    with pytest.raises(NotFound, match="no checkout"):
        spaces.memory(ADA, first.identity.space_id, checkout="0" * 16)


def _same_origin(*roots: Path) -> None:
    for root in roots:
        with (root / ".git" / "config").open("a") as file:
            file.write('[remote "origin"]\n\turl = https://example.org/shop.git\n')


@pytest.mark.slow
def test_entries_of_a_journal_that_was_in_the_tree_are_read_and_searched(
    tmp_path: Path, clock: TestClock, fake_engine: FakeEngine
) -> None:
    shop = leave(tmp_path / "work" / "shop", clock, journal_in_tree=True)
    memory = open_by_id(config.load(), ADA, shop.space_id, clock)
    assert memory.recall("refunds", scope="journal")[0].id == shop.ids["note"]
    assert [said.id for said in memory.journal.timeline("2026-01-29").entries] == [shop.ids["note"]]
    assert memory.journal.search("refunds")[0].id == shop.ids["note"]
    assert "We met about refunds." in memory.journal.show("2026-01-29").text
    with pytest.raises(NotFound, match="kept in its repository"):
        memory.forget(shop.ids["note"])
    assert memory.show(shop.ids["note"]).version.text == "We met about refunds."
    assert "journal" not in {step.step for step in memory.admin.maintain(force=True)}


def test_a_journal_beside_the_database_is_written_as_ever(away: Memory, shop: Shop) -> None:
    receipt = away.journal.add("We met again.")
    assert "We met again." in away.journal.show().text
    assert away.recall("met again", scope="journal")[0].id == receipt.id
