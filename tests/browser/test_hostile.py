"""Whatever stands in a memory, a file or an address shows as text, and nothing of it runs or breaks the page."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import PHONE, Windows, fits
from tests.browser.sample import AGENT
from tests.browser.served import Served

SET = "window.__pwned=1"
HOSTILE = (
    f"<script>{SET}</script><img src=x onerror='{SET}'><svg onload='{SET}'></svg>\"'><iframe srcdoc='<script>parent.{SET}</script>'>"
    f" [link](javascript:{SET}) javascript:{SET} {{{{ 7*7 }}}} ${{7*7}} evil\u202etxt.exe \u2066x\u2069 "
)
ANSI = "\x1b[31mred\x1b[0m"  # no memory takes it; a file may hold it
HUGE = "W" * 3000
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\x1b]")


@pytest.fixture(scope="module")
def places(served: Served) -> list[str]:
    """The pages on which something hostile stands."""
    agent, path = served.agent, "src/<img src=x onerror=alert(1)>&.py"
    file = served.sample.root / path
    file.write_text(f'"""{HOSTILE}{ANSI}"""\n\n\ndef hostile():\n    return "</li></ol><script>{SET}</script>"\n')
    agent.code.update([file])
    fact = agent.remember(
        HOSTILE + HUGE,
        tags={"<b>tag</b>": HOSTILE[:60]},
        domain="<u>domain</u>",
        evidence=[HOSTILE],
        refs=[f"{path}#L4-L5"],
        key="<i>key</i>",
    ).id
    file.write_text(file.read_text().replace("return", "yield 3 *"))
    agent.code.stale(check=True)
    decided = agent.decide(f"Decide {HOSTILE}", because=[HOSTILE], leads_to=[HUGE], given=[f"javascript:{SET}"])
    now = served.sample.clock.now
    talk = {"kind": "conversation", "session": "<svg onload=alert(1)>", "speaker": "<b>mallory</b>"}
    agent.remember_many([{**talk, "text": HOSTILE + HUGE, "time": now - timedelta(hours=30)}])
    served.propose(f"From now on all reports are written by {HOSTILE[:80]} and nobody else.")
    served.sample.memory(AGENT).correct(str(fact), HOSTILE + "changed")
    return [
        "",
        "search?q=script+window+pwned",
        "search?q=%3Cscript%3Ewindow.__pwned%3D1%3C%2Fscript%3E&domain=%22%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
        f"memory/{fact}",
        f"memory/{decided.decision.id}",
        f"memory/{fact}/forget",
        "stale",
        "review",
        "why?q=Decide+script+window",
        "code",
        "code/src/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%26.py",
        "journal?q=script",
        "journal/2026-01-29",
        "journal/conversation?id=%3Csvg+onload%3Dalert(1)%3E",
        "context?task=script+window+pwned+decide&tokens=2000",
        "nowhere/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "?told=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    ]


def test_nothing_that_is_stored_runs_or_becomes_a_part_of_the_page(
    window: Windows, served: Served, places: list[str]
) -> None:
    page = window(None, size=PHONE)
    seen, wide = "", list[str]()
    for path in places:
        answer = page.goto(served.page(path))
        assert answer is not None
        assert answer.status in ((404,) if path.startswith("nowhere") else (200,)), path
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        _is_harmless(page, path)
        if not fits(page):
            wide.append(path)
        seen += page.locator("main").inner_text()
    assert not wide
    assert "<script>window.__pwned=1</script>" in seen
    assert "{{ 7*7 }}" in seen
    assert "<b>mallory</b>" in seen


def _is_harmless(page: Page, path: str) -> None:
    assert not page.evaluate("window.__pwned"), path
    assert page.locator("main script, main iframe, main img, main b, main u, main i:not(.legend i)").count() == 0, path
    addresses = page.evaluate(
        "[...document.querySelectorAll('[href], [action], [formaction], [src]')].map(one => "
        "one.getAttribute('href') || one.getAttribute('action') || one.getAttribute('formaction') || one.getAttribute('src'))"
    )
    assert all(one.startswith(("/", "#", "?")) for one in addresses), path
    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes])"
            ".filter(one => one.name.startsWith('on') || one.name === 'style').length"
        )
        == 0
    ), path
    assert not TURNING.search(page.locator("body").inner_text()), path
    assert not TURNING.search(page.title()), path


def test_a_form_without_the_token_of_its_page_changes_nothing(window: Windows, served: Served) -> None:
    page = window("why")
    made = served.remember("Nobody else may take this back.")
    sent = page.request.post(
        served.page(f"memory/{made}/retract"),
        form={"csrf": "wrong"},
        headers={"Origin": served.url},
        max_redirects=0,
    )
    assert sent.status == 403
    assert served.memory.show(made).id == made


def test_pages_may_run_only_their_own_script(window: Windows) -> None:
    page = window("why", known=True)
    answer = page.request.get(page.url)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe" not in policy
    expect(page.get_by_role("main")).to_be_visible()
