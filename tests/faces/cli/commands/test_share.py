"""`waypost share`: as people and scripts use it."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

QUESTION = "How often are payments retried?"


@pytest.fixture
def shop(project: Path, waypost: Waypost) -> str:
    """A project beside this one that knows something of payments."""
    place = project.parent / "shop-api"
    place.mkdir()
    (place / "pay.py").write_text("def pay():\n    return 3\n")
    assert not waypost("-C", str(place), "remember", "Payments are retried three times", "--ref", "pay.py#L1-L2").code
    assert not waypost("remember", "The start page shows six products").code
    return str(place)


@pytest.mark.slow
def test_a_share_is_offered_accepted_asked_and_revoked(waypost: Waypost, shop: str) -> None:
    offered = waypost("-C", shop, "share", "offer", "project", "--kind", "fact", "--yes")
    assert "Offered to project" in offered.out
    assert "not accepted yet; there: waypost share accept" in offered.out
    assert "Offered by shop-api" in waypost("share", "list").out
    assert "three times" not in waypost("ask", QUESTION).out
    assert "Reads shop-api" in waypost("share", "accept", "../shop-api", "--yes").out
    answer = waypost("ask", QUESTION).out
    assert "from shop-api pay.py:1" in answer
    assert "(from shop-api pay.py:1, agent," in waypost("context", QUESTION).out
    assert "Read by project" in waypost("-C", shop, "share", "list").out
    assert "No longer read by project" in waypost("-C", shop, "share", "revoke", "project", "--yes").out
    assert "three times" not in waypost("ask", QUESTION).out


def test_json_names_the_project_and_leads_to_no_file_of_this_tree(waypost: Waypost, shop: str) -> None:
    made = waypost("-C", shop, "share", "offer", "project", "--yes", "--json").json
    assert (made["role"], made["state"]) == ("gives", "offered")
    waypost("share", "accept", "shop-api", "--yes")
    (hit,) = (one for one in waypost("ask", QUESTION, "--json").json["hits"] if "project" in one)
    assert hit["project"]["name"] == "shop-api"
    assert (hit["path"], hit["editor_link"], hit["code_link"]) == ("pay.py", None, None)
    assert hit["code_refs"][0]["editor_link"] is None
    shown = waypost("show", hit["id"], "--json").json
    assert shown["project"] == hit["project"]
    assert "shop-api (" in waypost("show", hit["id"]).out
    (listed,) = waypost("share", "list", "--json").json["shares"]
    assert listed["state"] == "active"


@pytest.mark.slow
def test_to_forget_a_shared_memory_is_refused_with_its_project(waypost: Waypost, shop: str) -> None:
    waypost("-C", shop, "share", "offer", "project", "--yes")
    waypost("share", "accept", "shop-api", "--yes")
    (hit,) = (one for one in waypost("ask", QUESTION, "--json").json["hits"] if "project" in one)
    for more in ((), ("--yes",)):
        refused = waypost("forget", hit["id"], *more)
        assert (refused.code, "belongs to project shop-api" in refused.err) == (1, True)
    assert waypost("-C", shop, "show", hit["id"]).code == 0


def test_without_a_person_nothing_is_decided(waypost: Waypost, shop: str) -> None:
    refused = waypost("-C", shop, "share", "offer", "project")
    assert refused.code == 1
    assert "Only a person" in refused.err
    assert waypost("share", "list", "--json").json == {"shares": []}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("offer", "nobody"), "no memory of a project 'nobody'"),
        (("offer", "./nowhere"), "no directory"),
        (("offer", "shop-api", "--kind", "conversation"), "cannot be shared"),
        (("offer", "shop-api", "--kind", "gossip"), "no kind"),
        (("offer", "shop-api", "--level", "9"), "level"),
        (("accept", "shop-api"), "offers nothing"),
        (("revoke", "shop-api"), "Nothing is shared"),
        (("offer", "\x1b[31mred"), "no memory of a project"),
    ],
)
def test_what_cannot_be_is_said_with_a_way_on(
    waypost: Waypost, shop: str, arguments: tuple[str, ...], told: str
) -> None:
    done = waypost("share", *arguments, "--yes")
    assert done.code in (2, 3)
    assert told in done.err
    assert "\x1b" not in done.err
    assert len(done.err.strip().splitlines()) <= 2


def test_projects_of_one_name_are_told_apart_by_their_ids(waypost: Waypost, shop: str, project: Path) -> None:
    twin = project.parent / "other" / "shop-api"
    twin.mkdir(parents=True)
    waypost("-C", str(twin), "remember", "Another shop")
    done = waypost("share", "offer", "shop-api", "--yes")
    assert done.code == 2
    assert "2 projects here are called 'shop-api'" in done.err
    assert "Give the id" in done.err
    assert not waypost("share", "offer", str(twin), "--yes").code
