"""Reports of what set-up did or would do."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from waypost.model.json_row import json_row
from waypost.system.config_file import Scope
from waypost.text.secrets.masking import mask

Deed = Literal["created", "changed", "unchanged", "restored", "cleaned", "deleted", "missing", "kept"]

_LONGEST_DIFF = 2_000_000  # characters: comparing longer texts takes too long


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """A changed file. `real` is the path behind links. `backup` has the content before the change."""

    path: Path
    real: Path
    deed: Deed
    parts: tuple[str, ...]
    backup: Path | None = None
    note: str = ""
    diff: str = ""

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "real", "deed", real_path=self.real, action=self.deed)


@dataclass(frozen=True, slots=True)
class SetupReport:
    agent: str
    title: str
    scope: Scope
    project: Path
    done: tuple[ConfigChange, ...]
    dry_run: bool
    notes: tuple[str, ...] = ()
    next: str = ""

    @property
    def changed(self) -> bool:
        return any(change.deed not in {"unchanged", "missing", "kept"} for change in self.done)

    def to_json(self) -> dict[str, Any]:
        project = self.project if self.scope == "project" else None
        return json_row(self, "title", "done", project=project, changed=self.changed, files=self.done)


def diff(path: Path, before: str, after: str) -> str:
    """The change as a patch, with keys and passwords masked."""
    if len(before) + len(after) > _LONGEST_DIFF:
        return f"({path} is too large for a diff)\n"
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{path} (now)", f"{path} (then)", n=2, lineterm=""
    )
    return "".join(mask(line).text + "\n" for line in lines)
