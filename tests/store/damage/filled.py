"""A memory with something in every table, and ways to damage its file."""

import random
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from waypost import Memory, config
from waypost.memory.handle import LIBRARY
from waypost.memory.spaces import open_spaces
from waypost.store.sqlite.files import pages_of
from waypost.store.sqlite.pages import LEAF_TABLE, PAGE, Cell, values_of

WIDTH = 27 + 1  # columns of `memories`, with the checksum


@dataclass(frozen=True)
class Filled:
    """A home with a memory, closed, and what is in it."""

    home: Path
    project: Path
    database: Path
    memories: Mapping[str, str]  # id and text of what people and agents said
    places: Mapping[str, frozenset[int]]  # the pages that hold a version of each memory

    def copy(self, place: Path) -> "Filled":
        shutil.copytree(self.home, place)
        return replace(self, home=place, database=place / self.database.relative_to(self.home))

    def open(self, **options: Any) -> Memory:
        return Memory.open(self.project, caller=LIBRARY, settings=replace(config.load(), home=self.home), **options)

    def touched_by(self, pages: frozenset[int]) -> set[str]:
        """The memories of which something is on one of these pages."""
        return {memory_id for memory_id, places in self.places.items() if places & pages}


def fill(
    home: Path, project: Path, *, memories: int = 60, long_notes: int = 4, files: int = 12, origin: str = ""
) -> Filled:
    """Facts with history, decisions with reasons, notes and conversations of the journal, candidates, what was forgotten,
    lifetimes, references to code, and an index of the code. With an `origin`, the project has a commit too."""
    project.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        (project / f"module_{number}.py").write_text(
            f'"""Module {number}."""\n\n\nclass Thing{number}:\n    def act(self, value):\n        return value + {number}\n\n\n'
            f'def make_{number}(name):\n    """Make thing {number} by name."""\n    return Thing{number}()\n'
        )
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    if origin:
        git(project, "remote", "add", "origin", origin)
        git(project, "add", ".")
        git(project, "commit", "-q", "-m", "Begin")
    memory = Memory.open(project, settings=replace(config.load(), home=home))
    memory.index()
    drafts: list[dict[str, Any]] = [
        {"text": f"Service {n} listens on port {8000 + n} and logs to place {n}", "domain": f"d{n % 7}"}
        for n in range(memories)
    ]
    drafts += [{"text": f"Long note {n}: " + " ".join(f"word{n}x{i}" for i in range(900))} for n in range(long_notes)]
    receipts = [*memory.remember_many(drafts)]
    ids = [receipt.id for receipt in receipts if receipt.id]
    for number in range(0, 20, 2):
        memory.correct(ids[number], f"Service {number} listens on port {9000 + number} since the move")
    memory.facts.set_ttl(ids[21], 30 * 86_400)
    memory.protect(ids[23])
    for number in range(6):
        memory.remember(f"make_{number} needs a name", refs=[f"module_{number}.py#L9-L11"])
    memory.decide("We keep the queue in PostgreSQL", because=["Redis lost messages"], leads_to=["Jobs are rows"])
    for number in range(25):
        memory.remember(f"Said number {number} about the deployment", kind="conversation", session=f"s{number % 3}")
        memory.remember(f"Noted {number}: the build takes {number} minutes", kind="note")
    memory.forget(ids[30])
    memory.reject(ids[31])
    memory.facts.learn()
    memory.admin.embed_pending()
    kept = {row["id"]: row["text"] for row in memory.list(limit=100_000)}
    folder = memory.space.folder
    memory.close()
    open_spaces.drop_all()
    database = folder / "memory.db"
    return Filled(home, project, database, kept, _places(database))


def git(project: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)


def _places(database: Path) -> dict[str, frozenset[int]]:
    """The pages of each memory: the leaf that its row is on, and those that a long text goes on in."""
    found: dict[str, set[int]] = {}
    with pages_of(database) as pages:
        followed: list[int] = []
        plain = pages.page

        def noted(number: int) -> bytes:
            followed.append(number)
            return plain(number)

        pages.page = noted  # type: ignore[method-assign]
        for number in range(2, pages.count + 1):
            if pages.sort(number) != LEAF_TABLE:
                continue
            cells = pages.cells(number)
            followed.clear()
            for cell in cells:
                assert isinstance(cell, Cell)
                values = values_of(cell.payload)
                if len(values) == WIDTH:
                    found.setdefault(values[1].decode(), set()).update({number, *followed})
                followed.clear()
    return {memory_id: frozenset(places) for memory_id, places in found.items()}


def zero(database: Path, *pages: int) -> None:
    content = bytearray(database.read_bytes())
    for page in pages:
        content[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    database.write_bytes(content)


def root_page(database: Path, name: str) -> int:
    """The page that the tree of a table or an index begins at."""
    with closing(apsw.Connection(str(database))) as connection:
        rows: list[Any] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchall()
    return int(rows[0][0])


def pages_of_table(database: Path, name: str) -> list[int]:
    """All of its pages but the first."""
    with closing(apsw.Connection(str(database))) as connection:
        rows: list[Any] = connection.execute("SELECT pageno FROM dbstat WHERE name = ? ORDER BY 1", (name,)).fetchall()
    return [number for (number,) in rows if number != root_page(database, name)]


def flip_in(database: Path, text: bytes) -> None:
    """Flip one bit in the middle of the first place where this is found."""
    content = bytearray(database.read_bytes())
    content[content.index(text) + len(text) // 2] ^= 4
    database.write_bytes(content)


def damage(database: Path, seed: int) -> tuple[str, frozenset[int]]:
    """Damage the file in a way that the seed chooses. Returns what was done, and to which pages."""
    chance = random.Random(seed)
    content = bytearray(database.read_bytes())
    count = len(content) // PAGE
    kind = ("zeroed", "flipped", "cut off", "scrambled", "many flipped")[seed % 5]
    pages: set[int] = set()
    if kind in ("zeroed", "scrambled"):
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            page = 1 if chance.random() < 0.1 else chance.randint(1, count)
            new = bytes(PAGE) if kind == "zeroed" else chance.randbytes(PAGE)
            content[(page - 1) * PAGE : page * PAGE] = new
            pages.add(page)
    elif kind in ("flipped", "many flipped"):
        for _ in range(1 if kind == "flipped" else 40):
            place = chance.randrange(100 if chance.random() < 0.1 else len(content))
            content[place] ^= 1 << chance.randrange(8)
            pages.add(place // PAGE + 1)
    else:
        length = chance.randint(PAGE // 2, len(content) - 1)
        content = content[:length]
        pages = set(range(length // PAGE + 1, count + 1))
    database.write_bytes(content)
    return kind, frozenset(pages)
