"""Every agent, with the configuration of somebody who has used it: a correct merge, and back to the byte."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from waypost.errors import Refused
from waypost.faces.setup.agent_folders import config_path
from waypost.faces.setup.agents import agent_of, agents, rules_text
from waypost.faces.setup.jsonc import parse, to_python
from waypost.faces.setup.jsonc_edit import put
from waypost.system.config_file import Scope

AGENTS = list(agents())
SCOPES: tuple[Scope, ...] = get_args(Scope)
NONE = (("claude-desktop", "project"), ("openclaw", "project"), ("agents-md", "user"))  # nothing is read there
EVERY = [(agent, scope) for agent in AGENTS for scope in SCOPES if (agent, scope) not in NONE]
VARIANTS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "windows lines": lambda content: content.replace(b"\n", b"\r\n"),
    "a mark at the beginning": lambda content: b"\xef\xbb\xbf" + content,
    "no last line end": lambda content: content.rstrip(b"\n"),
    "tabs": lambda content: re.sub(rb"^( {2})+", lambda found: b"\t" * (len(found[0]) // 2), content, flags=re.M),
    "empty": lambda content: b"",
    "one empty line": lambda content: b"\n",
}


def values(content: bytes, name: str) -> Any:
    """What a program reads, by another reader than the one under test where there is one."""
    text = content.decode("utf-8-sig")
    if name.endswith(".toml"):
        return tomllib.loads(text)
    return to_python(parse(text).root)


def flat(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """Every leaf and its path; items of lists by their content."""
    if isinstance(value, dict):
        found: dict[tuple[Any, ...], Any] = {}
        for key, inner in value.items():
            found |= flat(inner, (*path, key))
        return found
    if isinstance(value, list):
        return {(*path, "item", json.dumps(item, sort_keys=True)): True for item in value}
    return {path: value}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("agent", "scope"), EVERY)
def test_a_configuration_is_merged_kept_and_given_back_to_the_byte(
    machine: Any, agent: str, scope: Scope, variant: str
) -> None:
    machine.lay_out(agent, scope, VARIANTS[variant])
    before = machine.tree()
    report = machine.install(agent, scope, permissions=True)
    assert report.changed
    for one in report.done:
        old, new = before.get(str(one.real)), one.real.read_bytes()
        if one.real.suffix in {".json", ".toml"}:
            was = flat(values(old[0], one.real.name) or {}) if old else {}
            now = flat(values(new, one.real.name))
            assert was.items() <= now.items()
            new_keys = now.keys() - was.keys()
            assert all("waypost" in str(key) + str(now[key]) + one.real.name or key == ("version",) for key in new_keys)
        else:
            assert new.startswith(old[0] if old else b"")
        if old and b"\r\n" in old[0]:
            assert new.count(b"\n") == new.count(b"\r\n")
    installed = machine.tree()
    again = machine.install(agent, scope, permissions=True)
    assert not again.changed
    assert machine.tree() == installed
    undone = machine.uninstall(agent, scope)
    assert undone.changed
    assert machine.tree() == before
    assert not list(machine.system.state.glob("*.json"))
    assert not list((machine.system.state / "backups").glob("*"))


@pytest.mark.parametrize(("agent", "scope"), EVERY)
def test_on_a_machine_without_a_configuration_files_are_made_and_deleted(
    machine: Any, agent: str, scope: Scope
) -> None:
    before = machine.tree()
    assert {one.deed for one in machine.install(agent, scope).done} == {"created"}
    assert {one.deed for one in machine.uninstall(agent, scope).done} == {"deleted"}
    assert machine.tree() == before


@pytest.mark.parametrize(("agent", "scope"), EVERY)
def test_what_somebody_adds_afterwards_stays_when_ours_goes(machine: Any, agent: str, scope: Scope) -> None:
    machine.lay_out(agent, scope)
    before = machine.tree()

    def add(content: bytes, name: str) -> bytes:
        text = content.decode()
        if name.endswith(".json"):
            return put(text, ("added", "later"), {"by": "me"}).text.encode()
        return (text + ("\n[added]\nlater = true\n" if name.endswith(".toml") else "\nAdded later.\n")).encode()

    report = machine.install(agent, scope)
    for one in report.done:
        one.real.write_bytes(add(one.real.read_bytes(), one.real.name))
    undone = machine.uninstall(agent, scope)
    assert {one.deed for one in undone.done} == {"cleaned"}
    for one in undone.done:
        old, new = before.get(str(one.real)), one.real.read_bytes()
        assert b"waypost-hook" not in new and b"waypost:" not in new and b"bin/waypost" not in new
        if old is None:
            assert b"later" in new
        elif one.real.suffix in {".json", ".toml"}:
            assert values(new, one.real.name) == values(add(old[0], one.real.name), one.real.name)
            assert all(
                line.strip() in new.decode() for line in old[0].decode().splitlines() if "//" in line or "#" in line
            )
        else:
            assert new == add(old[0], one.real.name)


BROKEN = {
    ".json": b'{\n  "a": 1\n  "b": 2\n}\n',
    ".toml": b"a = 1\nb = = 2\n",
    ".md": b"<!-- waypost:begin -->\nhalf\n<!-- waypost:memories:begin -->\nhalf\n",
}


@pytest.mark.parametrize(("agent", "scope"), EVERY)
def test_a_broken_file_is_named_with_line_and_column_and_nothing_changes(
    machine: Any, agent: str, scope: Scope
) -> None:
    machine.lay_out(agent, scope)
    for broken in [one.path for one in machine.install(agent, scope, dry_run=True).done if one.path.suffix != ".js"]:
        content = BROKEN.get(broken.suffix, BROKEN[".md"])
        broken.parent.mkdir(parents=True, exist_ok=True)
        kept = broken.read_bytes() if broken.exists() else None
        broken.write_bytes(content)
        before = machine.tree()
        with pytest.raises(
            Refused, match=rf"{re.escape(str(broken))}, line \d+, column \d+: .*\n.*Nothing was changed"
        ):
            machine.install(agent, scope)
        assert machine.tree() == before
        assert not list(machine.system.state.glob("*.json"))
        broken.unlink() if kept is None else broken.write_bytes(kept)


@pytest.mark.parametrize(("agent", "scope"), EVERY)
def test_a_dry_run_shows_every_change_and_makes_none(machine: Any, agent: str, scope: Scope) -> None:
    machine.lay_out(agent, scope)
    before = machine.tree()
    report = machine.install(agent, scope, dry_run=True)
    assert report.changed and report.dry_run
    assert all("+++" in one.diff and "waypost" in one.diff for one in report.done)
    assert machine.tree() == before
    assert not machine.system.state.exists()


def test_claude_code_gets_the_documented_forms(machine: Any) -> None:
    machine.install("claude-code")
    server = json.loads((machine.home / ".claude.json").read_text())["mcpServers"]["waypost"]
    assert server == {"type": "stdio", "alwaysLoad": True, "command": "/opt/way/bin/waypost", "args": ["mcp"]}
    hooks = json.loads((machine.home / ".claude/settings.json").read_text())["hooks"]
    assert {
        event: [hook["command"] for group in groups for hook in group["hooks"]] for event, groups in hooks.items()
    } == {
        "SessionStart": ["/opt/way/bin/waypost-hook session-start --agent claude-code"],
        "SubagentStart": ["/opt/way/bin/waypost-hook subagent-start --agent claude-code"],
        "UserPromptSubmit": ["/opt/way/bin/waypost-hook prompt --agent claude-code"],
        "PreToolUse": ["/opt/way/bin/waypost-hook pre-tool --agent claude-code"],
        "PostToolUse": ["/opt/way/bin/waypost-hook post-tool --agent claude-code"],
        "PostToolUseFailure": ["/opt/way/bin/waypost-hook post-tool --agent claude-code"],
        "PreCompact": ["/opt/way/bin/waypost-hook pre-compact --agent claude-code"],
        "Stop": ["/opt/way/bin/waypost-hook turn-end --agent claude-code"],
        "SessionEnd": ["/opt/way/bin/waypost-hook session-end --agent claude-code"],
    }
    assert "Edit" in hooks["PreToolUse"][0]["matcher"].split("|")
    assert all(hook["timeout"] <= 15 for groups in hooks.values() for group in groups for hook in group["hooks"])
    assert rules_text() in (machine.home / ".claude/CLAUDE.md").read_text()


def test_codex_gets_the_documented_forms(machine: Any) -> None:
    machine.install("codex")
    assert tomllib.loads((machine.home / ".codex/config.toml").read_text()) == {
        "mcp_servers": {"waypost": {"command": "/opt/way/bin/waypost", "args": ["mcp"]}}
    }
    hooks = json.loads((machine.home / ".codex/hooks.json").read_text())
    assert set(hooks) == {"hooks"}  # Codex refuses a file with members that it does not know
    assert hooks["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 3


def test_other_agents_get_the_documented_forms(machine: Any) -> None:
    for agent in ("cursor", "gemini", "vscode", "windsurf", "zed"):
        machine.install(agent)
    machine.install("cursor", "project")

    def read(name: str) -> Any:
        return json.loads((machine.home / name).read_text())

    assert read(".cursor/mcp.json")["mcpServers"]["waypost"]["args"] == ["-C", "${workspaceFolder}", "mcp"]
    assert read(".cursor/hooks.json")["version"] == 1
    assert read(".cursor/hooks.json")["hooks"]["sessionStart"] == [
        {"command": "/opt/way/bin/waypost-hook session-start --agent cursor", "timeout": 15}
    ]
    assert (machine.project / ".cursor/rules/waypost.mdc").read_text().startswith("---\ndescription:")
    gemini = read(".gemini/settings.json")
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 10_000  # milliseconds
    assert gemini["hooks"]["PreCompress"][0]["matcher"] == "manual"
    assert set(gemini) == {"mcpServers", "hooks"}
    assert read(".config/Code/User/mcp.json")["servers"]["waypost"]["type"] == "stdio"
    assert read(".copilot/hooks/waypost.json")["hooks"]["Stop"][0] == {
        "type": "command",
        "command": "/opt/way/bin/waypost-hook turn-end --agent copilot",
        "timeout": 10,
    }
    assert 'applyTo: "**"' in (machine.home / ".copilot/instructions/waypost.instructions.md").read_text()
    assert read(".codeium/windsurf/hooks.json") == {
        "hooks": {
            "post_cascade_response_with_transcript": [
                {"command": "/opt/way/bin/waypost-hook turn-end --agent windsurf", "show_output": False}
            ]
        }
    }
    assert read(".config/zed/settings.json")["context_servers"]["waypost"]["args"] == ["mcp"]


def test_copilot_in_the_terminal_gets_a_server_and_shares_hooks_with_vs_code(machine: Any) -> None:
    machine.install("vscode")
    hooks = (machine.home / ".copilot/hooks/waypost.json").read_bytes()
    machine.install("copilot")
    assert json.loads((machine.home / ".copilot/mcp-config.json").read_text())["mcpServers"]["waypost"] == {
        "type": "local",
        "tools": ["*"],
        "command": "/opt/way/bin/waypost",
        "args": ["mcp"],
    }
    assert (machine.home / ".copilot/hooks/waypost.json").read_bytes() == hooks
    machine.uninstall("vscode")
    assert (machine.home / ".copilot/hooks/waypost.json").read_bytes() == hooks
    machine.uninstall("copilot")
    assert not (machine.home / ".copilot").exists()


def test_tools_that_only_read_are_allowed_on_request(machine: Any) -> None:
    machine.install("claude-code")
    assert "permissions" not in json.loads((machine.home / ".claude/settings.json").read_text())
    assert not (machine.home / ".gemini/policies").exists()
    for agent in ("claude-code", "gemini"):
        machine.install(agent, permissions=True)
    allowed = json.loads((machine.home / ".claude/settings.json").read_text())["permissions"]["allow"]
    assert allowed == ["mcp__waypost__recall", "mcp__waypost__brief"]
    (rule,) = tomllib.loads((machine.home / ".gemini/policies/waypost.toml").read_text())["rule"]
    assert (rule["mcpName"], rule["toolAnnotations"], rule["decision"]) == ("waypost", {"readOnlyHint": True}, "allow")
    machine.install("claude-code")  # without it: what was allowed stays
    assert "mcp__waypost__recall" in (machine.home / ".claude/settings.json").read_text()


def test_a_policy_that_is_not_ours_stays(machine: Any) -> None:
    policy = machine.home / ".gemini/policies/waypost.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('[[rule]]\nmcpName = "waypost"\ndecision = "deny"\n')
    with pytest.raises(Refused, match="not Waypost's"):
        machine.install("gemini", permissions=True)
    machine.uninstall("gemini")
    assert "deny" in policy.read_text()


def test_hooks_end_before_the_agent_stops_waiting() -> None:
    from waypost.faces.hooks.agent.entry import SECONDS

    for agent in agents().values():
        if agent.hooks is not None:
            assert all(SECONDS[event] + 0.5 < agent.hooks.seconds[event] for event in agent.hooks.events.values())


def test_the_program_of_the_hooks_knows_every_event_and_agent_that_is_written() -> None:
    from waypost.faces.hooks.agent.formats import AGENTS as FORMATS
    from waypost.faces.hooks.agent.formats import EVENTS

    for agent in agents().values():
        if agent.hooks is not None:
            assert agent.hooks.agent in FORMATS and set(agent.hooks.events.values()) <= set(EVENTS)


def test_zed_gets_its_rules_where_it_reads_them(machine: Any) -> None:
    (machine.project / ".rules").write_text("Mine.\n")
    machine.install("zed", "project")
    assert "waypost:begin" in (machine.project / ".rules").read_text()
    assert not (machine.project / "AGENTS.md").exists()


@pytest.mark.parametrize(
    ("agent", "there", "expected"),
    [
        ("zed", ["CLAUDE.md"], "CLAUDE.md"),
        ("zed", ["CLAUDE.md", "AGENTS.md"], "AGENTS.md"),
        ("zed", [], "AGENTS.md"),
        ("codex", ["AGENTS.md", "AGENTS.override.md"], "AGENTS.override.md"),
    ],
)
def test_rules_never_hide_a_file_that_the_agent_reads(
    machine: Any, agent: str, there: list[str], expected: str
) -> None:
    for name in there:
        (machine.project / name).write_text("Mine.\n")
    before = machine.tree()
    machine.install(agent, "project")
    assert "waypost:begin" in (machine.project / expected).read_text()
    assert {path.name for path in machine.project.glob("*.md")} == {*there, expected}
    machine.uninstall(agent, "project")
    assert machine.tree() == before


@pytest.mark.parametrize(
    ("platform", "environment", "template", "expected"),
    [
        ("linux", {}, "{code_user}/mcp.json", "me/.config/Code/User/mcp.json"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "{zed}/settings.json", "/x/zed/settings.json"),
        ("linux", {"XDG_CONFIG_HOME": "not/absolute"}, "{zed}", "me/.config/zed"),
        ("darwin", {}, "{code_user}/mcp.json", "me/Library/Application Support/Code/User/mcp.json"),
        ("darwin", {"XDG_CONFIG_HOME": "/x"}, "{zed}/settings.json", "me/.config/zed/settings.json"),
        ("win32", {"APPDATA": "/roaming"}, "{code_user}/mcp.json", "/roaming/Code/User/mcp.json"),
        ("win32", {"APPDATA": "/roaming"}, "{zed}/settings.json", "/roaming/Zed/settings.json"),
        ("win32", {}, "{zed}", "me/AppData/Roaming/Zed"),
        ("linux", {"CLAUDE_CONFIG_DIR": "/c"}, "{claude_state}/.claude.json", "/c/.claude.json"),
        ("linux", {"CLAUDE_CONFIG_DIR": "/c"}, "{claude}/settings.json", "/c/settings.json"),
        ("linux", {"CODEX_HOME": "/c"}, "{codex}/config.toml", "/c/config.toml"),
        ("linux", {"COPILOT_HOME": "/c"}, "{copilot}/hooks", "/c/hooks"),
    ],
)
def test_every_system_has_its_own_places(
    machine: Any, platform: str, environment: dict[str, str], template: str, expected: str
) -> None:
    from dataclasses import replace

    system = replace(machine.system, platform=platform, environment=environment)
    wanted = Path(expected) if expected.startswith("/") else machine.home.parent / expected
    assert config_path(system, machine.project, "user", template) == wanted


def test_the_rules_are_short_and_name_the_tools() -> None:
    text = rules_text()
    assert len(text.split()) <= 200
    assert all(f"`{tool}`" in text for tool in ("recall", "remember", "brief", "about_code", "decide", "why"))


def test_an_unknown_agent_is_told_which_are_known() -> None:
    from waypost.errors import InvalidInput

    with pytest.raises(InvalidInput, match=f"Known agents: {', '.join(AGENTS)}"):
        agent_of("emacs")
    with pytest.raises(InvalidInput, match=r"Did you mean claude-code or claude-desktop\?"):
        agent_of("claude")
    with pytest.raises(InvalidInput, match=r"Did you mean cursor\?"):
        agent_of("cusror")


def test_an_agent_that_reads_nothing_from_a_project_is_refused_there(machine: Any) -> None:
    before = machine.tree()
    with pytest.raises(
        Refused, match=r"Claude Desktop reads nothing from a project.\nRun: waypost setup claude-desktop"
    ):
        machine.install("claude-desktop", "project")
    assert machine.tree() == before


def test_openclaw_writes_its_own_instructions_first(machine: Any) -> None:
    """OpenClaw makes its AGENTS.md only if there is none: rules go into it later."""
    path = machine.home / ".openclaw/workspace/AGENTS.md"
    machine.install("openclaw")
    assert not path.exists()
    path.parent.mkdir(parents=True)
    path.write_text("# Its own\n")
    machine.install("openclaw")
    assert path.read_text().startswith("# Its own\n\n<!-- waypost:begin ")
    machine.uninstall("openclaw")
    assert path.read_text() == "# Its own\n"
