"""What pages of a team's server cost: the list of memories is one question, however many there are."""

from dataclasses import replace
from typing import Any

import pytest
from tests.faces.serve.team.conftest import Team

from waypost import Memory, config
from waypost.faces.dashboard.pages import PAGES
from waypost.memory.spaces import open_spaces
from waypost.store.postgres.connection import ServerPool


def test_a_page_asks_no_more_of_the_database_where_there_are_more_memories(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.directory.add_user("iris")
    team.directory.add_member(team.shop, "iris", "owner")
    browser, asked, lend = team.one.sign_in(team.token("iris", "pages")), list[int](), ServerPool.lend

    def counted(pool: ServerPool, begin: str) -> Any:
        asked.append(1)
        return lend(pool, begin)

    monkeypatch.setattr(ServerPool, "lend", counted)
    paths = [one.path for one in PAGES if "GET" in one.methods and "{" not in one.path and one.path]

    def cost() -> dict[str, int]:
        found = {}
        for path in paths:
            team.one.ask("GET", f"/s/{team.shop}{path}", **browser)  # opens what it needs
            asked.clear()
            page = team.one.ask("GET", f"/s/{team.shop}{path}", **browser)
            assert page.status in (200, 404), page.text  # a journal without entries
            found[path] = len(asked)
        return found

    few = cost()
    settings = config.load(
        {"WAYPOST_HOME": str(team.homes / "more"), "WAYPOST_STORE": team.dsn, "HOME": str(team.homes)}
    )
    for number in range(5):
        (team.homes / f"more-{number}").mkdir()
        memory = Memory.open(team.homes / f"more-{number}", settings=replace(settings, machine="elsewhere"))
        memory.remember(f"The number of this one is {number}.")
        team.directory.add_member(memory.identity.space_id, "iris", "reader")
    open_spaces.drop_all()
    listed = team.one.ask("GET", f"/s/{team.shop}/search", **browser).text
    assert all(f"more-{number}" in listed for number in range(5))
    many = cost()
    # Fewer than one for each of them: a look at the memory itself may have been due anew.
    assert all(many[path] < few[path] + 5 for path in paths), (few, many)
