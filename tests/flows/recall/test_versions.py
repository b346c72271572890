"""A memory as it was at a moment."""

import pytest
from tests.conftest import TestClock

from waypost.errors import NotFound
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop


def test_a_memory_is_not_shown_for_a_moment_at_which_it_did_not_hold(memory: Memory, clock: TestClock) -> None:
    kept = memory.remember("Deploys happen on Mondays", valid_until="2026-02-01").id or ""
    clock.advance(seconds=1)
    for moment in ({"as_of": "1990-01-01"}, {"known_at": "1990-01-01"}, {"as_of": "2026-03-01"}):
        with pytest.raises(NotFound, match="did not hold then"):
            memory.show(kept, **moment)
    assert memory.show(kept, as_of="2026-01-31").version.text == "Deploys happen on Mondays"
    clock.advance(days=90)
    assert memory.show(kept).version.valid_until is not None, "without a moment, the latest that is held"


@pytest.mark.xfail(
    strict=True, reason="states have no history: what was archived at a moment shows there once it is renewed"
)
def test_what_was_archived_at_a_moment_stays_so_for_that_moment(memory: Memory, clock: TestClock) -> None:
    said = memory.remember("The demo is at noon", ttl=60, on_expire="archive")
    moment = clock.advance(days=1)
    memory.admin.maintain()
    assert memory.list(known_at=moment) == []
    clock.advance(days=1)
    memory.facts.set_ttl(str(said.id))
    assert memory.list(known_at=moment) == []
