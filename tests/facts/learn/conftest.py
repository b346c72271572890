"""Short builders for changes."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from waypost.facts.domains import Layout
from waypost.facts.learn.change_context import ChangeContext, ExistsToday
from waypost.facts.learn.propose import propose
from waypost.model.candidate import Candidate
from waypost.model.change import MODIFIED, ChangeSet, FileChange, SymbolChange

Commit = Callable[..., ChangeSet]


def candidates(change: ChangeSet, layout: Layout, exists_today: ExistsToday | None = None) -> tuple[Candidate, ...]:
    return propose(ChangeContext.of(change, layout, exists_today))[0]


def only(change: ChangeSet, layout: Layout) -> Candidate:
    """The candidate of a change that gives one."""
    proposed = candidates(change, layout)
    assert len(proposed) == 1, [candidate.text for candidate in proposed]
    return proposed[0]


@pytest.fixture
def layout() -> Layout:
    return Layout.of(["src/shop/cart.py", "src/shop/pay.py", "src/mail/send.py", "src/mail/queue.py", "README.md"])


@pytest.fixture
def commit() -> Commit:
    """`commit("subject", file, body="…")`. Without files, one function of the cart and its test changed."""

    def make(subject: str, *files: FileChange, body: str = "", id: str = "1a2b3c4d5e6f", **more: object) -> ChangeSet:
        total = SymbolChange("Cart.total", "method", MODIFIED, line=10, end_line=20, lines_changed=4)
        usual = (
            FileChange("src/shop/cart.py", MODIFIED, language="python", lines_added=4, symbols=(total,)),
            FileChange("tests/test_cart.py", MODIFIED, role="test", lines_added=9),
        )
        values: dict[str, object] = {"time": datetime(2026, 5, 1, tzinfo=UTC), **more}
        return ChangeSet(files=files or usual, commit=id, subject=subject, body=body, **values)  # type: ignore[arg-type]

    return make
