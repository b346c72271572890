"""Texts written in the user's editor, when a command at a terminal is given none."""

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.session import interactive

_HINT = "# Lines that begin with # are left out. An empty text changes nothing."
_PARTS = {"because:": "because", "leads to:": "leads_to", "given:": "given"}


@dataclass(frozen=True, slots=True)
class DecisionText:
    """What somebody wrote about a decision."""

    text: str
    because: tuple[str, ...] = ()
    leads_to: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


def edited(text: str, what: str) -> str:
    """The text as the user left it in their editor. Raises InvalidInput without a terminal or an editor."""
    written = _run_editor(f"{text}\n\n{_HINT}\n", what)
    kept = "\n".join(line for line in written.splitlines() if not line.startswith("#")).strip()
    if not kept:
        raise InvalidInput("The text is empty; nothing was changed.", "")
    return kept


def edited_decision() -> DecisionText:
    """A decision with its reasons, written in the user's editor."""
    return decision_of(edited("\n\n# Why? One per line:\nBecause: \nLeads to: \nGiven: ", "decision"))


def decision_of(written: str) -> DecisionText:
    """The parts of a written decision. Lines such as `Because: …` can be repeated."""
    parts: dict[str, list[str]] = {name: [] for name in _PARTS.values()}
    rest = []
    for line in written.splitlines():
        mark = next((mark for mark in _PARTS if line.casefold().startswith(mark)), None)
        if mark is None:
            rest.append(line)
        elif said := line[len(mark) :].strip():
            parts[_PARTS[mark]].append(said)
    text = "\n".join(rest).strip()
    if not text:
        raise InvalidInput("The decision has no text; nothing was stored.", "")
    return DecisionText(text, **{name: tuple(lines) for name, lines in parts.items()})


def _run_editor(text: str, what: str) -> str:
    environment = config.environment()
    command = environment.get("VISUAL") or environment.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    if not interactive():
        raise InvalidInput("There is no text.", f"Give the {what} as an argument.")
    with tempfile.TemporaryDirectory(prefix="waypost-") as folder:  # readable by its owner only
        path = Path(folder) / f"{what}.md"
        path.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(command), str(path)], check=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"The editor {command[:60]!r} can't be started.", "Set EDITOR, or give the text as an argument."
            ) from error
        if done.returncode:
            raise InvalidInput("The editor reported an error; nothing was changed.", "")
        return path.read_text(encoding="utf-8", errors="replace")
