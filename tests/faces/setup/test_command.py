"""`waypost setup` as a person meets it, with a home of their own."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost.faces.cli.entry import run
from waypost.faces.setup.agents import agents


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person with Waypost in an environment of its own and Claude Code on the machine."""
    programs, home, project = tmp_path / "env/bin", tmp_path / "me", tmp_path / "shop/src"
    for folder in (programs, home / ".claude", project):
        folder.mkdir(parents=True)
    (tmp_path / "shop/.git").mkdir()
    for name, content in {"HEAD": "ref: refs/heads/main\n", "config": ""}.items():
        (tmp_path / "shop/.git" / name).write_text(content)
    for inner in ("objects", "refs"):
        (tmp_path / "shop/.git" / inner).mkdir()
    for name in ("python", "waypost", "waypost-hook"):
        (programs / name).write_text("")
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "WAYPOST_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return home


def call(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capfd.readouterr()
    code = run(list(words))
    return (code, *capfd.readouterr())


def called(capfd: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, _err = call(capfd, *words, "--json")
    assert code == 0
    return json.loads(out)


def test_without_an_agent_it_lists_what_is_here_and_what_to_do(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _err = call(capfd, "setup")
    assert code == 0
    assert f"claude-code  not set up for you; not set up in this project ({home}/.claude)" in out
    assert re.search(r"^Not found here: cursor, .*zed", out, re.M)
    assert "Next: waypost setup claude-code" in out
    assert not (home / ".waypost").exists()
    found = {one["agent"]: one for one in called(capfd, "setup")["agents"]}
    assert found["claude-code"]["installed"] and not found["zed"]["installed"]
    assert list(found) == list(agents())


def test_it_says_what_it_did_what_comes_next_and_how_to_undo_it(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _err = call(capfd, "setup", "claude-code")
    assert code == 0
    assert out.startswith("Set up Claude Code for all your projects.\n")
    assert f"{home}/.claude.json (MCP server): created" in out
    assert f"{home}/.claude/settings.json (hooks): created" in out
    assert "Next: `waypost init` in your project, if you have not yet. Start a new session" in out
    assert "To undo: waypost setup claude-code --uninstall" in out
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["waypost"]
    assert entry["command"] == str(home.parent / "env/bin/waypost")
    again = call(capfd, "setup", "claude-code")
    assert again[0] == 0 and "is already set up" in again[1] and "nothing was changed" in again[1]
    assert "set up for you" in call(capfd, "setup")[1]
    undone = call(capfd, "setup", "claude-code", "--uninstall")
    assert undone[0] == 0 and "Removed Waypost from Claude Code" in undone[1]
    assert [path.name for path in home.iterdir() if path.name != ".waypost"] == [".claude"]
    assert call(capfd, "setup", "claude-code", "--uninstall")[0] == 3


def test_a_project_is_set_up_at_its_root(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = called(capfd, "setup", "claude-code", "--project", "--no-hooks")
    shop = home.parent / "shop"
    assert {Path(one["path"]) for one in done["files"]} == {shop / ".mcp.json", shop / "CLAUDE.md"}
    assert done["project"] == str(shop)
    assert {one["action"] for one in done["files"]} == {"created"}
    assert not (home / ".claude.json").exists()


def test_a_dry_run_prints_a_patch(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (home / ".claude.json").write_text('{\n  "a": 1\n}\n')
    code, out, _err = call(capfd, "setup", "claude-code", "--dry-run")
    assert code == 0
    assert "Would set up" in out and '+  "mcpServers": {' in out and '-  "a": 1\n' in out
    assert (home / ".claude.json").read_text() == '{\n  "a": 1\n}\n'
    assert not (home / ".waypost").exists()


def test_errors_say_what_and_what_to_do(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (home / ".claude.json").write_text('{"a": 1,\n "b" 2}')
    code, out, err = call(capfd, "setup", "claude-code")
    assert (code, out) == (1, "")
    assert f"{home}/.claude.json, line 2, column 6: a colon is missing." in err and "Nothing was changed." in err
    assert call(capfd, "setup", "emacs")[0] == 2
    code, _out, err = call(capfd, "setup", "zed", "--user", "--project")
    assert code == 2 and "exclude each other" in err
    code, _out, err = call(capfd, "setup", "--uninstall")
    assert code == 2 and "Use one of claude-code, cursor" in err
    assert "unreadable" in json.dumps(called(capfd, "setup"))


def test_without_its_commands_nothing_is_written(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (home.parent / "env/bin/waypost-hook").unlink()
    code, _out, err = call(capfd, "setup", "claude-code")
    assert code == 1 and "`waypost-hook` was not found" in err
    assert not (home / ".claude.json").exists()


def test_doctor_reports_what_does_not_work_with_stable_keys(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call(capfd, "setup", "zed")
    code, out, _err = call(capfd, "doctor", "--agent", "zed", "--json")
    report = json.loads(out)
    assert (code, report["agent"], report["title"], report["ok"]) == (1, "zed", "Zed", False)
    assert report["project"] == str(home.parent / "shop")
    rows = {row["check"].partition(" (")[0]: row for row in report["checks"]}
    assert set(rows["memory"]) == {"check", "ok", "message", "remedy", "milliseconds", "output"}
    assert rows["memory"]["remedy"] == "Run: waypost init"
    assert not (home / ".waypost/memory").exists()
    assert "it does not start" in rows["server"]["message"]
    code, out, _err = call(capfd, "doctor", "--agent", "zed")
    assert code == 1 and "problem  memory: This project has no memory yet.\n         Run: waypost init" in out
    assert call(capfd, "doctor", "--agent", "emacs")[0] == 2


def test_at_a_terminal_setup_offers_to_check(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, answers = list[str](), ["n", "n", "n", ""]

    def answer(question: str) -> str:
        questions.append(question)
        return answers[len(questions) - 1]

    monkeypatch.setattr("waypost.faces.cli.commands.setup.interactive", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    code, out, _err = call(capfd, "setup", "zed")
    assert (code, questions[-1]) == (0, "Check that it works (waypost doctor --agent zed)? [Y/n] ")
    assert "What to do" not in out
    code, out, _err = call(capfd, "setup", "zed")
    assert code == 1
    assert out.splitlines()[-3].startswith("2 problems: memory, server")
    assert out.splitlines()[-2] == "  1. Run: waypost init"


def test_at_a_terminal_setup_offers_to_index_a_repository_without_memory(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, started = list[str](), list[list[str]]()

    def answer(question: str) -> str:
        questions.append(question)
        return "" if "Index" in question else "n"  # return alone

    def start(command: list[str], **_: object) -> None:
        started.append(command)

    monkeypatch.setattr("waypost.faces.cli.commands.setup.interactive", lambda: True)
    monkeypatch.setattr("waypost.faces.cli.commands.setup.subprocess.run", start)
    monkeypatch.setattr("builtins.input", answer)
    assert call(capfd, "setup", "zed")[0] == 0
    assert questions[0] == "Index this project now (waypost init)? [Y/n] "
    assert [command[-3:] for command in started] == [["-C", ".", "init"]]


def test_an_empty_memory_is_not_indexed_and_setup_ends_with_what_is_next(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = list[str]()

    def answer(question: str) -> str:
        questions.append(question)
        return "n"

    call(capfd, "doctor")  # makes an empty memory
    monkeypatch.setattr("waypost.faces.cli.commands.setup.interactive", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    code, out, _err = call(capfd, "setup", "zed")
    assert code == 0
    assert "Index this project now (waypost init)? [Y/n] " in questions
    assert out.splitlines()[-1].startswith("Done: Zed. Next: ")


def test_at_a_terminal_setup_offers_to_index_also_if_no_agent_is_here(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = list[str]()

    def answer(question: str) -> str:
        questions.append(question)
        return "n"

    monkeypatch.setattr("waypost.faces.cli.commands.setup.interactive", lambda: True)
    monkeypatch.setattr("waypost.faces.setup.install.detect", lambda *_: ())
    monkeypatch.setattr("builtins.input", answer)
    code, _out, err = call(capfd, "setup")
    assert (code, questions) == (0, ["Index this project now (waypost init)? [Y/n] "])
    assert "No agent found." in err


def test_at_a_terminal_setup_asks_about_each_agent_that_is_here(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".codex").mkdir()
    questions = list[str]()

    def answer(question: str) -> str:
        questions.append(question)
        return "y" if "Codex" in question else "n"

    monkeypatch.setattr("waypost.faces.cli.commands.setup.interactive", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    code, out, _err = call(capfd, "setup")
    assert code == 0 and "Set up Codex for all your projects.\n" in out
    asked = [f"Set up {title} for all your projects? [Y/n] " for title in ("Claude Code", "Codex")]
    check = "Check that it works (waypost doctor --agent codex)? [Y/n] "
    assert questions == [*asked, "Index this project now (waypost init)? [Y/n] ", check]
    assert (home / ".codex/config.toml").exists() and not (home / ".claude.json").exists()


def test_at_a_terminal_setup_offers_agents_md_only_for_an_agent_that_no_hook_briefs(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, started = list[str](), list[list[str]]()

    def answer(question: str) -> str:
        questions.append(question)
        return "y" if "AGENTS.md" in question else "n"

    def start(command: list[str], **_: object) -> None:
        started.append(command)

    monkeypatch.setattr("waypost.faces.cli.session.CommandSession.has_memory", lambda _: True)
    monkeypatch.setattr("waypost.faces.cli.commands.setup.interactive", lambda: True)
    monkeypatch.setattr("waypost.faces.cli.commands.setup.subprocess.run", start)
    monkeypatch.setattr("builtins.input", answer)
    assert call(capfd, "setup", "claude-code")[0] == 0
    assert not any("AGENTS.md" in question for question in questions)
    assert call(capfd, "setup", "zed")[0] == 0
    assert [command[-2:] for command in started] == [["setup", "agents-md"]]


def test_agents_md_is_set_up_checked_and_given_back(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = home.parent / "shop/AGENTS.md"
    path.write_text("# Shop")
    assert "agents-md    not set up in this project" in call(capfd, "setup")[1]
    code, out, _err = call(capfd, "setup", "agents-md")
    assert code == 0 and "To undo: waypost setup agents-md --uninstall" in out
    assert path.read_text().startswith("# Shop\n\n<!-- waypost:memories:begin ")
    assert call(capfd, "setup", "agents-md")[1].startswith("AGENTS.md is already set up")

    def problem() -> dict[str, Any]:
        rows = json.loads(call(capfd, "doctor", "--agent", "agents-md", "--json")[1])["checks"]
        (row,) = (row for row in rows if row["check"] == "AGENTS.md")
        assert isinstance(row, dict)
        return row

    assert problem()["ok"]
    path.write_text(path.read_text().replace("<!-- waypost:memories:end", "Mine.\n<!-- waypost:memories:end"))
    assert not problem()["ok"] and "--force" in problem()["remedy"]
    assert call(capfd, "setup", "agents-md")[0] != 0 and "Mine." in path.read_text()
    assert call(capfd, "setup", "agents-md", "--force")[0] == 0 and "Mine." not in path.read_text()
    assert call(capfd, "setup", "agents-md", "--user")[0] != 0
    assert call(capfd, "setup", "agents-md", "--uninstall")[0] == 0
    assert path.read_text() == "# Shop\n\nMine.\n"  # what --force overwrote comes back
    assert not json.loads(call(capfd, "doctor", "--agent", "agents-md", "--json")[1])["ok"]
