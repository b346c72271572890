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
