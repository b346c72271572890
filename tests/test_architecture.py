"""Rules of the house that code alone cannot keep."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import waypost

ROOT = Path(__file__).parents[1]
HEAVY = ("numpy", "onnxruntime", "typer", "rich", "apsw", "mcp", "fastapi", "Stemmer", "tokenizers")


def modules_loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_version_is_answered_without_importing_anything_heavy() -> None:
    loaded = modules_loaded_by("sys.argv = ['waypost', '--version']\nfrom waypost.faces.cli.entry import main\nmain()")
    assert loaded.isdisjoint(HEAVY)
    assert "waypost.memory" not in loaded


def test_importing_the_package_is_light() -> None:
    assert modules_loaded_by("import waypost").isdisjoint(HEAVY)


@pytest.mark.slow
def test_a_keyword_only_memory_needs_no_numpy(tmp_path: Path) -> None:
    code = (
        "import os; os.environ['WAYPOST_MODELS'] = os.devnull\n"
        "from waypost import Memory\n"
        f"memory = Memory.open({str(tmp_path)!r})\n"
        "memory.remember('Deploys run on Fridays'); memory.list()"
    )
    assert modules_loaded_by(code).isdisjoint({"numpy", "onnxruntime", "typer", "rich", "mcp", "fastapi"})


def test_the_public_surface_is_pinned() -> None:
    assert sorted(waypost.__all__) == ["Memory", "WaypostError", "__version__"]


def test_the_version_is_said_once() -> None:
    declared = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert declared
    assert declared[1] == waypost.__version__
    assert f"## {waypost.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("word", ["utils.py", "helpers.py", "common.py", "misc.py"])
def test_no_room_without_a_purpose(word: str) -> None:
    assert not list((ROOT / "src").rglob(word))


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        path.relative_to(ROOT / "src" / "waypost").as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if re.search(r"os\.environ|getenv|Path\.home\(|expanduser", path.read_text())
    }
    # Those that start another program hand the environment on; the entries set a default for BLAS, onnx_session.py one against telemetry; marks.py looks for
    # such reading in the code of others.
    assert readers <= {
        "code/architecture/marks.py", "faces/schedule/task.py",
        "config/reading.py", "faces/cli/entry.py", "faces/hooks/agent/entry.py", "flows/admin/worker.py", "space/gitconfig.py", "embed/onnx_session.py", "embed/registry.py", "embed/sources.py",
    }  # fmt: skip
