"""What an agent gets of other projects: named, only to be read."""

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.faces.mcp.conftest import Agent

from waypost import Memory
from waypost.model.memory import Caller

PERSON = Caller("person", "anna")


@pytest.mark.slow
def test_a_shared_hit_says_its_project_and_an_id_gives_the_whole(
    agent: Agent, open_memory: OpenMemory, clock: TestClock
) -> None:
    bank = Memory.open(open_memory("bank").code.root, caller=PERSON, clock=clock)
    kept = bank.remember("Loans are paid back within nine years").id
    assert kept is not None
    bank.admin.shares.offer(agent.memory.identity.space_id)
    Memory(agent.memory.identity, agent.memory.space.settings, PERSON, clock).admin.shares.accept(
        bank.identity.space_id
    )
    [hit] = agent.data("recall", question="When are loans paid back?", scope="facts")["hits"]
    assert hit["project"] == "bank"
    assert "from project bank" in agent.text("recall", question="When are loans paid back?", scope="facts")
    assert "Loans are paid back within nine years" in agent.text("recall", question=kept)
    assert "from bank" in agent.text("brief", task="When are loans paid back?")
    bank.admin.shares.revoke(agent.memory.identity.space_id)
    assert agent.data("recall", question="When are loans paid back?", scope="facts")["hits"] == []
