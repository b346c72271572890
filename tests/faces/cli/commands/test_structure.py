"""The commands about the structure of code, as a person or a script sees them."""

from pathlib import Path

import pytest
from tests.conftest import Git
from tests.faces.cli.conftest import Waypost

CODE = """\
class Store:
    def write(self, key):
        check(key)


def check(key):
    return key


def save(store: Store):
    store.write("a")
    store.write("b")
"""


@pytest.fixture
def tree(project: Path, waypost: Waypost, git: Git) -> Path:
    git(project, "init", "-q")
    (project / "src").mkdir()
    (project / "src" / "store.py").write_text(CODE)
    assert waypost("init", "--json").code == 0
    return project


def test_symbols_for_scripts_and_people(waypost: Waypost, tree: Path) -> None:
    answer = waypost("symbols", "Store.write", "--json").json
    assert answer.keys() == {"found", "total", "nearest"}
    assert [row["path"] for row in answer["found"]] == ["src/store.py"]
    assert "src/store.py:2  Store.write  method" in waypost("symbols", "write").out
    assert "1 of 4; raise --limit" in waypost("symbols", "--path", "src/store.py", "--limit", "1").out
    assert waypost("symbols", "src/store.py").out == waypost("symbols", "--path", "src/store.py").out
    absent = waypost("symbols", "Stor")
    assert absent.code == 3
    assert "no symbol 'Stor'" in absent.out and "Similar names: Store" in absent.out


def test_uses_for_scripts_and_people(waypost: Waypost, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = waypost("uses", "Store.write", "--json").json
    assert answer.keys() == {"symbol", "direction", "rows", "total", "unresolved"}
    assert [(row["symbol"], row["lines"]) for row in answer["rows"]] == [("save", [11, 12])]
    assert "src/store.py:11  save  calls (+1 more lines)" in waypost("uses", "Store.write").out
    unused = waypost("uses", "save")
    assert unused.code == 3 and "No calls in this repository." in unused.out
    assert "--direction callees" in unused.out
    monkeypatch.chdir(tree / "src")
    assert waypost("uses", "store.py#check", "--json").json["total"] == 1
    assert waypost("uses", "store.py:7", "--json").json["symbol"]["qualified"] == "check"


def test_impact_and_unused(waypost: Waypost, tree: Path) -> None:
    answer = waypost("impact", "check", "--json").json
    assert [row["symbol"] for row in answer["rows"]] == ["Store.write", "save"]
    assert "may break (2)" in waypost("impact", "check").out
    assert waypost("impact", "nothing").code == 3
    assert [row["name"] for row in waypost("unused", "--json").json["rows"]] == ["save"]
    assert "save  function" in waypost("unused", "src").out
    assert waypost("unused", "--kind", "class").code == 3


def test_about_and_show_list_users_and_tests(waypost: Waypost, tree: Path) -> None:
    (tree / "tests").mkdir()
    (tree / "tests" / "test_store.py").write_text("from src.store import check\n\n\ndef test_check():\n    check(1)\n")
    waypost("init", "--json")
    answer = waypost("about", "src/store.py:7", "--json").json
    assert [row["symbol"] for row in answer["used_by"]] == ["Store.write"]
    assert [row["symbol"] for row in answer["tests"]] == ["test_check"]
    assert "tested by test_check (tests/test_store.py:5)" in waypost("about", "src/store.py:7").out
    [symbol] = waypost("symbols", "check", "--json").json["found"]
    assert [row["symbol"] for row in waypost("show", symbol["id"], "--json").json["used_by"]] == ["Store.write"]
    assert "used by Store.write (src/store.py:3)" in waypost("show", symbol["id"]).out
