"""`waypost-hook` as agents start it: a process that ends in time, with 0, and says JSON or nothing."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from waypost import Memory, config
from waypost.embed.install import status
from waypost.faces.hooks.agent import event as agent_event
from waypost.faces.hooks.agent.formats import HookInput
from waypost.faces.hooks.agent.session_end import keep
from waypost.system.hook_log import late_hooks

pytestmark = pytest.mark.slow  # not for the inner loop

LONG = 60.0  # seconds; reached only by a test that fails
UPLOADS = "Uploads of large files use multipart requests."
# With time enough for any machine, whatever else it does.
PATIENT = (
    "from waypost.faces.hooks.agent import entry as agent_entry\n"
    f"agent_entry.SECONDS = dict.fromkeys(agent_entry.SECONDS, {LONG})\n"
    "agent_entry.main()\n"
)
HOOK = [sys.executable, "-c", PATIENT]

# Must never be there in a prompt's hook: each costs more than the whole of it may.
HEAVY = {
    *("typer", "rich", "click", "mcp", "pydantic", "anyio", "httpx2", "fastapi", "uvicorn", "starlette"),
    *("onnxruntime", "tree_sitter", "watchfiles", "asyncio", "multiprocessing", "http", "ssl", "unittest"),
    *(
        "waypost.faces.cli",
        "waypost.faces.mcp",
        "waypost.code.files.walk",
        "waypost.memory.facade",
        "waypost.flows.versions.prepare",
    ),
    *("waypost.flows.recall.candidates", "waypost.faces.hooks.agent.session_end", "waypost.faces.hooks.git.install"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of which something is remembered, by words only: no weights are looked for."""
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "no-weights"))
    root = tmp_path / "project"
    root.mkdir()
    with Memory.open(root) as memory:
        memory.remember(UPLOADS)
        memory.recall("uploads")  # what only the first reader does is done
    return root


def run(*arguments: str, given: bytes = b"", program: list[str] | None = None) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([*(program or HOOK), *arguments], input=given, capture_output=True, timeout=LONG, check=False)
    assert done.returncode == 0
    return done


def event(project: Path, prompt: str = UPLOADS, **members: object) -> bytes:
    return json.dumps({"session_id": "s", "cwd": str(project), "prompt": prompt, **members}).encode()


def test_a_prompt_is_answered_once(project: Path) -> None:
    done = run("prompt", "--agent", "claude-code", given=event(project))
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert UPLOADS in answer["additionalContext"]
    assert done.stderr == b""
    assert run("prompt", "--agent=claude-code", given=event(project)).stdout == b""


def test_two_hooks_of_a_session_at_once_both_answer_or_stay_silent(project: Path) -> None:
    hooks = [
        subprocess.Popen([*HOOK, "prompt", "--agent", "codex"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for hook in hooks:
        assert hook.stdin is not None
        hook.stdin.write(event(project))
        hook.stdin.close()
        hook.stdin = None
    said = [hook.communicate(timeout=LONG)[0] for hook in hooks]
    assert [hook.returncode for hook in hooks] == [0, 0]
    assert any(said)
    assert all(UPLOADS in json.loads(one)["hookSpecificOutput"]["additionalContext"] for one in said if one)
    assert run("prompt", "--agent", "codex", given=event(project)).stdout == b""


@pytest.mark.parametrize(
    "arguments",
    [(), ("prompt",), ("nonsense", "--agent", "codex"), ("--agent", "codex"), ("prompt", "--agent"), ("--help",)],
)
def test_wrong_usage_is_said_but_stops_nobody(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.stdout == b""
    assert done.stderr.startswith(b"usage: waypost-hook")


@pytest.mark.parametrize("agent", ["nobody", "../../etc", "\u202e", ""])
def test_an_agent_that_nobody_knows_is_answered_nothing(project: Path, agent: str) -> None:
    assert run("prompt", f"--agent={agent}", given=event(project)).stdout == b""


@pytest.mark.parametrize("given", [b"", b"{", b"\x00" * 100_000, b"[" * 1_000_000, b"{" * 40_000_000])
def test_broken_input_is_answered_nothing(project: Path, given: bytes) -> None:
    done = run("prompt", "--agent", "claude-code", given=given)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_broken_configuration_is_no_reason_to_fail(project: Path) -> None:
    (config.load().home / "config.toml").write_text("engine = [")
    done = run("prompt", "--agent", "claude-code", given=event(project))
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_damaged_database_is_no_reason_to_fail(project: Path) -> None:
    folder = next(config.load().memory_root.iterdir())
    for one in folder.glob("memory.db*"):
        one.write_bytes(b"no database at all" * 1000)
    done = run("prompt", "--agent", "claude-code", given=event(project))
    assert (done.stdout, done.stderr) == (b"", b"")
    assert "prompt of claude-code:" in (config.load().home / "hook.log").read_text()


def _program(body: str) -> list[str]:
    """The entry with other work to do."""
    prelude = (
        "import sys, time; from waypost.faces.hooks.agent import entry as agent_entry; "
        "from waypost.faces.hooks.agent.event import Outcome\n"
        "agent_entry.SECONDS = dict.fromkeys(agent_entry.SECONDS, 0.3)\n"
    )
    return [sys.executable, "-c", f"{prelude}{body}\nagent_entry.main(work)\n"]


def _seconds(program: list[str], *, code: int = 0) -> tuple[float, bytes]:
    started = time.monotonic()
    done = subprocess.run(
        [*program, "prompt", "--agent", "codex"], input=b"{}", capture_output=True, timeout=LONG, check=False
    )
    assert done.returncode == code
    assert done.stderr == b""
    return time.monotonic() - started, done.stdout


def test_work_that_takes_too_long_is_left_behind() -> None:
    taken, said = _seconds(_program("def work(*_):\n    time.sleep(50)\n    return Outcome('late')"))
    assert said == b""
    assert taken < 10


def test_that_a_hook_gave_up_is_noted(project: Path, tmp_path: Path) -> None:
    body = (
        "from waypost.faces.hooks.agent import event as agent_event\n"
        f"agent_event.gave_up = lambda *told: open({str(tmp_path / 'noted')!r}, 'w').write(' '.join(told))\n"
        "def work(*_):\n    time.sleep(50)"
    )
    _seconds(_program(body))
    assert (tmp_path / "noted").read_text() == "prompt codex"
    agent_event.handle("prompt", "codex", event(project / "elsewhere"), time.monotonic() + LONG)
    agent_event.gave_up("prompt", "codex")
    assert "prompt of codex: no answer in time." in (config.load().home / "hook.log").read_text()


def test_a_hook_whose_time_is_over_before_it_is_loaded_is_noted_too(project: Path) -> None:
    at_once = "from waypost.faces.hooks.agent import entry as e\ne.SECONDS = dict.fromkeys(e.SECONDS, 0.0)\ne.main()"
    assert (
        run("prompt", "--agent", "codex", given=event(project), program=[sys.executable, "-c", at_once]).stdout == b""
    )
    [late] = late_hooks(config.load().home)
    assert (late.event, late.agent) == ("prompt", "codex")
    assert os.stat(config.load().home / "hook.log").st_mode & 0o777 == 0o600


def test_work_that_waits_for_a_lock_in_c_is_left_behind(tmp_path: Path) -> None:
    body = (
        "import fcntl, os\n"
        f"held = os.open({str(tmp_path / 'lock')!r}, os.O_CREAT | os.O_RDWR); fcntl.flock(held, fcntl.LOCK_EX)\n"
        f"def work(*_):\n    fcntl.flock(os.open({str(tmp_path / 'lock')!r}, os.O_RDWR), fcntl.LOCK_EX)"
    )
    taken, said = _seconds(_program(body))
    assert said == b""
    assert taken < 10


def test_work_in_c_that_lets_nobody_else_run_is_ended() -> None:
    taken, said = _seconds(_program("def work(*_):\n    import re; re.match(r'(a+)+$', 'a' * 60 + 'b')"), code=1)
    assert said == b""
    assert taken < 10


def test_work_that_fails_is_silent() -> None:
    for error in ("SystemExit(2)", "RecursionError", "KeyboardInterrupt"):
        _, said = _seconds(_program(f"def work(*_):\n    raise {error}"))
        assert said == b""


def test_an_agent_that_never_closes_its_end_is_not_waited_for() -> None:
    program = _program("work = None")
    reading, writing = os.pipe()
    started = time.monotonic()
    done = subprocess.run(
        [*program, "prompt", "--agent", "codex"], stdin=reading, capture_output=True, timeout=LONG, check=False
    )
    os.close(reading)
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, b"")
    assert time.monotonic() - started < 10


def test_an_agent_that_never_closes_its_end_is_answered_when_it_has_said_all(project: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, event(project) + b"\n")
    done = subprocess.run(
        [*HOOK, "prompt", "--agent", "codex"], stdin=reading, capture_output=True, timeout=LONG, check=True
    )
    os.close(reading)
    os.close(writing)
    assert UPLOADS.encode() in done.stdout


def test_an_agent_that_has_gone_gets_nothing_and_nothing_is_noted_as_told(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    hook = subprocess.Popen([*HOOK, "prompt", "--agent", "codex"], stdin=subprocess.PIPE, stdout=writing)
    os.close(writing)
    hook.communicate(event(project), timeout=LONG)
    assert hook.returncode == 0
    assert UPLOADS.encode() in run("prompt", "--agent", "codex", given=event(project)).stdout


LOADED = (
    "import sys, time\nfrom waypost.faces.hooks.agent import entry as agent_entry, event as agent_event\n"
    "raw = sys.stdin.buffer.read()\n"
    "outcome = agent_event.handle('prompt', 'codex', raw, time.monotonic() + 60)\n"
    "assert outcome.output\noutcome.written()\nprint(*sys.modules)\n"
)


def loaded_by_a_prompt(project: Path) -> set[str]:
    """All modules that are there when a prompt has been answered."""
    return set(run(program=[sys.executable, "-c", LOADED], given=event(project)).stdout.decode().split())


def heavy_ones(loaded: set[str]) -> set[str]:
    return {name for name in loaded for heavy in HEAVY if name == heavy or name.startswith(f"{heavy}.")}


def test_a_prompt_imports_nothing_heavy(project: Path) -> None:
    loaded = loaded_by_a_prompt(project)
    assert "waypost.flows.context.inject" in loaded
    # By words only, a prompt is recalled as a question is.
    assert not heavy_ones(loaded) - {"waypost.flows.recall.candidates"}


def test_a_prompt_that_is_embedded_imports_nothing_heavy_either(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYPOST_MODELS")
    if not all(one.installed for one in status(config.load(), hashes=False) if one.name.startswith("minilm")):
        pytest.skip("the weights of minilm are not installed")
    with Memory.open(project) as memory:
        memory.admin.embed_pending()
    loaded = loaded_by_a_prompt(project)
    assert "waypost.embed.numpy_bert" in loaded
    assert not heavy_ones(loaded)
    assert "waypost.flows.recall.search" not in loaded


def test_the_turns_of_a_session_are_kept_by_a_process_of_their_own(project: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    said = [("user", "Where do uploads go?"), ("assistant", "To the bucket in Oslo.")]
    transcript.write_text(
        "".join(
            json.dumps(
                {
                    "type": who,
                    "sessionId": "s",
                    "timestamp": f"2026-01-30T12:00:0{place}.000Z",
                    "message": {"role": who, "content": words},
                }
            )
            + "\n"
            for place, (who, words) in enumerate(said)
        )
    )
    given = HookInput("session-end", "claude-code", "session-1", str(project), transcript=str(transcript))
    assert keep(given, config.load())
    with Memory.open(project) as memory:
        kept = memory.list(kind="conversation")
    assert [row["text"] for row in kept] == [words for _, words in said]
    assert keep(given, config.load())
    with Memory.open(project) as memory:
        assert len(memory.list(kind="conversation")) == 2
    (config.load().home / "config.toml").write_text("[journal]\nsessions = false\n")
    assert not keep(given, config.load())


def test_nothing_is_kept_where_nothing_is_remembered(tmp_path: Path) -> None:
    given = HookInput("session-end", "claude-code", "s", str(tmp_path), transcript=str(tmp_path / "none"))
    assert not keep(given, config.load())
    assert not config.load().home.exists()
