"""A small project that looks like a real one, in a folder of its own."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory

FILES = {
    "README.md": """\
        # Shop

        A small web shop.

        ## Deployment

        Containers are built by the pipeline and rolled out at night.
        """,
    "shop/__init__.py": "",
    "shop/auth.py": '''\
        """Who may come in."""

        from shop.storage import find_user


        def check_password(name: str, password: str) -> bool:
            """Compare a password with the stored hash."""
            user = find_user(name)
            return user is not None and user.matches(password)


        class LoginThrottle:
            """Slows down whoever guesses."""

            def __init__(self, limit: int = 5) -> None:
                self.limit = limit

            def allow(self, address: str) -> bool:
                """Whether this address may try again."""
                return self.count(address) < self.limit
        ''',
    "shop/storage.py": '''\
        """Where customers are kept."""


        def find_user(name: str):
            """Look a customer up by name."""
            return None


        def upload_invoice(path: str) -> str:
            """Send an invoice to the object store in parts."""
            return path
        ''',
    "tests/test_auth.py": """\
        from shop.auth import check_password


        def test_wrong_password_is_refused():
            assert not check_password("anna", "wrong")
        """,
}

WriteTree = Callable[..., Path]


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text), encoding="utf-8")


def write_file(folder: Path, path: str, text: str) -> Path:
    """A file whose time follows from its length, so that a second write of another text is a change."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text), encoding="utf-8")
    os.utime(file, ns=(0, 1_000_000_000_000_000_000 + len(text) * 1_000_000_001))
    return file


@pytest.fixture
def empty_tree(tmp_path: Path) -> Path:
    """The folder of the project that `memory` belongs to, without files."""
    folder = tmp_path / "work" / "project"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The folder of the project that `memory` belongs to, with its files in it."""
    folder = tmp_path / "work" / "project"
    write_files(folder, FILES)
    return folder


@pytest.fixture
def indexed(tree: Path, memory: Memory, fake_engine: FakeEngine) -> Memory:
    fake_engine.calls = []
    memory.index()
    return memory
