"""The plugin for Claude Code says the same as set-up does."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost.faces.setup.agents import rules_text

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugin"


def read(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text("utf-8"))


def test_the_manifest_has_what_claude_code_asks_for() -> None:
    manifest = read(".claude-plugin/plugin.json")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert re.fullmatch(r"[a-z][a-z0-9-]*", manifest["name"]) and manifest["name"] == project["name"]
    assert manifest["version"] == project["version"]
    assert manifest["license"] == project["license"]
    assert isinstance(manifest["author"], dict) and manifest["description"]
    market = read(".claude-plugin/marketplace.json")
    assert [one["name"] for one in market["plugins"]] == [manifest["name"]]
    assert market["owner"]["name"] and (PLUGIN / market["plugins"][0]["source"]).resolve() == PLUGIN.resolve()


def test_server_and_hooks_are_those_that_set_up_writes(machine: Any) -> None:
    machine.system = replace(machine.system, which=lambda name: f"/bin/{name}")  # by name, as in a project
    machine.install("claude-code", "project")
    assert read(".mcp.json") == json.loads((machine.project / ".mcp.json").read_text())
    written = json.loads((machine.project / ".claude/settings.local.json").read_text())
    assert read("hooks/hooks.json")["hooks"] == written["hooks"]


def test_the_commands_are_those_of_the_package() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    commands = [read(".mcp.json")["mcpServers"]["waypost"]["command"]]
    groups = [group for groups in read("hooks/hooks.json")["hooks"].values() for group in groups]
    commands += [hook["command"].split()[0] for group in groups for hook in group["hooks"]]
    assert set(commands) <= set(scripts)


def test_the_skill_says_when_and_names_the_tools_of_the_rules() -> None:
    text = (PLUGIN / "skills/memory/SKILL.md").read_text("utf-8")
    head = re.match(r"---\nname: (.+)\ndescription: (.+)\n---\n", text)
    assert head is not None and head[1] == "memory"
    assert len(head[2]) <= 1024 and "when" in head[2]
    tools = {name for name in re.findall(r"`([a-z_]+)`", rules_text()) if name not in {"waypost", "replaces"}}
    assert tools == {"recall", "remember", "brief", "about_code", "decide", "why"}
    assert all(f"`{tool}`" in text for tool in tools)
