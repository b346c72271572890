"""An agent whose memory is damaged: it reads on with a notice, and is told what the person has to do."""

from collections.abc import Callable

import pytest
from tests.faces.mcp.conftest import Agent
from tests.store.damage.filled import root_page, zero

from waypost import Memory
from waypost.memory.spaces import open_spaces


def damage(agent: Agent, *tables: str) -> None:
    memory = agent.memory
    for number in range(40):  # more than a page holds
        text = f"Ship {number} leaves on day {number} from the quay of the northern harbour of this town"
        memory.remember(text, kind="note")
    place = memory.space.folder / "memory.db"
    open_spaces.drop_all()
    zero(place, *([root_page(place, table) for table in tables] or [1]))


@pytest.mark.slow
def test_what_can_be_read_is_given_with_a_notice(agent: Agent) -> None:
    damage(agent, "memories", "checkouts")
    told = agent.text("recall", question="Which day does ship 7 leave?")
    assert "Ship 7 leaves" in told
    assert "The database is damaged" in told and "waypost doctor --fix" in told
    assert "The database is damaged" in agent.text("status")
    assert "waypost doctor --fix" in agent.refusal("remember", text="Written into it")


@pytest.mark.slow
def test_one_that_cannot_be_opened_says_what_to_do(agent: Agent, open_memory: Callable[..., Memory]) -> None:
    damage(agent)
    for name, given in (("recall", {"question": "ship 7"}), ("remember", {"text": "Written"}), ("status", {})):
        told = agent.refusal(name, **given)
        assert "is damaged" in told and "waypost doctor --fix" in told
    assert open_memory("other").remember("Another project goes on").status == "added"
