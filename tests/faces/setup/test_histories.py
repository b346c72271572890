"""Any history of setting up, undoing, moving and editing ends well: ours is gone, theirs is there."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from waypost.faces.setup.jsonc import parse, to_python
from waypost.faces.setup.jsonc_edit import put
from waypost.faces.setup.toml_edit import read
from waypost.system.config_file import Scope

AGENTS = ("codex", "zed", "gemini", "claude-code")
CHOICES: list[tuple[str, Scope]] = [(agent, scope) for agent in AGENTS for scope in ("user", "project")]


def edited(path: Path, number: int) -> bytes:
    """The file after somebody has added a setting or a line."""
    text = path.read_text()
    if path.suffix == ".json":
        return put(text, (f"mine{number}",), {"n": number}).text.encode()
    return (text + (f"\n[mine{number}]\nn = {number}\n" if path.suffix == ".toml" else f"\nMine {number}.\n")).encode()


def theirs(path: Path) -> Any:
    """What somebody has added, whichever way the file is written."""
    text = path.read_text()
    if path.suffix not in {".json", ".toml"}:
        return [line for line in text.splitlines() if line.startswith("Mine ")]
    values = read(text) if path.suffix == ".toml" else to_python(parse(text).root)
    return {key: value for key, value in values.items() if key.startswith("mine")}


@pytest.mark.parametrize("seed", range(12))
def test_any_history_ends_without_us_and_with_all_that_others_wrote(machine: Any, seed: int) -> None:
    chance = Random(seed)
    for agent, scope in CHOICES:
        if chance.random() < 0.5:
            machine.lay_out(agent, scope)
    start, touched, added, lost = machine.tree(), set[Path](), dict[Path, Any](), False
    for number in range(chance.randrange(4, 14)):
        agent, scope = chance.choice(CHOICES)
        deed = chance.choice(["install", "install", "install", "part", "uninstall", "edit", "move", "lose"])
        if deed in {"install", "part"}:
            options = {"hooks": chance.random() < 0.5, "rules": chance.random() < 0.5} if deed == "part" else {}
            touched |= {one.real for one in machine.install(agent, scope, **options).done}
        elif deed == "uninstall":
            machine.uninstall(agent, scope)
        elif deed == "move":
            machine.system = replace(machine.system, waypost=f"/v{number}/waypost", hook=f"/v{number}/waypost-hook")
        elif deed == "lose" and seed % 4 == 0:
            lost = True
            for record in machine.system.state.glob("*.json"):
                record.unlink()
        elif deed == "edit" and (there := sorted(path for path in touched if path.exists())):
            path = chance.choice(there)
            path.write_bytes(edited(path, number))
            added[path] = theirs(path)
    for agent, scope in CHOICES:
        machine.uninstall(agent, scope)
    for path, wanted in added.items():
        assert theirs(path) == wanted
    for path in touched:
        if path.exists():
            assert "waypost" not in path.read_text().replace("[mcp_servers.waypost] in a comment", "")
    if not lost:
        end = machine.tree()
        untouched = {name: content for name, content in end.items() if Path(name) not in added}
        assert untouched.items() <= start.items() or all(
            any(Path(name) in path.parents for path in added) for name in untouched.keys() - start.keys()
        )
        assert all(end[name] == content for name, content in start.items() if Path(name) not in added)
    assert not list(machine.system.state.glob("*.json"))
