"""Real repositories whose hooks start a script of the test instead of Waypost, which tells the test what it was given."""

import os
import select
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import Git

from waypost.faces.hooks.git.script import Installer

PATIENCE = 20.0  # seconds; reached only by a test that fails


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit and a name that a careless shell would take apart."""
    root = tmp_path / 'it\'s a "$(touch owned)" project;'
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "t")
    git(root, "config", "user.email", "t@example.org")
    commit_file(root, git, "a.txt")
    return root


def commit_file(root: Path, git: Git, name: str, text: str = "text\n") -> None:
    (root / name).write_text(text)
    git(root, "add", name)
    git(root, "commit", "-q", "-m", f"change {name}")


class Background:
    """The script that hooks start. It reports to a named pipe, on which the test waits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pipe = folder / "reports"
        os.mkfifo(self.pipe)
        self._handle = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)  # both ends: the pipe never ends
        self._unread = b""
        self.gate = folder / "gate"
        os.mkfifo(self.gate)
        self._gate = os.open(self.gate, os.O_RDWR | os.O_NONBLOCK)

    @property
    def waits(self) -> str:
        """A line of shell for `python` that waits until the test opens the gate."""
        return f"read -r go <'{self.gate}'"

    def open_gate(self) -> None:
        """Let one script through."""
        os.write(self._gate, b"go\n")

    def python(self, body: str = "", *, end: str = "") -> str:
        """A program in place of Python; what the shell lines of `body` leave in $line is reported, then come `end`."""
        program = self.folder / "py'th\non $(x)"
        program.write_text(f"#!/bin/sh\nline=\"$*\"\n{body}\nprintf '%s\\n' \"$line\" >'{self.pipe}'\n{end}\n")
        program.chmod(0o755)
        return str(program)

    def of(self, root: Path, *arguments: str, fails: bool = False, **environment: str) -> list[str]:
        """Run git, wait until all that its hooks started has come to its end, and give back what was reported.

        Every process that descends from git holds one end of a pipe, whose other end we read: it ends with the last.
        """
        reading, writing = os.pipe()
        process = subprocess.run(
            ["git", *arguments],
            cwd=root,
            pass_fds=[writing],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env=os.environ | environment,
        )
        os.close(writing)
        ready, _, _ = select.select([reading], [], [], PATIENCE)
        os.close(reading)
        assert ready, "what a hook started did not end"
        assert fails or (process.returncode, process.stdout, process.stderr) == (0, "", "")
        return self.reports()

    def events(self, root: Path, *arguments: str, fails: bool = False) -> list[str]:
        """Run git, and tell which events were reported."""
        return [line.split()[6] for line in self.of(root, *arguments, fails=fails)]

    def report(self) -> str:
        """The next line that a script reported."""
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self._handle], [], [], PATIENCE)
            assert ready, "the background process did not report"
            self._unread += os.read(self._handle, 65536)
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def reports(self) -> list[str]:
        """What was reported and not read yet."""
        ready, _, _ = select.select([self._handle], [], [], 0)
        self._unread += os.read(self._handle, 65536) if ready else b""
        lines, self._unread = self._unread.decode().splitlines(), b""
        return lines

    def close(self) -> None:
        """Also for scripts that wait, or are yet to come: without the names nobody waits for us."""
        self.pipe.unlink()
        self.gate.unlink()
        os.close(self._handle)
        os.close(self._gate)


@pytest.fixture
def background(tmp_path: Path) -> Iterator[Background]:
    folder = tmp_path / "background"
    folder.mkdir()
    made = Background(folder)
    yield made
    made.close()


@pytest.fixture
def installer(background: Background) -> Installer:
    return Installer(background.python())


WriteHook = Callable[..., Path]


@pytest.fixture
def write_hook(repository: Path) -> WriteHook:
    """Put a hook of somebody's own into the repository."""

    def write(name: str, body: str, *, mode: int = 0o755, shebang: str = "#!/bin/sh") -> Path:
        path = repository / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{shebang}\n{body}\n")
        path.chmod(mode)
        return path

    return write
