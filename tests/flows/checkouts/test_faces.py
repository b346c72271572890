"""What each face says to a folder that is no checkout of the memory it names."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.flows.checkouts.conftest import FACT, ORIGIN, Repository, Waypost

from waypost.errors import UnknownCheckout
from waypost.faces.hooks.git.run import LOG_NAME, run_event
from waypost.faces.rest.problems import problem_of
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces

PROMPT = "How does the shop keep its orders in Postgres sixteen?"


@pytest.fixture
def stranger(shop: Path, repository: Repository) -> Path:
    return repository("stranger", ORIGIN)


def hook(event: str, folder: Path) -> str:
    given = {"prompt": PROMPT, "cwd": str(folder), "session_id": "s1", "source": "startup"}
    patient = (
        "from waypost.faces.hooks.agent import entry as agent_entry\n"
        "agent_entry.SECONDS = dict.fromkeys(agent_entry.SECONDS, 60.0)\n"
        "agent_entry.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", patient, event, "--agent", "claude-code"],
        input=json.dumps(given), capture_output=True, text=True, cwd=folder, check=True,
        env={**os.environ, "WAYPOST_MODELS": str(folder / "none")},
    )  # fmt: skip
    return done.stdout


@pytest.mark.slow
def test_a_hook_says_nothing_and_keeps_nothing(shop: Path, stranger: Path, waypost: Waypost) -> None:
    assert FACT in hook("prompt", shop)
    assert [hook(event, stranger) for event in ("session-start", "prompt", "session-end")] == ["", "", ""]
    assert waypost(shop, "status", "--json").json["checkouts"] == [str(shop)]
    assert waypost(shop, "status", "--json").json["collections"]["journal"] == 1


@pytest.mark.slow
def test_a_git_hook_of_a_stranger_leaves_no_log_with_the_memory(shop: Path, stranger: Path, waypost: Waypost) -> None:
    from waypost import config

    folder = Path(waypost(shop, "status", "--json").json["path"])
    assert run_event(stranger, config.load(), lambda: Memory.open(stranger).close(), wait=lambda _: None)
    assert not (folder / LOG_NAME).exists()


@pytest.mark.slow
def test_mcp_says_what_to_do(shop: Path, stranger: Path) -> None:
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": given}}
          for number, (name, given) in enumerate(
              [("recall", {"question": PROMPT}), ("remember", {"text": "A stranger was here."}), ("status", {})], 2)),
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", "mcp"],
        cwd=stranger, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("".join(json.dumps(one) + "\n" for one in asked))
        process.stdin.flush()
        answers = {row["id"]: row for row in (json.loads(process.stdout.readline()) for _ in range(4))}
        process.stdin.close()
    for number in (2, 3, 4):
        result = answers[number]["result"]
        assert result["isError"] and "waypost adopt" in result["content"][0]["text"]
        assert FACT not in json.dumps(result)


def test_rest_forbids_it() -> None:
    assert problem_of(UnknownCheckout("x")).status == 403


@pytest.mark.slow
def test_snapshots_are_neither_listed_nor_restored_for_it(shop: Path, stranger: Path, waypost: Waypost) -> None:
    assert waypost(shop, "backup", "make").code == 0
    for command in (("list",), ("restore", "--yes"), ("make",)):
        done = waypost(stranger, "backup", *command)
        assert done.code == 1 and "waypost adopt" in done.err
        assert FACT not in done.out


@pytest.mark.slow
def test_a_damaged_memory_is_not_exported_for_it(shop: Path, stranger: Path, waypost: Waypost, tmp_path: Path) -> None:
    database = Path(waypost(shop, "status", "--json").json["path"]) / "memory.db"
    open_spaces.drop_all()
    content = bytearray(database.read_bytes())
    content[:16] = bytes(16)
    database.write_bytes(content)
    for number, folder in enumerate((stranger, shop)):
        target = tmp_path / f"export-{number}.jsonl"
        waypost(folder, "export", str(target))
        assert (target.exists() and FACT in target.read_text()) is (folder == shop)
