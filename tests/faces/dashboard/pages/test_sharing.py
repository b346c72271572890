"""What is shared: told on the overview, ended there, and named in a search."""

import html

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.faces.dashboard.conftest import HOSTILE, READER, Browse

from waypost import Memory
from waypost.model.memory import Caller

PERSON = Caller("person", "ada")


def sharing(open_memory: OpenMemory, clock: TestClock) -> tuple[Memory, Memory]:
    """Two projects in the hands of a person; the second reads the first."""
    shop, web = (Memory.open(open_memory(name).code.root, caller=PERSON, clock=clock) for name in ("shop", "web"))
    shop.remember("Payments are retried three times")
    web.remember("The start page shows six products")
    shop.admin.shares.offer("web")
    return shop, web


@pytest.mark.slow
def test_an_offer_is_accepted_and_revoked_on_the_overview(
    open_memory: OpenMemory, browse: Browse, clock: TestClock
) -> None:
    shop, web = sharing(open_memory, clock)
    browser = browse(web)
    assert "Offered by <strong>shop</strong>: all facts and decisions" in browser.get()
    browser.post("shares/accept", project=shop.identity.space_id)
    assert "Reads <strong>shop</strong>" in browser.get()
    found = browser.get("search", q="How often are payments retried?")
    assert "from shop" in found
    assert "Payments are retried three times" in found
    browser.post("shares/revoke", project=shop.identity.space_id, role="takes")
    assert "No longer reads <strong>shop</strong>" in browser.get()
    assert "three times" not in browser.get("search", q="How often are payments retried?")
    assert "revoked a share" in browser.get()


@pytest.mark.slow
def test_only_a_person_who_may_write_sees_the_buttons_and_is_heard(
    open_memory: OpenMemory, browse: Browse, clock: TestClock
) -> None:
    shop, web = sharing(open_memory, clock)
    web.admin.shares.accept("shop")
    browser = browse(web, READER)
    assert "/shares/revoke" not in browser.get()
    browser.post("shares/revoke", 403, project=shop.identity.space_id, role="takes")
    assert web.admin.shares.list()[0].state == "active"


def test_without_shares_it_says_how_to_begin(open_memory: OpenMemory, browse: Browse) -> None:
    assert "waypost share offer PROJECT" in browse(open_memory()).get()


@pytest.mark.slow
def test_what_stands_in_a_shared_memory_is_only_text(open_memory: OpenMemory, browse: Browse, clock: TestClock) -> None:
    shop, web = sharing(open_memory, clock)
    shop.remember(f"Payments {HOSTILE}", domain=HOSTILE[:50].replace("\u202e", ""))
    web.admin.shares.accept("shop")
    found = browse(web).get("search", q="payments")
    assert "<script>alert(1)" not in found
    assert html.escape("<script>alert(1)</script>", quote=False) in found
