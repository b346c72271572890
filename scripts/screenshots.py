"""Pictures of the dashboard with a sample memory: every page for looking at, and those that the documentation shows.

python scripts/screenshots.py FOLDER           every page, on a desk and a phone, in light and in dark
python scripts/screenshots.py --docs           the few in docs/images
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]  # the sample is that of the tests

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from tests.browser.conftest import ARGUMENTS, DESKTOP, PHONE, browser_path  # noqa: E402
from tests.browser.served import Served, serving  # noqa: E402

SIZES = {"desktop": DESKTOP, "phone": PHONE}
LIGHTS: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TASK = "context?task=Change+how+a+basket+is+paid+for&tokens=400"
PAGES = {
    "overview": "",
    "search": "search?q=who+pays+a+refund",
    "search-filters": "search?q=provider&kind=fact&domain=payments",
    "search-nothing": "search?q=zzz&kind=learning&fresh=1&level=0",
    "memory-stale": "memory/{total}",
    "memory": "memory/{refunds}",
    "memory-corrected": "memory/{search}",
    "memory-decision": "memory/{provider}",
    "memory-forget": "memory/{refunds}/forget",
    "staleness": "stale",
    "review": "review",
    "why": "why?q=Why+one+payment+provider",
    "why-all": "why",
    "code": "code",
    "code-file": "code/src/shop/checkout.py",
    "journal": "journal",
    "journal-day": "journal/2026-01-30",
    "journal-week": "journal/2025-W50",
    "journal-month": "journal/2025-09",
    "journal-topics": "journal/topics",
    "journal-conversation": "journal/conversation?id=talk-198-0",
    "context": TASK,
    "error": "nowhere",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """One of those that the documentation shows: what the window shows without scrolling."""

    name: str
    path: str
    width: int
    height: int
    light: Literal["light", "dark"] = "light"


DOCS = (
    Picture("dashboard", "", 1280, 860),
    Picture("dashboard-dark", "", 1280, 860, "dark"),
    Picture("dashboard-why", PAGES["why"], 1280, 640),
    Picture("dashboard-stale", PAGES["memory-stale"], 1280, 820),
    Picture("dashboard-code", PAGES["code-file"], 1280, 720),
    Picture("dashboard-journal", "journal", 1280, 860),
    Picture("dashboard-phone", PAGES["review"], 390, 844),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where every page goes")
    parser.add_argument("--docs", action="store_true", help="renew the pictures in docs/images")
    parser.add_argument("--only", default="", help="pages whose name has this in it")
    told = parser.parse_args()
    if not told.folder and not told.docs:
        parser.error("name a folder, or say --docs")
    with tempfile.TemporaryDirectory() as home, serving(Path(home)) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=list(ARGUMENTS))
        cookies = _sign_in(browser, served)
        if told.folder:
            told.folder.mkdir(parents=True, exist_ok=True)
            _every_page(browser, cookies, served, told.folder, told.only)
        if told.docs:
            _for_docs(browser, cookies, served, ROOT / "docs" / "images")
        browser.close()


def _sign_in(browser: Browser, served: Served) -> list[object]:
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.started.sign_in)
    page.wait_for_url(served.page())
    cookies: list[object] = list(context.cookies())
    context.close()
    return cookies


def _window(browser: Browser, cookies: list[object], width: int, height: int, light: Literal["light", "dark"]) -> Page:
    by_finger = width < 500
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=light, is_mobile=by_finger, has_touch=by_finger
    )
    context.add_cookies(cookies)  # type: ignore[arg-type]
    return context.new_page()


def _every_page(browser: Browser, cookies: list[object], served: Served, folder: Path, only: str) -> None:
    for kind, (width, height) in SIZES.items():
        for light in LIGHTS:
            page = _window(browser, cookies, width, height, light)
            for name, path in PAGES.items():
                if only in name:
                    page.goto(served.page(path.format(**served.sample.ids)))
                    page.screenshot(path=folder / f"{name}-{kind}-{light}.png", full_page=True)
            page.context.close()


def _for_docs(browser: Browser, cookies: list[object], served: Served, folder: Path) -> None:
    for one in DOCS:
        page = _window(browser, cookies, one.width, one.height, one.light)
        page.goto(served.page(one.path.format(**served.sample.ids)))
        page.screenshot(path=folder / f"{one.name}.png")
        page.context.close()


if __name__ == "__main__":
    main()
