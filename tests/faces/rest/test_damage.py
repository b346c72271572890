"""A memory whose database is damaged, beside others that are not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.store.damage.filled import root_page, zero

from waypost import Memory
from waypost.memory.spaces import open_spaces

HERE = "/api/v1/spaces/here"


@pytest.fixture
def other(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory("other")
    memory.remember("The other project ships on Fridays")
    return memory


def damage(memory: Memory, *tables: str) -> None:
    """Zero the pages that these tables begin at; without any, the page that SQLite begins with."""
    place: Path = memory.space.folder / "memory.db"
    open_spaces.drop_all()
    zero(place, *([root_page(place, table) for table in tables] or [1]))


def others_go_on(served: Any) -> None:
    memory_id = served.remember("This project ships on Mondays")
    assert served.reader.get(f"{HERE}/memories/{memory_id}").status_code == 200
    answer = served.reader.get(f"{HERE}/recall", params={"q": "When does this project ship?"}).json()
    assert answer["hits"][0]["id"] == memory_id
    assert "notices" not in served.reader.get(f"{HERE}/memories").json()


@pytest.mark.slow
def test_one_that_cannot_be_opened_says_what_to_do(served: Any, other: Memory, problem: Any) -> None:
    place = f"/api/v1/spaces/{other.identity.space_id}"
    damage(other)
    for path in ("", "/status", "/memories", "/recall?q=ships"):
        assert "waypost doctor --fix" in problem(served.reader.get(f"{place}{path}"), 503)["remedy"]
    written = served.agent.post(f"{place}/memories", json={"text": "Written into it"})
    assert "is damaged" in problem(written, 503)["detail"]
    spaces = {one["name"]: one for one in served.reader.get("/api/v1/spaces").json()["spaces"]}
    assert "waypost doctor --fix" in spaces["other"]["damage"]
    assert "damage" not in spaces["project"]
    others_go_on(served)


@pytest.mark.slow
@pytest.mark.parametrize("tables", [("checkouts",), ("memories",), ("meta", "tombstones"), ("passages",)])
def test_one_of_which_a_table_is_damaged_is_read(
    served: Any, open_memory: Callable[..., Memory], problem: Any, tables: tuple[str, ...]
) -> None:
    other = open_memory("other")
    for number in range(40):  # more than a page holds
        text = f"Ship {number} of the other project leaves on day {number} from the quay of the northern harbour"
        other.remember(text, kind="note")
    damage(other, *tables)
    place = f"/api/v1/spaces/{other.identity.space_id}"
    page = served.reader.get(f"{place}/memories", params={"limit": 100}).json()
    assert len(page["memories"]) == 40
    answer = served.reader.get(f"{place}/recall", params={"q": "Which day does ship 7 leave?"}).json()
    assert "Ship 7 " in " ".join(hit["text"] for hit in answer["hits"])
    assert any("The database is damaged" in notice for notice in answer["notices"])
    written = served.agent.post(f"{place}/memories", json={"text": "Written into it"})
    assert "waypost doctor --fix" in problem(written, 503)["remedy"]
    others_go_on(served)


def test_a_page_says_what_it_lacks(served: Any, other: Memory) -> None:
    damage(other, "memories")
    page = served.reader.get(f"/api/v1/spaces/{other.identity.space_id}/memories").json()
    assert page["memories"] == []
    assert "without 1 memory. Run `waypost doctor --fix`" in page["notices"][0]
