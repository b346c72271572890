"""An index that is killed on the way is finished by the next one, and nothing shows that it was."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import json, sys
from pathlib import Path
from waypost import memory
from waypost.embed.fake import FakeEngine
from waypost.memory import spaces

spaces.open_engine = lambda name, settings: FakeEngine()
opened = memory.Memory.open(sys.argv[1])
if sys.argv[2] == "index":
    opened.index(report=lambda *told: print(*told, flush=True))
    print("finished", flush=True)
    sys.exit()

space = opened.space
with space.store.read() as reader:
    checkout = space.identity.checkout_id
    rows = [row for kind in ("file", "symbol", "table", "architecture") for row in reader.code.derived_of_kind(checkout, kind)]
    versions = reader.memories.by_number([row.number for row in rows])
    named = {v.memory_id: f"{v.kind} {v.name} {v.refs[0].file_path if v.refs else ''} {v.refs[0].line_range if v.refs else ''}"
             for v in versions.values()}
    edges = {(e.kind, named[e.from_id], named[e.to_id], round(e.strength, 6))
             for memory_id in named for e in reader.edges.of_memory(memory_id)}
    vectors = 0
    for version in versions.values():
        from waypost.retrieve.passages import passages_of
        hashes = [p.content_hash for p in passages_of(version)]
        vectors += len(reader.vectors.missing(space.engines.main.name, hashes))
    dump = {
        "memories": sorted([named[v.memory_id], v.text, json.dumps(dict(v.details), sort_keys=True)] for v in versions.values()),
        "files": sorted([f.path, f.size, f.hash, f.language] for f in reader.code.files(checkout).values()),
        "digests": sorted([path, json.dumps(d, sort_keys=True)] for path, d in reader.code.digests(checkout)),
        "edges": sorted(map(list, edges)),
        "missing": vectors,
        "owed": reader.vectors.pending(),
        "found": [[h.name, h.path, h.line] for h in opened.recall("add 17 to a value", k=1)],
    }
print(json.dumps(dump))
"""


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


def _start(tree: Path, home: Path, task: str) -> "subprocess.Popen[str]":
    environment = {"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0", "HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, str(tree), task], stdout=subprocess.PIPE, text=True, env=environment
    )


def _run(tree: Path, home: Path, task: str) -> str:
    process = _start(tree, home, task)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out


def _kill_after(tree: Path, home: Path, lines: int) -> bool:
    """Index until so many lines of progress are told, then kill. False: it was finished before."""
    with _start(tree, home, "index") as process:
        assert process.stdout is not None
        for _ in range(lines):
            if process.stdout.readline() in ("", "finished\n"):
                return False
        process.kill()
    return True


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
