"""The default briefing: everything known about a task, with a bounded part for what is always told."""

import pytest

from waypost.context.budget import count_tokens
from waypost.memory import Memory


@pytest.mark.parametrize("tokens", [200, 500, 2000, 5000])
def test_level_0_takes_at_most_15_percent_of_the_default_briefing(memory: Memory, tokens: int) -> None:
    memory.remember_many(
        {"text": f"Rule {number}: every change of the ledger is {'reviewed and ' * 12}signed.", "level": 0}
        for number in range(40)
    )
    memory.remember("The ledger is closed on the last day of a quarter.", level=2)
    told = memory.brief("when is the ledger closed", tokens)
    always = [line for line in told.text.splitlines() if line.startswith("- Rule")]
    assert sum(count_tokens(line) + 1 for line in always) <= 0.15 * tokens
    assert "The ledger is closed" in told.text
    assert told.tokens <= tokens


def test_the_routed_briefing_has_no_such_bound(memory: Memory) -> None:
    memory.remember_many(
        {"text": f"Rule {number} of the ledger {'stands and ' * 12}stays.", "level": 0} for number in range(40)
    )
    told = memory.brief("when is the ledger closed", 1000, preset="route")
    assert 800 < told.tokens <= 1000
