"""Who speaks in an entry: a person, an assistant or a tool. Only a person's text shows what is worth keeping."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from waypost.text.stems import fold

Role = Literal["person", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class _Names:
    whole: dict[str, Role]
    endings: tuple[tuple[str, Role], ...]


def role_of(speaker: str | None, kind: str) -> Role:
    """The role by the speaker's name, in three languages. An unknown name is a person, whose text is never shortened.

    Without a speaker, a workflow result is the assistant's and everything else the person's.
    """
    name = fold(speaker.strip()) if speaker else ""
    if not name:
        return "assistant" if kind == "workflow_result" else "person"
    names = _names()
    parts = name.replace("(", " ").replace(")", " ").replace(":", " ").split()
    for candidate in (name, *(parts[:1]), *(parts[-1:])):  # "Claude Code", "Claude 4", "tool: search", "mein Bot"
        if candidate in names.whole:
            return names.whole[candidate]
    return next((role for ending, role in names.endings if len(name) > len(ending) and name.endswith(ending)), "person")


@cache
def _names() -> _Names:
    table = tomllib.loads((files("waypost.journal") / "data" / "importance_roles.toml").read_text("utf-8"))
    roles: tuple[Role, ...] = ("assistant", "tool", "person")
    return _Names(
        {fold(name): role for role in roles for name in table[role].split()},
        tuple((ending, role) for role in roles[:2] for ending in table[f"{role}_ends"].split()),
    )
