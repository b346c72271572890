"""A small project with classes, tests, an endpoint and an environment variable."""

from pathlib import Path

import pytest
from tests.flows.conftest import write_files

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory

FILES = {
    "shop/store.py": """\
import os


class Store:
    def read(self, key: str) -> str:
        return key

    def write(self, key: str, value: str) -> None:
        self.read(key)
        check(key)
        check(value)


class FileStore(Store):
    def read(self, key: str) -> str:
        return open(key).read()


class CachedFileStore(FileStore):
    def read(self, key: str) -> str:
        return super().read(key)


def check(text: str) -> None:
    assert os.environ["SHOP_LIMIT"]


def forgotten_helper() -> None: ...
""",
    "shop/app.py": """\
from fastapi import FastAPI

from shop.store import Store, check

app = FastAPI()
store = Store()


@app.post("/orders")
def order(item: str) -> None:
    check(item)
    store.write(item, "1")


def main() -> None:
    order("bread")
""",
    "shop/admin.py": "def check(user: str) -> bool:\n    return user == 'ada'\n",
    "tests/test_store.py": """\
from shop.store import Store


def test_write() -> None:
    Store().write("a", "b")
""",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "project"
    write_files(folder, FILES)
    return folder


@pytest.fixture
def shop(tree: Path, memory: Memory, fake_engine: FakeEngine) -> Memory:
    memory.index()
    return memory
