"""One server and one browser for all tests of a process, and a window of its own for each test.

A window fails its test when the page logs an error, breaks its content policy, or asks another host for anything.
"""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright
from tests.browser.served import Served, serving

DESKTOP, PHONE = (1280, 900), (390, 844)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PROBE = "window.__pwned = 0; for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => { window.__pwned += 1; };"

REFUSED = (
    "/nowhere",
    "/login",
    "/journal/note",
)  # browsers log it as an error when these say no, as they do to tests that ask for it

Windows = Callable[..., Page]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.slow)


def browser_path() -> str:
    """The browser that is told, else Debian's: that without windows, which draws a page for half the work, if it is there."""
    told = os.environ.get("WAYPOST_TEST_BROWSER")
    names = [told] if told else ["chromium-headless-shell", "chromium"]
    return next(filter(None, map(shutil.which, names)), "")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Ends with this folder: while it runs, its event loop does, and tests of others could have none of their own."""
    path = browser_path()
    assert path, "There is no Chromium here: run scripts/install-browser.sh, or name one in WAYPOST_TEST_BROWSER."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.fixture(autouse=True)
def whole_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut no answers by certainty: the cosines of the fake engine are others. Other folders have real ones."""
    monkeypatch.setattr("waypost.retrieve.certainty.FITTED_FOR", frozenset())


@pytest.fixture(scope="session")
def cookies() -> list[object]:
    return []


@pytest.fixture(scope="package")
def signed_in(browser: Browser, served: Served, cookies: list[object]) -> list[object]:
    """The cookies of a person who typed, once, the code that the server printed."""
    if cookies:
        return cookies
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.url)
    page.get_by_label("Sign-in code, or token").fill(served.started.code)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(served.page())
    cookies += context.cookies()
    context.close()
    return cookies


class Watched:
    """What went wrong in a window."""

    def __init__(self, own: str) -> None:
        self._own = own
        self.troubles: list[str] = []

    def heard(self, message: ConsoleMessage) -> None:
        refused = any(part in message.location["url"] for part in REFUSED)
        if message.type in ("error", "warning") and not refused:
            self.troubles.append(f"{message.type}: {message.text}")

    def asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self._own}/", "data:")):
            self.troubles.append(f"asked another host: {request.url}")


@pytest.fixture
def window(browser: Browser, served: Served, signed_in: list[object]) -> Iterator[Windows]:
    """Open a window: `window("stale", size=PHONE)` shows that page. What goes wrong in it fails the test at its end."""
    opened: list[tuple[BrowserContext, Page, Watched]] = []

    def open_(path: str | None = "", *, size: tuple[int, int] = DESKTOP, known: bool = True, **options: object) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)  # type: ignore[arg-type]
        context.set_default_timeout(15_000)
        if known:
            context.add_cookies(signed_in)  # type: ignore[arg-type]
        watched = Watched(served.url)
        context.on("console", watched.heard)
        context.on("weberror", lambda error: watched.troubles.append(f"script failed: {error.error}"))
        context.on("request", watched.asked)
        context.add_init_script(PROBE)
        page = context.new_page()
        opened.append((context, page, watched))
        if path is not None:
            page.goto(served.page(path))
        return page

    yield open_
    for context, page, watched in opened:
        ran = page.evaluate("window.__pwned || 0")
        context.close()
        assert not watched.troubles
        assert ran == 0, "a text of a memory ran as script"


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    chosen: tuple[int, int] = request.param
    return chosen


WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('body *')]
        .filter((one) => one.getBoundingClientRect().right > width && !one.closest('.scroll, .code, pre'))
        .map((one) => one.outerHTML.slice(0, 120));
}"""


def fits(page: Page) -> bool:
    """Whether the page is no wider than its window. Says what is not."""
    wide: list[str] = page.evaluate(WIDE)
    for one in wide:
        print(one)  # shown when the test fails
    return not wide
