"""A process pays only for the flows it uses."""

import subprocess
import sys

import pytest


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
