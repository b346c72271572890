"""The plugin for Claude Code says the same as set-up does."""

import json
import re
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import waypost
from waypost.faces.setup.agents import rules_text

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugin"
RUN = r"sh \"${CLAUDE_PLUGIN_ROOT}/hooks/run.sh\""  # starts `waypost-hook`, or explains how to install it


def read(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text("utf-8"))


def test_the_manifest_has_what_claude_code_asks_for() -> None:
    manifest = read(".claude-plugin/plugin.json")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert re.fullmatch(r"[a-z][a-z0-9-]*", manifest["name"]) and manifest["name"] == project["name"]
    assert manifest["version"] == waypost.__version__
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
    assert json.loads(json.dumps(read("hooks/hooks.json")["hooks"]).replace(RUN, "waypost-hook")) == written["hooks"]


def test_the_commands_are_those_of_the_package() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    commands = [read(".mcp.json")["mcpServers"]["waypost"]["command"]]
    commands += re.findall(r"exec (\S+)", (PLUGIN / "hooks/run.sh").read_text("utf-8"))
    assert commands == ["waypost", "waypost-hook"] and set(commands) <= set(scripts)


def _hook(event: str, path: str) -> "subprocess.CompletedProcess[str]":
    command = ["/bin/sh", str(PLUGIN / "hooks/run.sh"), event, "--agent", "claude-code"]
    return subprocess.run(command, input="{}", env={"PATH": path}, capture_output=True, text=True, check=False)


def test_without_waypost_the_start_of_a_session_explains_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "cat").symlink_to("/bin/cat")
    explained = _hook("session-start", str(tmp_path))
    assert (explained.returncode, explained.stderr) == (0, "")
    assert "uv tool install waypost" in json.loads(explained.stdout)["systemMessage"]
    for event in ("prompt", "pre-tool", "session-end"):
        silent = _hook(event, str(tmp_path))
        assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")


def test_with_waypost_the_hook_gets_its_event_and_its_input(tmp_path: Path) -> None:
    program = tmp_path / "waypost-hook"
    program.write_text('#!/bin/sh\necho "$*: $(/bin/cat)"\n')
    program.chmod(0o755)
    assert _hook("prompt", str(tmp_path)).stdout == "prompt --agent claude-code: {}\n"


def test_the_icon_is_a_picture_without_scripts_or_links() -> None:
    icon = ElementTree.parse(PLUGIN / "icon.svg").getroot()
    assert icon.tag.endswith("}svg") and icon.get("viewBox")
    assert not [
        node for node in icon.iter() if node.tag.endswith(("script", "image", "a")) or "href" in str(node.attrib)
    ]


def test_the_skill_says_when_and_names_the_tools_of_the_rules() -> None:
    text = (PLUGIN / "skills/memory/SKILL.md").read_text("utf-8")
    head = re.match(r"---\nname: (.+)\ndescription: (.+)\n---\n", text)
    assert head is not None and head[1] == "memory"
    assert len(head[2]) <= 1024 and "when" in head[2]
    tools = {name for name in re.findall(r"`([a-z_]+)`", rules_text()) if name not in {"waypost", "replaces"}}
    assert tools == {"recall", "remember", "brief", "about_code", "decide", "why"}
    assert all(f"`{tool}`" in text for tool in tools)
