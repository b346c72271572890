"""What people and programs see of a memory whose tree is not on the server's machine."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.conftest import TestClock
from tests.treeless.conftest import JUDGED, Shop

from waypost.faces.dashboard.app import dashboard_app
from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.rest.app import rest_app
from waypost.memory.catalog import Spaces

OWNER = TokenIdentity("ada", "person", "write", "key-1")


def behind_the_gate(app: ASGIApp) -> ASGIApp:
    async def opened(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope if scope["type"] == "lifespan" else {**scope, CALLER: OWNER}, receive, send)

    return opened


@pytest.fixture
def pages(spaces: Spaces) -> Iterator[TestClient]:
    with TestClient(behind_the_gate(dashboard_app(spaces)), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def api(spaces: Spaces, clock: TestClock) -> Iterator[TestClient]:
    with TestClient(behind_the_gate(rest_app(spaces, clock=clock)), base_url="http://127.0.0.1") as client:
        yield client


PAGES = (
    "", "/search?q=total", "/stale", "/stale?file=src/checkout.py", "/review", "/why?q=provider", "/code", "/code/src",
    "/code/src/checkout.py", "/journal", "/journal/2026-01-29", "/context?task=total", "/context?task=total&preset=scope",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_shown_with_a_word_on_the_tree(path: str, pages: TestClient, shop: Shop) -> None:
    page = pages.get(f"/s/{shop.space_id}{path}")
    assert page.status_code == 200, page.text
    assert "This project's repository is not on this machine." in page.text
    assert f"as of {JUDGED}, checkout {shop.root}" in page.text


def test_a_page_of_a_memory_tells_the_last_verdict_and_the_indexed_code(pages: TestClient, shop: Shop) -> None:
    page = pages.get(f"/s/{shop.space_id}/memory/{shop.ids['fresh']}").text
    assert page.count(f"as of {JUDGED}, checkout {shop.root}") == 2  # of the memory's place, and above
    assert "As indexed:" in page and "def is_open(session):" in page
    unjudged = pages.get(f"/s/{shop.space_id}/memory/{shop.ids['unjudged']}").text
    assert "unverified: never judged" in unjudged


def test_staleness_offers_nothing_that_needs_the_tree(pages: TestClient, shop: Shop) -> None:
    page = pages.get(f"/s/{shop.space_id}/stale").text
    assert "The total adds up prices without tax." in page
    assert "Check again" not in page and "Verify selected" not in page
    told = pages.post(f"/s/{shop.space_id}/stale/verify", data={"id": shop.ids["stale"]})
    assert told.status_code == 404 and "Run this where the project is checked out." in told.text


def get(api: TestClient, shop: Shop, path: str, **query: Any) -> Any:
    answer = api.get(f"/api/v1/spaces/{shop.space_id}{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.slow
def test_the_api_tells_checkouts_and_verdicts_with_their_time(api: TestClient, shop: Shop) -> None:
    space = get(api, shop, "")
    assert space["has_tree"] is False
    assert [one["root"] for one in space["checkouts"]] == [str(shop.root)]
    report = get(api, shop, "/staleness")
    assert (report["stale"], report["as_of"]["judged_at"][:10]) == (1, "2026-01-30")
    hits = get(api, shop, "/code/memories", file_path="src/checkout.py")["memories"]
    assert {hit["code_ref"].get("checked_at", "")[:10] for hit in hits} == {"2026-01-30", ""}
    assert get(api, shop, "/status")["as_of"]["root"] == str(shop.root)


def test_the_api_shows_a_memory_as_of_the_checkout_that_is_named(api: TestClient, shop: Shop) -> None:
    (checkout,) = get(api, shop, "")["checkouts"]
    path = f"/api/v1/spaces/{shop.space_id}/staleness"
    assert api.get(path, headers={"waypost-checkout": checkout["checkout"]}).json()["stale"] == 1
    assert api.get(path, headers={"waypost-checkout": "0" * 16}).status_code == 404
    assert api.get(path, headers={"waypost-checkout": "../x"}).status_code == 422


@pytest.mark.slow
def test_what_needs_the_tree_is_refused_by_the_api_with_what_to_do(api: TestClient, shop: Shop) -> None:
    refused = api.get(f"/api/v1/spaces/{shop.space_id}/code/analyze")
    assert refused.status_code == 404
    assert refused.json()["detail"] == "The tree of 'shop' is not on this machine."
    assert refused.json()["remedy"] == "Run this where the project is checked out."
    checked = api.post(f"/api/v1/spaces/{shop.space_id}/staleness/check", json={})
    assert checked.status_code == 404
