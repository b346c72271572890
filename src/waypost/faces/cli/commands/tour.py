"""`waypost tour`: remember, change, stale, correct and why, on a tiny project in a temporary folder."""

import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from waypost import config
from waypost.errors import WaypostError
from waypost.faces.cli.framework import Ctx, app, session_of
from waypost.faces.cli.output.memories import console
from waypost.faces.cli.session import agrees, interactive

_ID = re.compile(r"\b01[0-9a-z]{6,24}\b")


@app.command()
def tour(
    context: Ctx,
    no_pause: Annotated[bool, Option("--no-pause", help="Do not wait for Enter between the steps.")] = False,
) -> None:
    """Try Waypost on a tiny project in a temporary folder (30 seconds)."""
    script = tomllib.loads(files(__package__).joinpath("tour.toml").read_text(encoding="utf-8"))
    pause = interactive() and not no_pause
    out = console()
    out.print(script["intro"].strip(), markup=False)
    with tempfile.TemporaryDirectory(prefix="waypost-tour-", ignore_cleanup_errors=True) as folder:
        project = Path(folder, "project")
        project.mkdir()
        guide = _Guide(project, _environment(Path(folder, "data")))
        for number, step in enumerate(script["steps"]):
            if pause and number:
                input("\n[Enter] ")
            guide.play(step)
    out.print(f"\n{script['end'].strip()}\n", markup=False)
    if not _installed_models():
        out.print(f"{script['without_models'].strip()}\n", markup=False)
    _offer(session_of(context).directory, ask=interactive())


class _Guide:
    """Plays the steps in the project of the tour."""

    def __init__(self, project: Path, environment: dict[str, str]) -> None:
        self._project = project
        self._environment = environment
        self._last_id = ""
        self._out = console()

    def play(self, step: dict[str, Any]) -> None:
        self._out.print()
        if "say" in step:
            self._out.print(step["say"], markup=False, style="bold")
        if "run" in step:
            self._run([word.replace("{id}", self._last_id) for word in step["run"]])
        elif "old" in step:
            self._edit(step["path"], step["old"], step["new"])
        else:
            text = step["text"].lstrip("\n")
            (self._project / step["path"]).write_text(text, encoding="utf-8")
            self._out.print(f"\n{step['path']}\n{_indented(text)}", markup=False)

    def _run(self, words: list[str]) -> None:
        typed = " ".join(f'"{word}"' if " " in word else word for word in words)
        self._out.print(f"$ waypost {typed}", markup=False, style="cyan")
        done = subprocess.run(
            [sys.executable, "-m", "waypost", *words],
            cwd=self._project, env=self._environment, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        for line in (done.stderr + done.stdout).splitlines():
            if not line.startswith("note: "):  # about missing models, once at the end
                self._out.print(f"  {line}", markup=False, style="red" if "STALE" in line else None)
        if done.returncode:
            raise typer.Exit(1)
        self._last_id = next(iter(_ID.findall(done.stdout)), self._last_id)

    def _edit(self, path: str, old: str, new: str) -> None:
        file = self._project / path
        text = file.read_text(encoding="utf-8")
        changed = text.replace(old, new)
        file.write_text(changed, encoding="utf-8")
        before, after = set(text.splitlines()), set(changed.splitlines())
        self._out.print(f"\n{path}", markup=False)
        for mark, lines, style in (("-", before - after, "red"), ("+", after - before, "green")):
            for line in lines:
                self._out.print(f"  {mark} {line.strip()}", markup=False, style=style)


def _environment(home: Path) -> dict[str, str]:
    """The environment of the tour's commands: a data directory of its own, and the installed models."""
    installed = _installed_models()
    own = {"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0", "WAYPOST_STORE": "", "WAYPOST_LINKS": "none"}
    models = {"WAYPOST_MODELS": str(installed[0].parent)} if installed else {}
    return {**config.environment(), **own, **models, "PYTHONIOENCODING": "utf-8"}


def _installed_models() -> list[Path]:
    from waypost.embed.install import status

    return [model.path for model in status(config.load(), hashes=False) if model.path is not None]


def _offer(directory: Path, *, ask: bool) -> None:
    """Offer to connect an agent that is installed here, and name the next commands."""
    from waypost.faces.setup.agent_folders import this_system
    from waypost.faces.setup.install import detect

    try:
        detected = detect(this_system(config.load(), ()), directory)
    except WaypostError:  # an agent's unreadable files are a matter for `waypost setup`
        detected = ()
    waiting = [state.agent for state in detected if state.sign and state.user == "no" and state.project == "no"]
    if ask and waiting and agrees(f"Connect {waiting[0].title} to Waypost now?"):
        subprocess.run([sys.executable, "-m", "waypost", "setup", waiting[0].name], check=False)
    elif any(state.user == "yes" for state in detected):
        print("Your agent is connected already.")
    else:
        names = ", ".join(agent.name for agent in waiting)
        print(f"Next, connect your agent: waypost setup {waiting[0].name if waiting else 'AGENT'}")
        print(f"  found here: {names}" if names else "  waypost setup lists the agents it knows")
    print("Then, in your project:    waypost init")


def _indented(text: str) -> str:
    return "".join(f"  {line}" for line in text.splitlines(keepends=True)).rstrip("\n")
