"""What only persons may: over REST and MCP alike it takes a person's token, and for forgetting an owner's."""

import pytest
from tests.faces.serve.team.conftest import Team


def said(team: Team, text: str) -> str:
    found: str = team.one.remember(team.token("bob", f"w-{len(team.directory.tokens())}"), team.shop, text).json["id"]
    return found


@pytest.mark.parametrize("action", ["reject", "forget"])
def test_the_yes_of_an_agents_client_is_nobodys_word(team: Team, action: str) -> None:
    memory = said(team, f"Agents may not {action} this.")
    robot, asked = team.token("alice", f"p1-{action}", kind="agent"), list[str]()
    done, told = team.one.call(robot, "review", {"action": action, "id": memory}, asked)
    assert not done and "Only a person can decide this" in told
    assert not asked, "nobody is asked whose yes would not count"
    place = f"/api/v1/spaces/{team.shop}/memories/{memory}"
    assert team.one.ask("GET", place, team.token("alice", f"p1-{action}-look")).status == 200


def test_an_owner_forgets_through_a_client_that_has_their_own_token(team: Team) -> None:
    memory, asked = said(team, "An owner forgets this through a client."), list[str]()
    done, told = team.one.call(team.token("alice", "p2"), "review", {"action": "forget", "id": memory}, asked)
    assert done, told
    assert len(asked) == 1 and "permanently" in asked[0]
    look = team.token("alice", "p2-look")
    assert team.other.ask("GET", f"/api/v1/spaces/{team.shop}/memories/{memory}", look).status == 404
    last = team.one.ask("GET", f"/api/v1/spaces/{team.shop}/audit?limit=1", look).json["entries"][0]
    assert (last["action"], last["source"], last["actor"]) == ("forget", "person", "alice")


def test_a_writer_rejects_but_does_not_forget_through_a_client(team: Team) -> None:
    memory, asked, bob = said(team, "A writer may reject this."), list[str](), team.token("bob", "p3")
    done, told = team.one.call(bob, "review", {"action": "forget", "id": memory}, asked)
    assert not done and "Only an owner" in told and not asked
    done, told = team.one.call(bob, "review", {"action": "reject", "id": memory}, asked)
    assert done and len(asked) == 1, told
