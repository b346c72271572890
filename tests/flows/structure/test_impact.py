"""What a change may break, and what is unused."""

from pathlib import Path

import pytest
from tests.conftest import Git
from tests.flows.conftest import write_file

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput, NotFound
from waypost.memory import Memory


def test_a_symbol_affects_callers_tests_endpoints_variables_and_memories(shop: Memory) -> None:
    fact = shop.remember("Limits come from the operators.", refs=["shop/store.py#check"])
    report = shop.code.impact("shop/store.py#check").to_json()
    assert [row["symbol"] for row in report["rows"]] == ["order", "Store.write", "main"]
    assert [row["symbol"] for row in report["tests"]] == ["test_write"]
    assert [(row["method"], row["route"]) for row in report["endpoints"]] == [("POST", "/orders")]
    assert [(row["key"], row["line"]) for row in report["keys"]] == [("SHOP_LIMIT", 25)]
    assert [row["id"] for row in report["memories"]] == [fact.id]
    assert (report["total"], report["total_tests"]) == (3, 1)


def test_a_file_affects_what_depends_on_anything_in_it(shop: Memory) -> None:
    report = shop.code.impact("shop/store.py")
    assert [symbol.path for symbol in report.symbols] == ["shop/store.py"]
    affected = {row.symbol for row in (*report.rows, *report.tests)}
    assert {"order", "main", "test_write"} <= affected
    assert not {row.path for row in report.rows} & {"shop/store.py"}, "what is in the file changes with it"


def test_a_method_affects_overriding_methods_and_callers_of_the_base(shop: Memory) -> None:
    assert "FileStore.read" in {row.symbol for row in shop.code.impact("Store.read").rows}
    [row] = [row for row in shop.code.impact("FileStore.read").rows if row.symbol == "Store.write"]
    assert row.via == "Store.read"


def test_uncommitted_and_staged_changes_and_those_since_a_revision(shop: Memory, tree: Path, git: Git) -> None:
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "one")
    path = tree / "shop" / "store.py"
    path.write_text(path.read_text().replace("return open(key).read()", "return open(key, 'rb').read().decode()"))
    assert [symbol.qualified for symbol in shop.code.impact().symbols] == ["FileStore.read"]
    assert shop.code.impact(staged=True).symbols == ()
    git(tree, "add", ".")
    assert [symbol.qualified for symbol in shop.code.impact(staged=True).symbols] == ["FileStore.read"]
    git(tree, "commit", "-qm", "two")
    assert shop.code.impact().symbols == ()
    assert [symbol.qualified for symbol in shop.code.impact(diff="HEAD~1").symbols] == ["FileStore.read"]
    with pytest.raises(NotFound, match="git has no commit"):
        shop.code.impact(diff="nowhere")
    with pytest.raises(InvalidInput, match="Not a revision"):
        shop.code.impact(diff="--output=x")


def test_one_kind_of_change_at_a_time(shop: Memory) -> None:
    with pytest.raises(InvalidInput, match="Give one of"):
        shop.code.impact("Store", staged=True)


def test_an_absent_symbol_affects_nothing(shop: Memory) -> None:
    report = shop.code.impact("Store.writ").to_json()
    assert (report["symbols"], report["nearest"]) == ([], ["Store.write"])


def test_a_name_that_stands_elsewhere_in_the_code_is_not_unused(shop: Memory) -> None:
    (Path(shop.code.root or "") / "shop/limits.py").write_text(
        "import asyncio\n\n\nclass Limits:\n    @property\n    def is_open(self) -> bool:\n        return True\n\n"
        "    @property\n    def lonely(self) -> bool:\n        return self.lonely\n\n\n"
        "class Wire(asyncio.Protocol):\n    def data_received(self, data: bytes) -> None: ...\n\n\n"
        "def show(limits: object) -> None:\n    print(limits.is_open, Limits, Wire)\n\n\nshow(1)\n"
    )
    shop.index()
    rows = shop.code.unused("shop/limits.py").to_json()["rows"]
    assert [row["qualified"] for row in rows] == ["Limits.lonely"]


def test_ruby_setters_operators_hooks_and_methods_of_foreign_bases_are_not_unused(tree: Path, memory: Memory) -> None:
    (tree / "shop/cart.rb").write_text(
        "class Cart\n  def size=(n); end\n  def [](key); end\n  def self.method_added(name); end\n  def open?; end\n  def lost!; end\nend\n"
        "class Page < ERB\n  def set_eoutvar(a); end\nend\n"
    )
    (tree / "shop/shop.rb").write_text("Page.new\ncart = Cart.new\ncart.size = 3\ncarts.select(&:open?)\n")
    memory.index()
    rows = memory.code.unused("shop/cart.rb").to_json()["rows"]
    assert [row["qualified"] for row in rows] == ["Cart.lost!"]


def test_unused_code_of_a_place_or_kind_that_does_not_exist_is_an_error(shop: Memory) -> None:
    with pytest.raises(NotFound, match="'nowhere'"):
        shop.code.unused("nowhere")
    with pytest.raises(InvalidInput, match="'banana'"):
        shop.code.unused(kind="banana")


def test_unused_code_is_listed_without_entry_points_handlers_tests_and_overrides(shop: Memory) -> None:
    answer = shop.code.unused().to_json()
    assert [row["qualified"] for row in answer["rows"]] == [
        *("check", "CachedFileStore", "forgotten_helper"),
    ]
    assert answer["total"] == 3
    assert [row["path"] for row in shop.code.unused("shop/admin.py").to_json()["rows"]] == ["shop/admin.py"]
    assert shop.code.unused(kind="method").rows == ()


def test_code_that_uses_a_model_class_affects_its_table(empty_tree: Path, memory: Memory) -> None:
    write_file(
        empty_tree,
        "models.py",
        """\
        from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


        class Base(DeclarativeBase):
            pass


        class Order(Base):
            __tablename__ = "orders"
            id: Mapped[int] = mapped_column(primary_key=True)


        class Customer(Base):
            __tablename__ = "customers"
            id: Mapped[int] = mapped_column(primary_key=True)
        """,
    )
    write_file(
        empty_tree,
        "pages.py",
        """\
        from models import Order


        def latest():
            return Order(id=1)
        """,
    )
    memory.index()
    assert [row["table"] for row in memory.code.impact("latest").to_json()["tables"]] == ["orders"]
    assert [row["table"] for row in memory.code.impact("Customer").to_json()["tables"]] == ["customers"]


def test_a_call_of_super_reaches_no_sibling(shop: Memory, tree: Path) -> None:
    (tree / "shop/kinds.py").write_text(
        "class Base:\n    def __init__(self): ...\n    def open(self): ...\n\n\n"
        "class First(Base):\n    def __init__(self):\n        super().__init__()\n"
        "    def open(self):\n        super().open()\n\n\n"
        "class Second(Base):\n    def __init__(self):\n        super().__init__()\n"
        "    def open(self):\n        super().open()\n\n\n"
        "def use(base: Base):\n    base.open()\n",
        encoding="utf-8",
    )
    assert [row.symbol for row in shop.code.impact("First.__init__").rows] == []
    assert [row.symbol for row in shop.code.impact("First.open").rows] == ["use"]


def test_tests_that_reach_a_change_through_an_interface_are_found(shop: Memory, tree: Path) -> None:
    (tree / "shop/fs.py").write_text(
        "class Fs:\n    def create(self): ...\n\n\nclass Source:\n    def make(self): ...\n\n\n"
        "class CloudFs(Fs):\n    def __init__(self, source: Source):\n        self.source = source\n\n"
        "    def create(self):\n        self.source.make()\n",
        encoding="utf-8",
    )
    (tree / "tests/test_fs.py").write_text(
        "from shop.fs import Fs\n\n\ndef check_create(fs: Fs):\n    fs.create()\n", encoding="utf-8"
    )
    tests = shop.code.impact("Source.make").tests
    assert [(row.symbol, row.depth, row.via) for row in tests] == [("check_create", 2, "Fs.create")]


def test_code_that_is_reached_in_other_ways_is_not_unused(tree: Path, memory: Memory, fake_engine: FakeEngine) -> None:
    files = {
        "lib/fields.py": (
            "from typing import overload\n\n\n@overload\ndef text_field(a: int) -> int: ...\n\n\n"
            "def text_field(a):\n    return a\n\n\ndef register(app):\n    @app.before_serving\n"
            "    async def open_pool(): ...\n\n\nclass ShopConfig(apps.AppConfig):\n    label = 'shop'\n"
        ),
        "lib/use.py": "from lib.fields import text_field, register\n\ntext_field(1)\nregister(2)\n",
        "demo/__init__.py": "",
        "demo/models.py": "class Team: ...\n\n\nclass Event: ...\n\n\nFIELDS = 'models.Event'\n",
        "demo/main.py": "from models import Team\n",
        "other/models.py": "class Team: ...\n\n\nclass Event: ...\n\n\nprint(Team, Event)\n",
        "mem/file_unix.go": "package mem\n\nfunc sysOf() {}\n",
        "mem/file_win.go": "package mem\n\nfunc sysOf() {}\n",
        "mem/use.go": "package mem\n\nfunc Use() { sysOf() }\n\ntype IO struct{}\n\nfunc (i IO) Sub() {}\n",
        "lib/gone.py": "def nobody_calls_me(): ...\n",
    }
    for path, text in files.items():
        write_file(tree, path, text)
    memory.index()
    found = {row["name"] for row in memory.code.unused().to_json()["rows"]}
    assert "nobody_calls_me" in found
    assert not found & {"text_field", "open_pool", "ShopConfig", "Team", "Event", "sysOf", "Sub"}
