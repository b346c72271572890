"""Everything can be reached and used by keys alone, and it is seen where one is."""

from playwright.sync_api import Page, expect
from tests.browser.conftest import Windows
from tests.browser.served import Served

FOCUS = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    return {
        name: (one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText || one.tagName).trim(),
        seen: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none',
        there: box.width > 0 && box.height > 0,
    };
}"""


def walk(page: Page, most: int = 200) -> list[str]:
    """Press Tab until the focus leaves the page. Returns what it came by, and fails where it could not be seen."""
    names: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUS)
        if found is None:
            break
        assert found["there"] and found["seen"], found["name"]
        names.append(found["name"])
    return names


def test_tab_goes_through_a_page_in_the_order_in_which_it_is_read(window: Windows) -> None:
    page = window("search?q=refunds&k=10")
    names = walk(page)
    assert names[0] == "Skip to content"
    order = [names.index(one) for one in ("Waypost", "Search everything", "Overview", "Context", "Query")]
    assert order == sorted(order)
    assert any("Refunds go to the card" in one for one in names)


def test_every_action_of_a_memory_is_reached_by_tab(window: Windows, served: Served) -> None:
    names = walk(window(f"memory/{served.sample['refunds']}"))
    for one in ("Correct", "Code references", "Level and domain", "Expiry", "Protect", "Retract", "Reject"):
        assert one in names
    assert names[-1].startswith("Forget")


def test_the_first_key_skips_to_the_content(window: Windows) -> None:
    page = window("journal")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_search_by_keys_alone(window: Windows, served: Served) -> None:
    page = window("why")
    page.keyboard.press("/")
    expect(page.locator("#quick")).to_be_focused()
    page.keyboard.type("refunds card that paid/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=*")
    hits = page.locator("[data-hit]")
    page.keyboard.press("j")
    expect(hits.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(hits.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(hits.nth(0)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory/*")


def test_escape_leaves_a_field_so_that_keys_are_keys_again(window: Windows) -> None:
    page = window("search?q=provider")
    page.keyboard.press("/")
    page.keyboard.type("j")
    expect(page.locator("#quick")).to_have_value("j")
    page.keyboard.press("Escape")
    expect(page.locator("#quick")).not_to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("[data-hit]").first).to_be_focused()


def test_a_memory_is_corrected_by_keys_alone(window: Windows, served: Served) -> None:
    page = window(f"memory/{served.remember('The bell rings twice.')}")
    summary = page.locator("summary", has_text="Correct").first
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("The bell rings once.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Corrected")
    expect(page.locator(".said")).to_have_text("The bell rings once.")


def test_the_menu_of_memories_opens_and_closes_by_keys(window: Windows, served: Served) -> None:
    page = window("why")
    menu = page.locator("details.menu")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("link", name="shop")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link", name="shop")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()
