"""How a person gets in, and out."""

from playwright.sync_api import expect
from tests.browser.conftest import Windows, fits
from tests.browser.served import Served


def test_a_person_signs_in_with_the_token_and_comes_to_the_page_they_wanted(
    window: Windows, served: Served, size: tuple[int, int]
) -> None:
    page = window("why", known=False, size=size)
    expect(page.get_by_role("heading", name="Waypost")).to_be_visible()
    assert fits(page)
    expect(page.get_by_label("Sign-in code, or token")).to_be_focused()
    page.keyboard.type(served.tokens.owner_token() or "")
    page.keyboard.press("Enter")
    page.wait_for_url(served.page("why"))


def test_a_person_signs_out_by_the_menu(window: Windows, served: Served) -> None:
    page = window("why", known=False)
    page.get_by_label("Sign-in code, or token").fill(served.tokens.owner_token() or "")
    page.get_by_role("button", name="Sign in").click()
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto(served.page("why"))
    expect(page.get_by_label("Sign-in code, or token")).to_be_visible()


def test_a_page_that_is_older_than_the_session_says_so_and_leads_back(window: Windows, served: Served) -> None:
    page = window("journal")
    page.locator("summary", has_text="Write a note").click()
    page.get_by_label("Text").fill("Nobody keeps this.")
    page.evaluate("for (const one of document.querySelectorAll('[name=csrf]')) one.value = 'of another session'")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_role("alert")).to_contain_text("out of date, so nothing was done")
    assert fits(page)
    page.get_by_role("link", name="Open the page again").click()
    page.wait_for_url(served.page("journal"))
    assert "Nobody keeps this." not in served.texts()


def test_who_may_only_read_sees_everything_and_is_offered_no_change(window: Windows, served: Served) -> None:
    token = served.tokens.make("visitor", kind="person", rights="read", clock=served.sample.clock)
    page = window("review", known=False)
    page.get_by_label("Sign-in code, or token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".candidate").first).to_be_visible()
    for path in ("review", "stale", f"memory/{served.sample['total']}", "journal", "journal/2026-01-30"):
        page.goto(served.page(path))
        assert page.locator("main form[method=post] button").count() == 0, path


def test_the_link_that_the_server_prints_leaves_no_code_in_the_address(window: Windows, served: Served) -> None:
    page = window(None, known=False)
    page.goto(f"{served.url}/login#code=AAAAA-AAAAA")
    expect(page.get_by_role("alert")).to_be_visible()
    assert "code" not in page.url
