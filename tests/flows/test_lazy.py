"""A process pays only for the flows it uses."""

import subprocess
import sys
from pathlib import Path

import pytest

from waypost import Memory


def imported_after(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.slow
def test_opening_the_library_imports_no_flow_and_no_numpy() -> None:
    loaded = imported_after("from waypost import Memory")
    assert not {name for name in loaded if name.startswith("waypost.flows.")} - {
        "waypost.flows.engines",
        "waypost.flows.engines.choice",
        "waypost.flows.open_space",
    }
    assert not loaded & {"numpy", "onnxruntime", "typer", "rich"}


@pytest.mark.slow
def test_a_flow_is_imported_when_it_is_first_named() -> None:
    loaded = imported_after("from waypost import flows; flows.recall.search.recall")
    assert "waypost.flows.recall.search" in loaded
    assert not loaded & {"waypost.flows.write.remember", "waypost.flows.move.export", "waypost.facts.duplicates"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "unneeded"),
    [
        pytest.param(
            ["ask", "Which indentation?"],
            {"waypost.code.changes.read", "waypost.code.shape.build", "waypost.facts.contradictions"},
            id="ask",
        ),
        pytest.param(["list"], {"waypost.flows.write.remember", "waypost.flows.move.import_rows", "numpy"}, id="list"),
        pytest.param(["remember", "Indent by four."], {"waypost.flows.move.import_rows"}, id="remember"),
        pytest.param(
            ["status"], {"waypost.flows.erase.expiry", "waypost.flows.backup.erase_from_snapshots"}, id="status"
        ),
    ],
)
def test_a_command_imports_only_what_it_needs(tmp_path: Path, command: list[str], unneeded: set[str]) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    with Memory.open(folder) as memory:
        memory.remember("Use tabs, never spaces.")
    loaded = imported_after(f"from waypost.faces.cli.entry import run\nrun({['-C', str(folder), *command]!r})")
    assert {"waypost.memory.facade", "waypost.store.sqlite.store"} <= loaded
    assert not loaded & unneeded
