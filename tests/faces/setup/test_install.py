"""Set-up among the things that happen on real machines: links, locks, old versions, other programs."""

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waypost.errors import Refused, SecurityError, StoreError
from waypost.faces.setup.agent_folders import command_line
from waypost.faces.setup.jsonc import parse, to_python
from waypost.faces.setup.record import Records
from waypost.system import config_file


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_any_configuration_is_the_same_after_set_up_and_undoing(seed: int, spelled: Any, machine: Any) -> None:
    value, content = spelled(seed).value, spelled(seed).text.encode()
    settings_file = machine.home / ".gemini/settings.json"
    settings_file.parent.mkdir(exist_ok=True)
    settings_file.write_bytes(content)
    try:
        machine.install("gemini", rules=False)
    except Refused:
        assert settings_file.read_bytes() == content
        return
    after = to_python(parse(settings_file.read_bytes().decode()).root)
    assert after["mcpServers"]["waypost"]["args"] == ["mcp"]
    assert {key: after[key] for key in value if key not in {"mcpServers", "hooks"}} == {
        key: value[key] for key in value if key not in {"mcpServers", "hooks"}
    }
    machine.uninstall("gemini")
    assert settings_file.read_bytes() == content


def test_another_entry_of_our_name_is_refused_and_overwritten_only_by_force(machine: Any) -> None:
    path = write(machine.home / ".cursor/mcp.json", '{"mcpServers": {"waypost": {"command": "hiking-maps"}}}')
    before = machine.tree()
    with pytest.raises(Refused, match=r"'mcpServers.waypost' already exists and is not Waypost's \('hiking-maps'\)"):
        machine.install("cursor")
    assert machine.tree() == before
    machine.install("cursor", force=True)
    assert json.loads(path.read_text())["mcpServers"]["waypost"]["command"] == "/opt/way/bin/waypost"
    machine.uninstall("cursor")
    assert machine.tree() == before


def test_what_force_overwrote_is_kept_when_the_file_has_changed_since(machine: Any) -> None:
    path = write(machine.home / ".cursor/mcp.json", '{"mcpServers": {"waypost": {"command": "hiking-maps"}}}')
    machine.install("cursor", force=True)
    path.write_text(path.read_text() + "\n")
    done = machine.uninstall("cursor").done[0]
    assert json.loads(path.read_text()) == {"mcpServers": {}}
    assert done.backup is not None and "hiking-maps" in done.backup.read_text()


def test_a_new_place_of_the_program_changes_the_command_and_nothing_else(machine: Any) -> None:
    for agent in ("claude-code", "codex"):
        machine.lay_out(agent, "user")
    before = machine.tree()
    for agent in ("claude-code", "codex"):
        machine.install(agent)
    hooks = machine.home / ".claude/settings.json"
    first, chosen = hooks.read_text(), '"timeout": 7'
    hooks.write_text(first.replace('"timeout": 5', chosen))
    moved = replace(machine.system, waypost="/new/waypost", hook="/new/waypost-hook")
    machine.system = moved
    for agent in ("claude-code", "codex"):
        assert machine.install(agent).changed
    assert hooks.read_text() == first.replace('"timeout": 5', chosen).replace("/opt/way/bin", "/new")
    assert "/opt/way" not in (machine.home / ".codex/config.toml").read_text()
    for agent in ("claude-code", "codex"):
        machine.uninstall(agent)
    assert machine.tree() == before


def test_without_a_record_ours_is_known_by_sight(machine: Any) -> None:
    machine.lay_out("claude-code", "user")
    before = machine.tree()
    machine.install("claude-code")
    for record in machine.system.state.glob("*.json"):
        record.write_text("not a record")
    assert {one.deed for one in machine.uninstall("claude-code").done} == {"cleaned"}
    after = machine.tree()
    for path in (".claude.json", ".claude/CLAUDE.md"):
        assert after[str(machine.home / path)] == before[str(machine.home / path)]
    assert b"waypost" not in after[str(machine.home / ".claude/settings.json")][0]


def test_without_a_record_setting_up_anew_does_not_take_ours_for_theirs(machine: Any) -> None:
    machine.lay_out("cursor", "user")
    before = machine.tree()
    machine.install("cursor")
    for record in machine.system.state.glob("*.json"):
        record.unlink()
    machine.install("cursor")
    machine.uninstall("cursor")
    assert b"waypost" not in b"".join(one[0] for one in machine.tree().values() if one)
    assert machine.tree()[str(machine.home / ".cursor/mcp.json")] == before[str(machine.home / ".cursor/mcp.json")]


def test_a_second_set_up_after_somebody_s_change_keeps_that_change_when_undone(machine: Any) -> None:
    path = write(machine.home / ".cursor/mcp.json", '{\n  "mcpServers": {}\n}\n')
    machine.install("cursor")
    path.write_text(path.read_text().replace('"mcpServers"', '"new": true,\n  "mcpServers"'))
    machine.system = replace(machine.system, waypost="/new/waypost")
    machine.install("cursor")
    machine.uninstall("cursor")
    assert path.read_text() == '{\n  "new": true,\n  "mcpServers": {}\n}\n'


def test_a_file_that_two_agents_share_stays_until_the_second_goes(machine: Any) -> None:
    before = machine.tree()
    machine.install("codex", "project")
    machine.install("zed", "project")
    block = (machine.project / "AGENTS.md").read_text()
    assert block.count("waypost:begin") == 1
    kept = [one for one in machine.uninstall("codex", "project").done if one.deed == "kept"]
    assert [one.path.name for one in kept] == ["AGENTS.md"]
    assert (machine.project / "AGENTS.md").read_text() == block
    machine.uninstall("zed", "project")
    assert machine.tree() == before


def test_a_folder_that_two_agents_share_goes_with_the_second(machine: Any) -> None:
    before = machine.tree()
    machine.install("vscode")
    machine.install("zed")
    machine.uninstall("vscode")
    assert (machine.home / ".config/zed").is_dir()
    machine.uninstall("zed")
    assert machine.tree() == before


def test_an_agent_that_is_not_there_is_set_up_and_missed(machine: Any) -> None:
    assert machine.install("codex").notes == ("Codex was not found on this machine.",)
    assert machine.install("codex").notes == ()  # its folder is there now


def test_hooks_beside_ours_in_one_group_stay(machine: Any) -> None:
    machine.install("claude-code")
    path = machine.home / ".claude/settings.json"
    settings_ = json.loads(path.read_text())
    settings_["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "mine"})
    path.write_text(json.dumps(settings_))
    machine.system = replace(machine.system, hook="/new/waypost-hook")
    machine.install("claude-code")
    both = [hook["command"] for hook in json.loads(path.read_text())["hooks"]["SessionStart"][0]["hooks"]]
    assert both == ["/new/waypost-hook session-start --agent claude-code", "mine"]
    machine.uninstall("claude-code")
    assert json.loads(path.read_text())["hooks"]["SessionStart"] == [
        {"hooks": [{"type": "command", "command": "mine"}]}
    ]


def test_doubled_hooks_become_one(machine: Any) -> None:
    machine.install("cursor")
    path = machine.home / ".cursor/hooks.json"
    hooks = json.loads(path.read_text())
    hooks["hooks"]["sessionStart"] *= 3
    path.write_text(json.dumps(hooks))
    machine.install("cursor")
    assert len(json.loads(path.read_text())["hooks"]["sessionStart"]) == 1


def test_parts_can_be_left_out(machine: Any) -> None:
    names = {one.path.name for one in machine.install("claude-code", hooks=False, rules=False).done}
    assert names == {".claude.json"}
    assert not (machine.home / ".claude").exists()


def test_what_is_left_out_the_second_time_still_goes_when_undone(machine: Any) -> None:
    path = write(machine.home / ".gemini/settings.json", '{\n  "ui": {}\n}\n')
    machine.install("gemini")
    path.write_text(path.read_text().replace('"ui": {}', '"ui": { "theme": "x" }'))
    machine.system = replace(machine.system, waypost="/new/waypost")
    assert "waypost-hook" in path.read_text()
    machine.install("gemini", hooks=False, rules=False)
    machine.uninstall("gemini")
    assert path.read_text() == '{\n  "ui": { "theme": "x" }\n}\n'


def test_a_broken_file_that_set_up_never_wrote_does_not_stand_in_the_way_of_undoing(machine: Any) -> None:
    machine.install("cursor", hooks=False)
    broken = write(machine.home / ".cursor/hooks.json", "{ broken")
    machine.uninstall("cursor")
    assert broken.read_text() == "{ broken" and not (machine.home / ".cursor/mcp.json").exists()


def test_undoing_for_one_agent_leaves_what_another_has_in_the_same_file(machine: Any) -> None:
    machine.install("gemini", "project")
    rules = (machine.project / "GEMINI.md").read_text()
    assert not machine.uninstall("zed", "project").changed  # Zed reads GEMINI.md too, but was never set up
    assert (machine.project / "GEMINI.md").read_text() == rules


def test_a_link_of_a_person_is_followed_and_told(machine: Any) -> None:
    real = write(machine.home / "dotfiles/mcp.json", "{}\n")
    link = machine.home / ".cursor/mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    done = machine.install("cursor").done[0]
    assert (done.real, done.note) == (real, f"a link: written to {real}")
    assert link.is_symlink() and "waypost" in real.read_text()
    machine.uninstall("cursor")
    assert link.is_symlink() and real.read_text() == "{}\n"


def test_a_link_of_a_project_may_not_lead_out_of_it(machine: Any) -> None:
    secret = write(machine.home / ".ssh/config", "{}")
    (machine.project / ".mcp.json").symlink_to(secret)
    with pytest.raises(SecurityError, match="leads out of the project"):
        machine.install("claude-code", "project")
    (machine.project / ".mcp.json").unlink()
    (machine.project / ".claude").symlink_to(machine.home / ".ssh")
    with pytest.raises(SecurityError, match="leads out of the project"):
        machine.install("claude-code", "project")
    assert secret.read_text() == "{}" and [path.name for path in secret.parent.iterdir()] == ["config"]


def test_a_link_inside_a_project_is_followed(machine: Any) -> None:
    agents = write(machine.project / "AGENTS.md", "Rules.\n")
    (machine.project / "CLAUDE.md").symlink_to("AGENTS.md")
    machine.install("claude-code", "project")
    assert "waypost:begin" in agents.read_text()
    machine.uninstall("claude-code", "project")
    assert agents.read_text() == "Rules.\n" and (machine.project / "CLAUDE.md").is_symlink()


def test_a_dangling_link_is_refused(machine: Any) -> None:
    (machine.home / ".claude.json").symlink_to(machine.home / "gone/away.json")
    with pytest.raises(Refused, match="which is missing"):
        machine.install("claude-code")


def test_a_read_only_file_is_refused(machine: Any) -> None:
    path = write(machine.home / ".claude.json", "{}")
    path.chmod(0o444)
    with pytest.raises(Refused, match="read-only"):
        machine.install("claude-code")
    assert not (machine.home / ".claude").exists()


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(machine: Any) -> None:
    write(machine.home / ".claude.json", "{}").chmod(0)
    with pytest.raises(Refused, match="cannot be read"):
        machine.install("claude-code")


def test_what_is_no_plain_file_of_text_is_refused(machine: Any) -> None:
    path = machine.home / ".claude.json"
    path.mkdir()
    with pytest.raises(Refused, match="not a plain file"):
        machine.install("claude-code")
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(Refused, match="not a plain file"):
        machine.install("claude-code")
    path.unlink()
    path.write_bytes('{\n"a": 1}'.encode("utf-16"))
    with pytest.raises(Refused, match=r"not UTF-8 \(line 1\)"):
        machine.install("claude-code")
    path.unlink()
    write(machine.home / ".claude", "a file")
    with pytest.raises(Refused, match="a file where a folder is expected"):
        machine.install("claude-code")
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"mcpServers": []}', "line 1, column 16: 'mcpServers' is not an object"),
        ('{"hooks": {"sessionStart": {}}}', "'hooks.sessionStart' is not a list"),
        ("[]", "the whole is not an object"),
    ],
)
def test_a_file_of_another_shape_is_refused(machine: Any, content: str, what: str) -> None:
    name = "hooks.json" if "hooks" in content else "mcp.json"
    write(machine.home / ".cursor" / name, content)
    with pytest.raises(Refused) as raised:
        machine.install("cursor")
    assert what in str(raised.value)


def test_the_mode_of_a_file_is_kept_and_new_ones_of_a_person_are_private(machine: Any) -> None:
    path = write(machine.home / ".claude.json", "{}")
    path.chmod(0o640)
    machine.install("claude-code")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stat.S_IMODE((machine.home / ".claude/settings.json").stat().st_mode) == 0o600
    state = machine.system.state
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in (state / "backups").iterdir())


def failing_place(monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException) -> None:
    real: Callable[[Path, bytes, int], None] = config_file._place
    broken = iter([error])

    def place(path: Path, content: bytes, mode: int) -> None:
        if path.name == name and (now := next(broken, None)) is not None:
            raise now
        real(path, content, mode)

    monkeypatch.setattr(config_file, "_place", place)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_when_one_file_fails_none_is_changed(
    machine: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    machine.lay_out("claude-code", "user")
    (machine.home / ".claude/CLAUDE.md").unlink()
    before = machine.tree()
    failing_place(monkeypatch, "CLAUDE.md", error)
    with pytest.raises((StoreError, KeyboardInterrupt)):
        machine.install("claude-code")
    assert machine.tree() == before
    assert not list(machine.system.state.glob("*.json"))


def test_when_undoing_one_file_fails_none_is_changed(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.lay_out("claude-code", "user")
    before = machine.tree()
    machine.install("claude-code")
    installed = machine.tree()
    failing_place(monkeypatch, "CLAUDE.md", OSError(28, "No space left on device"))
    with pytest.raises(StoreError):
        machine.uninstall("claude-code")
    assert machine.tree() == installed
    machine.uninstall("claude-code")
    assert machine.tree() == before


def test_an_agent_that_writes_at_the_same_moment_loses_nothing(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(machine.home / ".claude.json", '{"count": 1}')
    before = Records.save

    def save(self: Records, record: Any) -> None:
        before(self, record)
        path.write_text('{"count": 2}')  # between our reading and our writing

    monkeypatch.setattr(Records, "save", save)
    with pytest.raises(Refused, match="changed at the same moment"):
        machine.install("claude-code")
    assert path.read_text() == '{"count": 2}'


def test_a_killed_set_up_can_be_undone(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a power cut between two files: the record is there, and only a part of the files is changed."""
    machine.lay_out("claude-code", "user")
    before = machine.tree()
    machine.install("claude-code")
    settings_file = machine.home / ".claude/settings.json"
    content = before[str(settings_file)]
    settings_file.write_bytes(content[0])
    machine.uninstall("claude-code")
    assert machine.tree() == before


def test_what_a_killed_set_up_left_beside_a_file_is_swept_away(machine: Any) -> None:
    gone, busy = (machine.home / f".claude.json.waypost-{pid}-0123abcd.tmp" for pid in (999_999_999, os.getpid()))
    left = [write(path.with_name(f".{path.name}"), "half") for path in (gone, busy)]
    machine.install("claude-code")
    assert [path.exists() for path in left] == [False, True]


def test_a_damaged_backup_is_not_restored(machine: Any) -> None:
    path = write(machine.home / ".cursor/mcp.json", '{"mcpServers": {"a": {}}}')
    machine.install("cursor", hooks=False)
    for backup in (machine.system.state / "backups").iterdir():
        backup.write_text("damaged")
    assert [one.deed for one in machine.uninstall("cursor").done] == ["cleaned"]
    assert path.read_text() == '{"mcpServers": {"a": {}}}'


def test_what_was_never_set_up_is_not_touched_by_undoing(machine: Any) -> None:
    machine.lay_out("codex", "user")
    before = machine.tree()
    report = machine.uninstall("codex")
    assert not report.changed and {one.deed for one in report.done} == {"missing"}
    assert machine.tree() == before


def test_an_entry_somebody_else_has_put_in_our_place_stays(machine: Any) -> None:
    path = write(machine.home / ".cursor/mcp.json", "{}")
    machine.install("cursor", hooks=False)
    path.write_text('{"mcpServers": {"waypost": {"command": "hiking-maps"}}}')
    machine.uninstall("cursor")
    assert "hiking-maps" in path.read_text()


def test_keys_in_lines_around_a_change_are_masked_in_a_dry_run(machine: Any) -> None:
    token = "ghp_" + "abcdefghij" * 3 + "abcdef"
    write(machine.home / ".cursor/mcp.json", f'{{\n  "mcpServers": {{}},\n  "token": "{token}"\n}}\n')
    shown = machine.install("cursor", dry_run=True).done[0].diff
    assert token not in shown and "[secret:" in shown


def test_a_command_is_spelled_for_the_shell(machine: Any) -> None:
    odd = replace(machine.system, hook="/my programs/waypost-hook", home_variable="/my memory")
    words = ("prompt", "--agent", "codex")
    assert command_line(odd, "user", *words) == (
        "env WAYPOST_HOME='/my memory' '/my programs/waypost-hook' prompt --agent codex"
    )
    windows = replace(machine.system, platform="win32", hook=r"C:\My Programs\waypost-hook.exe")
    assert command_line(windows, "user", *words) == '"C:/My Programs/waypost-hook.exe" prompt --agent codex'


def test_odd_places_of_the_program_are_known_again(machine: Any) -> None:
    machine.system = replace(
        machine.system, hook="/my programs/waypost-hook", waypost="/my programs/waypost", home_variable="/my memory"
    )
    before = machine.tree()
    for agent in ("claude-code", "codex", "cursor", "windsurf"):
        machine.install(agent)
        assert not machine.install(agent).changed
        for one in machine.system.state.glob(f"{agent}*.json"):
            one.unlink()
        machine.uninstall(agent)
    left = b"".join(one[0] for one in machine.tree().values() if one)
    assert b"waypost" not in left and b"WAYPOST" not in left
    assert machine.tree() != before  # without a record no file is deleted


def test_a_told_home_is_told_to_the_server(machine: Any) -> None:
    machine.system = replace(machine.system, home_variable="/my memory")
    machine.install("codex")
    machine.install("zed")
    assert 'env = { WAYPOST_HOME = "/my memory" }' in (machine.home / ".codex/config.toml").read_text()
    entry = json.loads((machine.home / ".config/zed/settings.json").read_text())["context_servers"]["waypost"]
    assert entry["env"] == {"WAYPOST_HOME": "/my memory"}


def test_files_of_a_project_name_the_program_as_the_path_knows_it(machine: Any) -> None:
    machine.system = replace(machine.system, which=lambda name: f"/usr/bin/{name}", home_variable="/my memory")
    report = machine.install("claude-code", "project")
    entry = json.loads((machine.project / ".mcp.json").read_text())["mcpServers"]["waypost"]
    assert entry == {"type": "stdio", "alwaysLoad": True, "command": "waypost", "args": ["mcp"]}
    assert '"waypost-hook prompt --agent' in (machine.project / ".claude/settings.local.json").read_text()
    assert [note.split(" is ")[0] for note in report.notes] == ["WAYPOST_HOME"]
    machine.system = replace(machine.system, which=lambda name: None if name.startswith("waypost") else name)
    assert "Do not commit them" in " ".join(machine.install("claude-code", "project").notes)
