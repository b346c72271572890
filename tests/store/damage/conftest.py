"""One filled memory for all tests of a process; each test damages a copy of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.damage.filled import Filled, fill

from waypost.embed.fake import FakeEngine


def pytest_itemcollected(item: pytest.Item) -> None:
    """Not for the inner loop: each repairs a whole memory."""
    item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    folder = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAYPOST_BACKGROUND", "0")
        patch.setenv("HOME", str(folder))
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: FakeEngine())
        return fill(folder / "home", folder / "project")


Damaged = Callable[[str], Filled]


@pytest.fixture
def copied(template: Filled, tmp_path: Path, fake_engine: FakeEngine) -> Filled:
    """A copy to damage. The clean home of the test is it, so that commands find it too."""
    assert fake_engine is not None
    return template.copy(tmp_path / "home")
