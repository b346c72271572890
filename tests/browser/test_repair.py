"""Putting right what went stale, and saying yes or no to what waits."""

from itertools import count

from playwright.sync_api import Page, expect
from tests.browser.conftest import PHONE, Windows, fits
from tests.browser.sample import commit
from tests.browser.served import Served

_numbers = count(1)


def stale(served: Served, *texts: str) -> str:
    """Memories about a new file, which has changed since. Returns its path."""
    path = f"src/shop/fresh{next(_numbers)}.py"
    place = served.sample.root / path
    functions = [f"def step{n}(value):\n    return value + {n}\n" for n in range(len(texts))]
    place.write_text("\n\n".join(functions))
    commit(served.sample.root, path)
    served.agent.code.update([place])
    for n, text in enumerate(texts):
        served.remember(text, refs=[f"{path}#step{n}"])
    place.write_text("\n\n".join(one.replace("value +", "abs(value) * 3 -") for one in functions))
    served.agent.code.stale(check=True)
    return path


def choose(page: Page, path: str) -> None:
    """Tick every memory of that file."""
    for box in (
        page.locator("section", has=page.get_by_role("link", name=path, exact=True)).get_by_role("checkbox").all()
    ):
        box.check()


def test_many_stale_memories_are_verified_at_once(window: Windows, served: Served, size: tuple[int, int]) -> None:
    path = stale(served, f"Step one adds nothing ({size[0]}).", f"Step two adds one ({size[0]}).")
    page = window(f"stale?file={path}", size=size)
    expect(page.locator(".stale-row")).to_have_count(2)
    page.get_by_label("all 2 shown").check()
    page.get_by_role("button", name="Verify selected").click()
    expect(page.get_by_role("status")).to_contain_text("Verified")
    expect(page.get_by_role("main")).to_contain_text("Nothing here is stale.")
    assert fits(page)
    assert served.memory.code.stale([path]).stale == 0


def test_one_is_still_true_and_another_points_elsewhere(window: Windows, served: Served) -> None:
    path = stale(served, "The first step is safe.", "The second step is slow.")
    page = window(f"stale?file={path}")
    page.locator(".stale-row", has_text="The first step").get_by_role("button", name="Still true").click()
    expect(page.locator(".stale-row")).to_have_count(1)
    row = page.locator(".stale-row", has_text="The second step")
    row.locator("summary", has_text="Then and now").click()
    expect(row.locator(".code .added").first).to_contain_text("abs(value)")
    row.locator("summary", has_text="Point elsewhere").click()
    row.get_by_label("New place").fill("src/shop/stock.py#reserve")
    row.get_by_role("button", name="Relink").click()
    expect(page.get_by_role("status")).to_contain_text("It now points at the new place of its code.")
    assert served.memory.code.stale([path]).stale == 0


def test_resetting_asks_first(window: Windows, served: Served, size: tuple[int, int]) -> None:
    path = stale(served, f"This step will be reset ({size[0]}).")
    page = window(f"stale?file={path}", size=size)
    choose(page, path)
    page.locator(".bulk").get_by_role("button", name="Reset").click()
    expect(page.get_by_role("button", name="Reset 1 memory")).to_be_focused()
    assert served.memory.code.stale([path]).stale == 1
    page.get_by_role("button", name="Reset 1 memory").click()
    expect(page.get_by_role("status")).to_contain_text("Reset")
    assert served.memory.code.stale([path]).stale == 0


def test_what_is_stale_is_shown_by_age_and_by_reason(window: Windows, size: tuple[int, int]) -> None:
    page = window("stale", size=size)
    page.get_by_label("Reason").select_option("deleted")
    page.get_by_label("Group by").select_option("age")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".stale-row")).to_have_count(1)
    expect(page.locator(".stale-row")).to_contain_text("fewer than five are left")


def waiting(page: Page, text: str) -> None:
    """Put the focus on a candidate, as somebody does who goes through them: the keys answer once the page has loaded."""
    page.wait_for_load_state("load")
    card = page.locator(".candidate", has_text=text)
    card.focus()
    expect(card).to_be_focused()


def test_candidates_are_approved_edited_and_rejected_by_keys(window: Windows, served: Served) -> None:
    texts = ("Always sweep the shop at noon.", "Never lend the ladder to anybody.", "Always lock the till at night.")
    served.propose(*texts)
    page = window("review")
    waiting(page, texts[0])
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Approved")
    waiting(page, texts[1])
    page.keyboard.press("e")
    field = page.locator(".candidate", has_text=texts[1]).get_by_role("textbox")
    expect(field).to_be_focused()
    field.fill("Never lend the long ladder to anybody.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".candidate", has_text="ladder")).to_have_count(0)
    waiting(page, texts[2])
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("It is not proposed again.")
    kept = served.texts()
    assert texts[0] in kept
    assert "Never lend the long ladder to anybody." in kept
    assert texts[2] not in served.texts(kind="learning")


def test_keys_go_from_candidate_to_candidate(window: Windows, served: Served) -> None:
    served.propose("Always count the till twice.", "Never leave the lights of the shop on.")
    page = window("review")
    cards = page.locator(".candidate")
    page.keyboard.press("j")
    expect(cards.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("x")
    expect(cards.nth(1).get_by_role("checkbox")).to_be_checked()
    page.keyboard.press("k")
    expect(cards.nth(0)).to_be_focused()


def test_many_candidates_are_approved_or_rejected_on_a_phone(window: Windows, served: Served) -> None:
    served.propose(
        "Always water the plants of the shop.",
        "Always feed the cat of the shop.",
        "Never feed the pigeons of the square.",
        "Never wake the dog of the owner.",
    )
    page = window("review", size=PHONE)
    for text in ("water the plants", "feed the cat"):
        page.locator(".candidate", has_text=text).get_by_role("checkbox").check()
    page.get_by_role("button", name="Approve selected").click()
    expect(page.get_by_role("status")).to_contain_text("Approved")
    for text in ("feed the pigeons", "wake the dog"):
        page.locator(".candidate", has_text=text).get_by_role("checkbox").check()
    page.get_by_role("button", name="Reject selected").click()
    expect(page.get_by_role("main")).to_contain_text("will not be proposed again")
    assert fits(page)
    page.get_by_role("button", name="Reject 2").click()
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    expect(page.locator(".candidate", has_text="pigeons")).to_have_count(0)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("it needs review again")
    expect(page.locator(".candidate", has_text="pigeons")).to_have_count(1)
    expect(page.locator(".candidate", has_text="wake the dog")).to_have_count(1)


def test_a_fact_whose_time_ran_out_is_still_true(window: Windows, served: Served) -> None:
    made = served.remember("The bridge is closed.", ttl=60, on_expire="stale", time="2026-01-01")
    served.sample.clock.advance(minutes=5)
    served.memory.facts.expire()
    page = window("review")
    page.locator(".stale-row", has_text="The bridge is closed.").get_by_role("button", name="Still true").click()
    expect(page.get_by_role("status")).to_contain_text("full lifetime starts again")
    assert not served.memory.show(made).state.is_stale
