"""`examples/ci_index.sh`: one clone is indexed, another takes the index over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "ci_index.sh"

pytestmark = pytest.mark.slow


def run(*command: str, folder: Path, home: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "WAYPOST_HOME": str(home)}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_clone_takes_over_the_index_of_ci(tmp_path: Path) -> None:
    first, second, index = tmp_path / "ci", tmp_path / "clone", tmp_path / "index.waypost"
    first.mkdir()
    (first / "orders.py").write_text("def send_invoice(order):\n    return order.total\n")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    run("git", "init", "-q", folder=first, home=tmp_path)
    run("git", "add", ".", folder=first, home=tmp_path)
    run("git", *identity, "commit", "-qm", "Begin", folder=first, home=tmp_path)
    run("git", "clone", "-q", str(first), str(second), folder=tmp_path, home=tmp_path)
    run("bash", str(SCRIPT), "export", str(index), folder=first, home=tmp_path / "home of ci")
    run("bash", str(SCRIPT), "import", str(index), folder=second, home=tmp_path / "home")
    assert "send_invoice" in run("waypost", "symbols", "send_invoice", folder=second, home=tmp_path / "home")
