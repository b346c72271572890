"""Every page in a real browser: it says what it is about, fits a desk and a phone, and everybody can read it."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import DESKTOP, PHONE, Windows, fits
from tests.browser.served import Served

# The path of a page, and words that stand on it. `{name}` is the id of a memory of the sample.
PAGES = {
    "": "Needs attention",
    "?check=1": "Memories on this machine",
    "search": "Newest memories",
    "search?q=payment+provider": "best first",
    "search?q=zzz&kind=learning&fresh=1&level=0": "No results",
    "memory/{total}": "It may be wrong",
    "memory/{refunds}": "Source",
    "memory/{refunds}/forget": "This cannot be undone",
    "memory/{provider}": "Links",
    "stale": "of memories about code are fresh",
    "stale?by=age": "Stale for",
    "review": "to review",
    "why": "Decisions, newest first",
    "why?q=why+one+provider": "As text",
    "code": "memories about them",
    "code/src/shop/checkout.py": "A card is charged once",
    "journal": "Timeline",
    "journal?q=refunds": "by hand are down",
    "journal/2026-01-30": "From now on all reports",
    "journal/2025-W40": "Summary",
    "journal/topics": "Topics, with number",
    "journal/conversation?id=talk-6-0": "Similar conversations",
    "context": "See what an agent sees",
    "context?task=change+the+checkout&tokens=300": "tokens",
}
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
# Without what takes the most time and nobody reads: where the elements stand that are in order, and all style sheets again.
QUICK = {"resultTypes": ["violations"], "selectors": False, "preload": False}
ALL = {**QUICK, "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
OF_COLOURS = {**QUICK, "runOnly": ["color-contrast", "link-in-text-block"]}
# In the dark a page has other colours, and is otherwise the same.
LIGHTS: dict[Literal["light", "dark"], dict[str, Any]] = {"light": ALL, "dark": OF_COLOURS}
# Each check of a page takes a third of a second. So the suite checks each width and each light once, and the soak all of them.
ONCE: tuple[tuple[tuple[int, int], Literal["light", "dark"]], ...] = ((DESKTOP, "light"), (PHONE, "dark"))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_shows_what_it_is_about_at_any_width_and_in_any_light(
    path: str, window: Windows, served: Served
) -> None:
    page = window(path.format(**served.sample.ids))
    expect(page.get_by_role("main")).to_contain_text(PAGES[path])
    assert faults(page, ONCE) == {}


@pytest.mark.soak
@pytest.mark.parametrize("path", PAGES)
def test_a_page_can_be_used_at_every_width_in_every_light(path: str, window: Windows, served: Served) -> None:
    page = window(path.format(**served.sample.ids))
    assert faults(page, [(size, scheme) for size in (DESKTOP, PHONE) for scheme in LIGHTS]) == {}


def faults(page: Page, looks: Iterable[tuple[tuple[int, int], Literal["light", "dark"]]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for size, scheme in looks:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert fits(page), f"wider than {size[0]}"
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for name, where in serious(page).items():
            found.setdefault(name, []).extend((f"{size[0]} {scheme}", *where))
    return found


def serious(page: Page, rules: dict[str, Any] = ALL) -> dict[str, list[str]]:
    """What keeps people from using the page: rules of axe that it breaks, with the places."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    told: list[dict[str, Any]] = page.evaluate("async (rules) => (await axe.run(rules)).violations", rules)
    return {
        f"{one['id']}: {one['help']}": [node["html"][:160] for node in one["nodes"]]
        for one in told
        if one["impact"] in ("serious", "critical")
    }


def test_the_check_finds_what_few_can_read_and_what_has_no_name(window: Windows) -> None:
    page = window("why")
    page.evaluate("document.querySelector('h1').style.color = '#ddd'; document.querySelector('#q').labels[0].remove()")
    page.evaluate("document.querySelector('#q').removeAttribute('placeholder')")
    assert {name.partition(":")[0] for name in serious(page)} == {"color-contrast", "label"}


def test_the_page_to_sign_in_can_be_used_by_everybody(window: Windows, served: Served) -> None:
    page = window(known=False)
    for scheme, rules in LIGHTS.items():
        page.emulate_media(color_scheme=scheme)
        assert not serious(page, rules)


def test_a_page_that_is_not_there_says_so_and_leads_back(window: Windows, served: Served) -> None:
    page = window("nowhere")
    expect(page.get_by_role("alert")).to_contain_text("Page not found.")
    page.get_by_role("link", name="Go to the overview").click()
    page.wait_for_url(served.page())
