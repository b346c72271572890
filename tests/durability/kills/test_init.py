"""An index that is killed on the way is finished by the next one, and nothing shows that it was."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.durability.fork_server import Forked

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.memory import spaces
from waypost.model.memory import Version
from waypost.retrieve.passages import passages_of


def main(tree: str, task: str) -> None:
    """In a process of its own: index the tree, and print a line for each report, or print what its index holds."""
    spaces.open_engine = lambda _name, _settings: FakeEngine()  # type: ignore[assignment, attr-defined]
    opened = Memory.open(tree)
    if task == "index":
        opened.index(report=lambda *told: print(*told, flush=True))
        print("finished", flush=True)
    else:
        print(json.dumps(_held(opened)))


def _held(opened: Memory) -> dict[str, Any]:
    space = opened.space
    checkout = space.identity.checkout_id
    with space.store.read() as reader:
        kinds = ("file", "symbol", "table", "architecture")
        rows = [row for kind in kinds for row in reader.code.derived_of_kind(checkout, kind)]
        versions = reader.memories.by_number([row.number for row in rows])
        named = {version.memory_id: _name(version) for version in versions.values()}
        edges = {
            (edge.kind, named[edge.from_id], named[edge.to_id], round(edge.strength, 6))
            for memory_id in named
            for edge in reader.edges.of_memory(memory_id)
        }
        hashes = [passage.content_hash for version in versions.values() for passage in passages_of(version)]
        return {
            "memories": sorted(
                [named[one.memory_id], one.text, json.dumps(dict(one.details), sort_keys=True)]
                for one in versions.values()
            ),
            "files": sorted(
                [one.path, one.size, one.hash, one.language] for one in reader.code.files(checkout).values()
            ),
            "digests": sorted(
                [path, json.dumps(digest, sort_keys=True)] for path, digest in reader.code.digests(checkout)
            ),
            "edges": sorted(map(list, edges)),
            "missing": len(reader.vectors.missing(space.engines.main.name, hashes)),
            "owed": reader.vectors.pending(),
            "found": [[hit.name, hit.path, hit.line] for hit in opened.recall("add 17 to a value", k=1)],
        }


def _name(version: Version) -> str:
    place = f"{version.refs[0].file_path} {version.refs[0].line_range}" if version.refs else " "
    return f"{version.kind} {version.name} {place}"


@pytest.fixture
def big_tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for place in range(130):
        folder = root / f"package_{place % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        before = (place + 7) % 130
        (folder / f"module_{place}.py").write_text(
            f"from package_{before % 7}.module_{before} import add_{before}\n\n\n"
            f'def add_{place}(value):\n    """Add {place} to a value."""\n    return add_{before}(value) + {place}\n\n\n'
            f"class Adder{place}:\n    def apply(self, value):\n        return add_{place}(value)\n"
        )
    return root


def _start(tree: Path, home: Path, task: str) -> Forked:
    environment = {"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0", "HOME": str(home), "PATH": "/usr/bin:/bin"}
    return Forked([str(tree), task], environment, __name__)


def _run(tree: Path, home: Path, task: str) -> str:
    process = _start(tree, home, task)
    out, errors = process.communicate()
    assert (errors, process.returncode) == ("", 0)
    return out


def _kill_after(tree: Path, home: Path, lines: int) -> bool:
    """Index until so many lines of progress are told, then kill. False: it was finished before."""
    process = _start(tree, home, "index")
    finished = any(process.stdout.readline() in ("", "finished\n") for _ in range(lines))
    process.kill()
    process.communicate()
    return not finished


def _dump(tree: Path, home: Path) -> object:
    return json.loads(_run(tree, home, "dump").splitlines()[-1])


@pytest.mark.slow
def test_an_index_that_was_killed_is_the_same_in_the_end(big_tree: Path, tmp_path: Path) -> None:
    _run(big_tree, tmp_path / "undisturbed", "index")
    wanted = _dump(big_tree, tmp_path / "undisturbed")
    assert wanted["missing"] == 0  # type: ignore[index]
    assert len(wanted["edges"]) > 200  # type: ignore[index]
    killed = sum(_kill_after(big_tree, tmp_path / "killed", lines) for lines in (1, 2, 3))
    assert killed >= 2
    told = _run(big_tree, tmp_path / "killed", "index")
    assert "reading 130 130" not in told  # what was stored is not read again
    assert _dump(big_tree, tmp_path / "killed") == wanted


@pytest.mark.soak
def test_an_index_that_was_killed_many_times_is_the_same_in_the_end(big_tree: Path, tmp_path: Path) -> None:
    _run(big_tree, tmp_path / "undisturbed", "index")
    wanted = _dump(big_tree, tmp_path / "undisturbed")
    chance = random.Random(4)
    killed = 0
    for round_ in range(10):
        home = tmp_path / f"killed-{round_}"
        killed += sum(_kill_after(big_tree, home, chance.randint(1, 5)) for _ in range(10))
        _run(big_tree, home, "index")
        assert _dump(big_tree, home) == wanted, f"round {round_}"
    print(f"killed {killed} times on the way")
    assert killed > 30
