"""Every page and action works in a browser that runs no script."""

from playwright.sync_api import Page, expect
from tests.browser.conftest import PHONE, Windows
from tests.browser.served import Served
from tests.browser.test_repair import stale


def plain(window: Windows, path: str) -> Page:
    return window(path, size=PHONE, java_script_enabled=False)


def test_a_person_signs_in_and_searches(window: Windows, served: Served) -> None:
    page = window("search", known=False, java_script_enabled=False)
    page.get_by_label("Sign-in code, or token").fill(served.tokens.owner_token() or "")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Query").fill("refunds card")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".hit").first).to_contain_text("Refunds go to the card that paid")


def test_a_memory_is_corrected_taken_back_and_brought_back(window: Windows, served: Served) -> None:
    page = plain(window, f"memory/{served.remember('The lamp is green.')}")
    page.locator("summary", has_text="Correct").first.click()
    page.get_by_label("New text").fill("The lamp is blue.")
    page.get_by_role("button", name="Correct").click()
    expect(page.locator(".said")).to_have_text("The lamp is blue.")
    page.get_by_role("button", name="Retract").click()
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_role("status")).to_contain_text("Restored")


def test_stale_memories_are_chosen_and_verified(window: Windows, served: Served) -> None:
    path = stale(served, "Without script this is stale.")
    page = plain(window, f"stale?file={path}")
    page.locator(".stale-row", has_text="Without script this is stale.").get_by_role("checkbox").check()
    page.get_by_role("button", name="Verify selected").click()
    expect(page.get_by_role("status")).to_contain_text("Verified")


def test_candidates_are_edited_and_rejected(window: Windows, served: Served) -> None:
    served.propose("Always close the left window at night.", "Always close the right window at night.")
    page = plain(window, "review")
    card = page.locator(".candidate", has_text="left window")
    card.locator("summary", has_text="Edit").click()
    card.get_by_role("textbox").fill("Always close every window at night.")
    card.get_by_role("button", name="Approve this text").click()
    expect(page.get_by_role("status")).to_contain_text("Approved")
    card = page.locator(".candidate", has_text="right window")
    card.locator("summary", has_text="Reject").click()
    card.get_by_role("button", name="Reject it").click()
    expect(page.get_by_role("status")).to_contain_text("Rejected")


def test_the_journal_the_chain_and_the_context_are_there(window: Windows, served: Served) -> None:
    page = plain(window, "journal?year=2025")
    page.locator("svg.days a[href$='2025-11-22']").click()
    expect(page.locator(".said").first).to_be_visible()
    page.goto(served.page("why?q=one+provider"))
    expect(page.locator("svg.graph a")).to_have_count(6)
    page.goto(served.page("context?task=refunds&tokens=300"))
    expect(page.get_by_role("group", name="The text that an agent gets")).to_be_visible()
