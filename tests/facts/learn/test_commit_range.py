"""Many commits: described as things are after the last one, each thing once."""

from dataclasses import replace
from itertools import pairwise

from tests.facts.learn.conftest import Commit

from waypost.facts.domains import Layout
from waypost.facts.learn.commit_range import propose_for_range
from waypost.model.change import (
    ADDED,
    MODIFIED,
    REMOVED,
    RENAMED,
    ChangeSet,
    DependencyChange,
    FileChange,
    SymbolChange,
)

DOC = "A cart that is kept between two visits."


def source(
    *symbols: SymbolChange, path: str = "src/shop/cart.py", change: str = MODIFIED, before: str = ""
) -> FileChange:
    return FileChange(path, change, before, "python", lines_added=30, symbols=symbols)


def basket(change: str = ADDED, name: str = "Basket", doc: str = DOC, before: str = "") -> SymbolChange:
    return SymbolChange(name, "class", change, doc=doc, name_before=before, lines_changed=30)


def manifest(change: str, wanted: str = "", before: str = "") -> FileChange:
    need = DependencyChange("httpx", change, wanted, before)
    return FileChange("pyproject.toml", MODIFIED, role="manifest", dependencies=(need,))


def texts(layout: Layout, *changes: ChangeSet) -> list[str]:
    return [candidate.text for candidate in propose_for_range(changes, layout).candidates]


def test_what_was_added_and_removed_again_vanishes(commit: Commit, layout: Layout) -> None:
    first = commit("Add a Basket that survives", source(basket()))
    last = commit("Remove the Basket again", source(basket(REMOVED)))
    proposals = propose_for_range([first, last], layout)
    assert proposals.candidates == ()
    assert sum(proposals.skipped.values()) == proposals.commits == 2


def test_a_file_that_came_and_went_vanishes_with_all_that_was_done_to_it(commit: Commit, layout: Layout) -> None:
    new = source(basket(), path="src/shop/tax.py", change=ADDED)
    gone = source(basket(REMOVED), path="src/shop/tax.py", change=REMOVED)
    fixed = source(basket(MODIFIED), path="src/shop/tax.py")
    changes = [
        commit("Add taxes of all countries", new),
        commit("Fix wrong taxes of far countries", fixed),
        commit("Remove the taxes", gone),
    ]
    assert texts(layout, *changes) == []


def test_a_thing_is_reported_under_its_last_name_and_documentation(commit: Commit, layout: Layout) -> None:
    changes = [
        commit("Add a Basket or Bag that survives", source(basket())),
        commit("Rename Basket to Bag", source(basket(RENAMED, "Bag", before="Basket"))),
        commit("Tell more of bags", source(basket(MODIFIED, "Bag", "A cart that is kept for a year."))),
    ]
    assert texts(layout, *changes) == ["New in src/shop/cart.py: `Bag`: “A cart that is kept for a year.”"]


def test_a_thing_is_reported_where_it_is_after_its_file_got_another_name(commit: Commit, layout: Layout) -> None:
    changes = [
        commit("Add a Basket that survives", source(basket())),
        commit("Rename the cart", source(path="src/shop/bag.py", change=RENAMED, before="src/shop/cart.py")),
    ]
    proposals = propose_for_range(changes, layout).candidates
    assert proposals[0].refs == ("src/shop/bag.py#Basket",)


def test_what_was_removed_and_put_back_was_not_removed(commit: Commit, layout: Layout) -> None:
    changes = [
        commit("Remove the Basket", source(basket(REMOVED))),
        commit("Put the Basket back for old shops", source(basket())),
    ]
    assert not any("Removed" in text for text in texts(layout, *changes))


def test_of_a_dependency_the_last_state_counts(commit: Commit, layout: Layout) -> None:
    changes = [
        commit("Use httpx", manifest(ADDED, ">=0.27"), id="aaaaaaaaaa"),
        commit("Ask for a newer httpx", manifest(MODIFIED, ">=1.0", ">=0.27"), id="bbbbbbbbbb"),
    ]
    assert texts(layout, *changes) == ["New dependency `httpx` >=1.0 (pyproject.toml). “Use httpx”."]
    assert texts(layout, *changes, commit("Drop httpx", manifest(REMOVED, before=">=1.0"))) == []


def test_a_commit_and_its_revert_give_nothing(commit: Commit, layout: Layout) -> None:
    changes = [
        commit("Round prices to five cents in Cart.total", id="cccccccccc"),
        commit('Revert "Round prices to five cents in Cart.total"', body="This reverts commit cccccccccc."),
    ]
    proposals = propose_for_range(changes, layout)
    assert proposals.candidates == ()
    assert proposals.skipped == {"reverted": 2}


def test_one_fix_on_two_branches_is_one_fact_with_both_evidences(commit: Commit, layout: Layout) -> None:
    subject = "Fix wrong total of a cart with negative discounts"
    changes = [commit(f"{subject} (#1)", id="dddddddddd"), commit(f"[2.x] {subject} (#2)", id="eeeeeeeeee")]
    proposals = propose_for_range(changes, layout)
    assert len(proposals.candidates) == 1
    assert {"#1", "#2"} <= set(proposals.candidates[0].evidence)


def test_a_signature_that_changed_twice_is_reported_from_the_first_to_the_last(commit: Commit, layout: Layout) -> None:
    forms = ["def pay(cart)", "def pay(cart, currency)", "def pay(cart, currency, day)"]
    changes = [
        commit(
            "Tidy up pay",
            source(SymbolChange("pay", "function", MODIFIED, signature=after, signature_before=before)),
        )
        for before, after in pairwise(forms)
    ]
    assert texts(layout, *changes) == [
        f"`pay` (src/shop/cart.py) is now `{forms[2]}`; before: `{forms[0]}`. “Tidy up pay”."
    ]


def test_proposing_again_proposes_the_same(commit: Commit, layout: Layout) -> None:
    changes = [
        commit("Add a Basket that survives", source(basket())),
        commit("Use httpx", manifest(ADDED, ">=0.27")),
        commit("Fix wrong total of a cart with coupons"),
    ]
    once = propose_for_range(changes, layout).candidates
    assert len(once) == 3
    assert propose_for_range([replace(change) for change in changes], layout).candidates == once


def test_commits_that_gave_nothing_are_counted_by_reason(commit: Commit, layout: Layout) -> None:
    test = FileChange("tests/test_cart.py", MODIFIED, role="test")
    proposals = propose_for_range(
        [commit("Test it", test), commit("Test it more", test), commit("x", is_merge=True)], layout
    )
    assert proposals.skipped == {"tests only": 2, "merge": 1}
