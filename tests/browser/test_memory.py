"""Finding a memory, and putting it right."""

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import PHONE, Windows, fits
from tests.browser.served import Served


def told(page: Page) -> str:
    """What the page says was done."""
    return page.get_by_role("status").inner_text()


def unfold(page: Page, words: str) -> None:
    page.locator("details:not([open]) > summary", has_text=words).first.click()


def test_a_question_from_any_page_finds_a_memory_and_says_why(window: Windows, size: tuple[int, int]) -> None:
    page = window(size=size)
    page.get_by_label("Search everything").fill("refunds card that paid")
    page.keyboard.press("Enter")
    first = page.locator(".hit").first
    expect(first).to_contain_text("Refunds go to the card that paid")
    first.locator("summary").click()
    expect(first.locator(".parts")).to_contain_text("words")
    assert fits(page)
    first.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Source")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("ticket 42")


def test_filters_narrow_a_search_and_are_taken_away_again(window: Windows, size: tuple[int, int]) -> None:
    page = window("search", size=size)
    page.get_by_label("Query").fill("provider")
    unfold(page, "Filters")
    page.get_by_label("Kind").select_option("consequence")
    page.get_by_label("Domain").fill("payments")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".hit").first).to_contain_text("When the provider is down, nobody can pay.")
    assert set(page.locator(".hit .badge:first-child").all_inner_texts()) == {"consequence"}
    assert fits(page)
    page.get_by_role("link", name="Clear filters").click()
    expect(page.locator(".hit", has_text="The provider is asked four times")).to_be_visible()


def test_a_search_as_of_a_day_finds_what_was_known_then(window: Windows) -> None:
    page = window("search?q=search+over+articles+ignores+case&scope=facts")
    expect(page.locator(".hit").first).to_contain_text("accents and hyphens")
    page.get_by_label("Recorded by").fill("2025-12-24")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".hit").first).to_contain_text("ignores case and accents.")


def test_a_stale_memory_shows_its_code_then_and_now(window: Windows, served: Served, size: tuple[int, int]) -> None:
    page = window(f"memory/{served.sample['session']}", size=size)
    change = page.get_by_role("group", name="Then and now")
    expect(change.locator(".added").first).to_contain_text('if self.device == "till"')
    expect(page.get_by_role("note")).to_contain_text("Its code has changed")
    page.get_by_role("link", name="src/shop/session.py").first.click()
    expect(page.locator("aside", has_text="A session ends after thirty minutes")).to_be_visible()


def test_correcting_keeps_what_was_said_before(window: Windows, served: Served, size: tuple[int, int]) -> None:
    made = served.remember(f"Parcels leave at noon, at width {size[0]}.")
    page = window(f"memory/{made}", size=size)
    unfold(page, "Correct")
    page.get_by_label("New text").fill(f"Parcels leave at ten, at width {size[0]}.")
    page.get_by_role("button", name="Correct").click()
    assert "Corrected" in told(page)
    expect(page.locator(".said")).to_have_text(f"Parcels leave at ten, at width {size[0]}.")
    expect(page.locator("del")).to_have_text("noon")
    assert fits(page)


@pytest.mark.parametrize(
    ("button", "done", "undo"),
    [
        ("Retract", "It was retracted.", "Restore it"),
        ("Reject", "It was rejected", "Allow and restore it"),
    ],
)
def test_what_is_taken_back_or_rejected_comes_back_when_a_person_wants(
    button: str, done: str, undo: str, window: Windows, served: Served, size: tuple[int, int]
) -> None:
    text = f"Invoices go out on Mondays ({button}, {size[0]})."
    memory_id = served.remember(text)
    page = window(f"memory/{memory_id}", size=size)
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("main")).to_contain_text(done)
    assert text not in served.texts()
    page.get_by_role("button", name=undo).click()
    assert "Restored" in told(page)
    assert memory_id in page.url
    expect(page.locator(".said")).to_have_text(text)
    assert text in served.texts()


def test_protection_begins_and_ends(window: Windows, served: Served) -> None:
    page = window(f"memory/{served.remember('The key of the archive is blue.')}")
    page.get_by_role("button", name="Protect", exact=True).click()
    expect(page.locator(".badge", has_text="protected")).to_be_visible()
    page.get_by_role("button", name="Unprotect").click()
    expect(page.locator(".badge", has_text="protected")).to_have_count(0)


def test_forgetting_asks_first_and_then_leaves_nothing(window: Windows, served: Served, size: tuple[int, int]) -> None:
    made = served.remember(f"The door code of the shop is {size[0]}.")
    page = window(f"memory/{made}", size=size)
    page.get_by_role("link", name="Forget").click()
    expect(page.get_by_role("note")).to_contain_text("This cannot be undone.")
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_label("I am sure")).to_be_focused()  # the browser waits for the box
    assert served.memory.show(made).id == made
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_role("status")).to_contain_text("Deleted.")
    assert fits(page)
    assert page.request.get(served.page(f"memory/{made}")).status == 404


def test_keeping_it_leads_back(window: Windows, served: Served) -> None:
    made = served.remember("The shop has a back door.")
    page = window(f"memory/{made}/forget", size=PHONE)
    page.get_by_role("link", name="Keep it").click()
    page.wait_for_url(served.page(f"memory/{made}"))


def test_a_memory_is_moved_given_an_end_and_pointed_at_code(window: Windows, served: Served) -> None:
    page = window(f"memory/{served.remember('Stock is counted in pieces.')}")
    unfold(page, "Level and domain")
    page.get_by_label("Level").select_option("2")
    page.get_by_label("Domain").fill("warehouse")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".badge", has_text="warehouse")).to_be_visible()
    unfold(page, "Expiry")
    page.get_by_label("Expire after").fill("3d")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("main")).to_contain_text("2026-02-02 12:00 UTC, then")
    unfold(page, "Code references")
    page.get_by_label("One reference per line").fill("src/shop/stock.py#reserve")
    page.get_by_role("button", name="Relink").click()
    expect(page.get_by_role("group", name="The code")).to_contain_text("levels[article] -= count")


def test_the_context_shows_what_an_agent_would_be_told_and_why(window: Windows, size: tuple[int, int]) -> None:
    page = window("context", size=size)
    page.get_by_label("Task for an agent").fill("Change how a refund is paid to a card")
    page.get_by_label("Maximum tokens").fill("400")
    page.get_by_role("button", name="Show").click()
    text = page.get_by_role("group", name="The text that an agent gets")
    expect(text).to_contain_text("Refunds go to the card that paid")
    expect(page.get_by_role("heading", name="of 400 tokens")).to_be_visible()
    expect(page.locator(".hit", has_text="Refunds go to the card that paid")).to_be_visible()
    assert fits(page)
