"""Agents from npm, each in a folder of its own, in the versions of `agents.toml`."""

import os
import platform
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_NODE = 22  # the oldest version that most agents run on
_SECONDS = 600.0  # for one package
FOLDER = Path(os.environ.get("WAYPOST_AGENTS", Path.home() / ".cache" / "waypost-agents"))


@dataclass(frozen=True)
class RealAgent:
    """How an agent is installed and run. `read`, `edit`, `shell` and `agent` are calls of its own tools."""

    name: str
    package: str
    program: str
    run: list[str]
    resume: list[str]
    read: str
    edit: str
    shell: str
    setup: str = ""
    agent: str = ""
    goes_on: bool = False  # while a sub-agent works
    node: int = _NODE
    tool: str = "{tool} {args}"  # how it calls a tool of ours
    personal: bool = False  # it works for a person, not in a project
    by_command: bool = False  # it has no MCP, and uses the command `waypost`
    compact: str = ""  # what makes it compact its context in an unattended run
    lacks: Mapping[str, str] = field(default_factory=dict)  # names of checks → why there is no such thing
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)  # npm packages that it installs into folders of the home

    @property
    def path(self) -> Path:
        return FOLDER / self.name / self.program


class Unavailable(Exception):
    """npm is missing, or the package can't be reached."""


@cache
def real_agents() -> Mapping[str, RealAgent]:
    table = tomllib.loads(Path(__file__).with_name("agents.toml").read_text("utf-8"))
    return {name: RealAgent(name, **given) for name, given in table.items()}


def install(agent: RealAgent, seconds: float = _SECONDS) -> Path:
    """The program of an agent, installed if it is missing. Raises Unavailable."""
    _install(FOLDER / agent.name, agent.package, agent.path, seconds, node_folder(agent.node))
    for package in agent.modules.values():
        _install(modules_folder(package), package, modules_folder(package) / "package.json", seconds)
    return agent.path


def modules_folder(package: str) -> Path:
    return FOLDER / "modules" / package.replace("/", "-")


def node_folder(oldest: int = _NODE) -> Path:
    """The folder of a Node.js that is new enough, installed if there is none. Raises Unavailable."""
    found_node = shutil.which("node")
    if found_node:
        version = subprocess.run([found_node, "--version"], capture_output=True, text=True, check=False).stdout
        if version.startswith("v") and int(version[1:].partition(".")[0]) >= oldest:
            return Path(found_node).parent
    machine = "arm64" if platform.machine() in ("arm64", "aarch64") else "x64"
    package = f"node-{sys.platform}-{machine}"
    folder = FOLDER / ("node" if oldest == _NODE else f"node{oldest}")
    program = folder / "node_modules" / package / "bin" / "node"
    _install(folder, f"{package}@{oldest}", program)
    return program.parent


def _install(folder: Path, package: str, program: Path, seconds: float = _SECONDS, node: Path | None = None) -> None:
    mark = folder / "installed"  # written last: a killed installation is repeated
    if mark.is_file() and mark.read_text("utf-8") == package and program.exists():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        npm,
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--fetch-retries=1",
        "--prefix",
        str(folder),
        package,
    ]
    try:
        environment = {**os.environ, "PATH": f"{node}:{os.environ['PATH']}"} if node else None
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, env=environment)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"npm install {package} took more than {seconds:.0f} seconds") from error
    if done.returncode or not program.exists():
        raise Unavailable(f"npm install {package} failed: {done.stderr.strip()[-300:]}")
    mark.write_text(package, "utf-8")
