"""Tokens: made once, private, kept as hashes, revoked at once."""

import json
import os
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import InvalidInput, NotFound, SecurityError
from waypost.faces.guard.tokens import TokenFile, new_token


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "own home"


START = """
import sys
from pathlib import Path
from waypost.faces.guard.tokens import TokenFile
tokens = TokenFile(Path(sys.argv[1]))
sys.stdin.read(1)
print(tokens.ensure_owner(), tokens.owner_token())
"""


def test_the_owners_token_is_made_once_and_is_the_owners_only(home: Path) -> None:
    tokens = TokenFile(home)
    assert tokens.ensure_owner()
    first = tokens.owner_token()
    assert first.startswith("waypost_") and len(first) >= 51
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert not tokens.ensure_owner()
    assert tokens.owner_token() == first


@pytest.mark.slow
def test_processes_that_start_at_once_agree_on_one_token(home: Path) -> None:
    command = [sys.executable, "-c", START, str(home)]
    with ExitStack() as stack:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        processes = [stack.enter_context(subprocess.Popen(command, **pipes)) for _ in range(4)]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("x")
            process.stdin.flush()
        answers = [process.communicate()[0].split() for process in processes]
    assert len({token for _, token in answers}) == 1
    assert [made for made, _ in answers].count("True") == 1
    assert [path.name for path in home.iterdir()] == ["token"], "nothing half-written is left behind"


def test_who_comes_second_takes_the_token_of_the_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late() -> str:
        monkeypatch.setattr("waypost.faces.guard.tokens.new_token", new_token)
        assert TokenFile(home).ensure_owner(), "another process makes one at this very moment"
        return new_token()

    monkeypatch.setattr("waypost.faces.guard.tokens.new_token", late)
    second = TokenFile(home)
    assert not second.ensure_owner()
    assert second.verify(TokenFile(home).owner_token())


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_token_that_others_can_read_or_change_is_not_used(home: Path, mode: int) -> None:
    tokens = TokenFile(home)
    tokens.ensure_owner()
    secret = tokens.owner_token()
    tokens.path.chmod(mode)
    for use in (tokens.ensure_owner, tokens.owner_token, lambda: tokens.verify(secret)):
        with pytest.raises(SecurityError, match="others") as refused:
            use()
        assert "Delete it" in refused.value.remedy
        assert secret not in str(refused.value)


def test_a_link_a_pipe_or_rubbish_is_no_token(home: Path, tmp_path: Path) -> None:
    tokens = TokenFile(home)
    tokens.ensure_owner()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(tokens.path.read_bytes())
    elsewhere.chmod(0o600)
    tokens.path.unlink()
    tokens.path.symlink_to(elsewhere)
    with pytest.raises(SecurityError):
        tokens.ensure_owner()
    tokens.path.unlink()
    os.mkfifo(tokens.path, 0o600)
    with pytest.raises(SecurityError):
        tokens.ensure_owner()
    tokens.path.unlink()
    for content in (b"", b"short\n", b"x" * 5000, b"\xff" * 64, b"a" * 40 + b" " + b"b" * 40):
        tokens.path.write_bytes(content)
        tokens.path.chmod(0o600)
        with pytest.raises(SecurityError):
            tokens.ensure_owner()


def test_the_owner_is_a_person_who_may_write(home: Path) -> None:
    tokens = TokenFile(home)
    tokens.ensure_owner()
    owner = tokens.verify(tokens.owner_token())
    assert owner is not None
    assert (owner.name, owner.kind, owner.rights) == ("owner", "person", "write")
    assert (owner.caller.source, owner.caller.actor) == ("person", "owner")


def test_an_agents_token_says_that_it_is_an_agent(home: Path, clock: Any) -> None:
    tokens = TokenFile(home)
    token = tokens.make("cursor", clock=clock)
    reader = tokens.make("ci.reader", rights="read", clock=clock)
    found = tokens.verify(token)
    assert found is not None and (found.name, found.kind, found.writes) == ("cursor", "agent", True)
    assert found.caller.source == "agent" and not found.caller.decides
    read = tokens.verify(reader)
    assert read is not None and not read.writes
    assert [one.to_json() for one in tokens.named()] == [
        {"name": "cursor", "kind": "agent", "rights": "write", "space": "", "created": "2026-01-30T12:00:00+00:00"},
        {"name": "ci.reader", "kind": "agent", "rights": "read", "space": "", "created": "2026-01-30T12:00:00+00:00"},
    ]


def test_only_a_hash_of_a_named_token_is_kept(home: Path, clock: Any) -> None:
    tokens = TokenFile(home)
    token = tokens.make("cursor", clock=clock)
    assert all(token.encode() not in path.read_bytes() for path in home.iterdir())
    assert stat.S_IMODE(tokens.named_path.stat().st_mode) == 0o600


def test_nothing_but_a_token_is_a_token(home: Path, clock: Any) -> None:
    tokens = TokenFile(home)
    tokens.ensure_owner()
    token = tokens.make("cursor", clock=clock)
    digest = json.loads(tokens.named_path.read_text())["tokens"][0]["sha256"]
    for wrong in ("", " ", token[:-1], token + "x", token.swapcase(), digest, "é" * 43, "\udc80", "x" * 1_000_000):
        assert tokens.verify(wrong) is None


def test_a_running_server_sees_tokens_made_and_revoked_by_another_process(home: Path, clock: Any) -> None:
    running, other = TokenFile(home), TokenFile(home)
    running.ensure_owner()
    assert running.verify("x" * 43) is None
    token = other.make("cursor", clock=clock)
    before = running.verify(token)
    assert before is not None
    other.revoke("cursor")
    assert running.verify(token) is None
    again = running.verify(other.make("cursor", clock=clock))
    assert again is not None and again.key != before.key, "the same name, another token"


def test_a_new_owners_token_holds_at_once(home: Path) -> None:
    running = TokenFile(home)
    running.ensure_owner()
    old = running.owner_token()
    assert running.verify(old)
    running.path.unlink()
    assert running.verify(old) is None
    TokenFile(home).ensure_owner()
    assert running.verify(old) is None
    assert running.verify(running.owner_token())


@pytest.mark.parametrize("name", ["", "owner", "../x", "a b", "x" * 65, "-x", "a\nb", "é"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(home: Path, clock: Any, name: str) -> None:
    with pytest.raises(InvalidInput):
        TokenFile(home).make(name, clock=clock)


def test_names_are_unique_and_unknown_ones_are_said_to_be(home: Path, clock: Any) -> None:
    tokens = TokenFile(home)
    tokens.make("cursor", clock=clock)
    with pytest.raises(InvalidInput, match="A token named"):
        tokens.make("cursor", clock=clock)
    with pytest.raises(NotFound):
        tokens.revoke("codex")
    with pytest.raises(InvalidInput):
        tokens.make("codex", kind="admin", clock=clock)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"tokens": [1]}',
        b'{"tokens": [{"name": "a", "kind": "root", "rights": "write", "created": "", "sha256": ""}]}',
        b'{"tokens": [{"name": "a", "kind": "agent", "rights": "write", "created": "", "sha256": ""}]}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_list_of_tokens_lets_nobody_in(home: Path, content: bytes) -> None:
    tokens = TokenFile(home)
    tokens.ensure_owner()
    tokens.named_path.write_bytes(content)
    tokens.named_path.chmod(0o600)
    with pytest.raises(SecurityError, match="damaged"):
        tokens.verify("x" * 43)
