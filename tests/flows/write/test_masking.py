"""A secret is masked in every field of a memory, not only in its text."""

import json
import random
import string
from pathlib import Path
from typing import Any

import pytest
from tests.home_files import files_with

from waypost.flows.facts.candidates import take
from waypost.memory import Memory
from waypost.model.candidate import Candidate

pytestmark = pytest.mark.slow  # not for the inner loop

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"


def under(folder: Path, word: str) -> list[str]:
    return [path.name for path in files_with(folder, word)]


@pytest.mark.parametrize(
    "given",
    [
        {"domain": TOKEN},
        {"module": TOKEN},
        {"session": TOKEN},
        {"speaker": TOKEN},
        {"key": TOKEN},
        {"evidence": [f"see {TOKEN}"]},
        {"tags": {TOKEN: "1"}},
        {"tags": {"login": TOKEN}},
        {"refs": [f"src/{TOKEN}.py"]},
        {"refs": [{"file_path": "a.py", "symbol_id": TOKEN}]},
        {"refs": [{"file_path": "a.py", "confidence_reason": TOKEN}]},
        {"source": TOKEN},
        {"actor": f"agent {TOKEN}"},
    ],
    ids="-".join,
)
def test_a_secret_in_any_field_stays_out(memory: Memory, given: dict[str, Any]) -> None:
    (receipt,) = memory.remember_many([{"text": "A harmless sentence", **given}])
    assert receipt.status == "added"
    assert any("github-token" in what for what in receipt.masked)
    assert TOKEN not in str(receipt.to_json())
    memory.admin.export()
    memory.close()
    assert under(memory.space.folder, TOKEN) == []


def test_a_tag_whose_name_gives_its_value_away_is_masked(memory: Memory) -> None:
    receipt = memory.remember("The login of the test system", tags={"password": "Tr0ub4dor&3xyz", "team": "core"})
    row = memory.list()[0]
    assert row["tags"] == {"password": "[secret: password]", "team": "core"}
    assert receipt.masked == ("password (tag)",)


def test_harmless_fields_stay_as_they_were(memory: Memory) -> None:
    memory.remember(
        "A harmless sentence",
        domain="auth",
        module="login",
        session="2026-01-30 stand-up",
        speaker="Zoë",
        key="turn:17",
        evidence=["ADR-7"],
        tags={"team": "core=1"},
        refs=["src/app.py#L1-L9"],
    )
    row = memory.list()[0]
    assert (row["domain"], row["module"], row["session"], row["speaker"], row["key"]) == (
        "auth",
        "login",
        "2026-01-30 stand-up",
        "Zoë",
        "turn:17",
    )
    assert (row["evidence"], row["tags"], row["code_refs"][0]["file_path"]) == (
        ["ADR-7"],
        {"team": "core=1"},
        "src/app.py",
    )


def _random(alphabet: str, count: int) -> str:
    rng = random.Random(alphabet)
    return "".join(rng.choice(alphabet) for _ in range(count))


ALNUM = string.ascii_letters + string.digits
SPOKEN = {
    "notion": ("The integration uses {}", "ntn" + "_" + _random(ALNUM, 46)),
    "dropbox": ("Backups go up with {}", "sl" + ".B" + _random(ALNUM, 136)),
    "hugging face": ("The model is pulled with {}", "h" + "f_" + _random(ALNUM, 34)),
    "openai": ("Answers come by {}", "sk-" + "proj-" + "abc123" * 8),
    "aws": ("my aws secret key is {}", "/" + _random(ALNUM + "+/", 39)),
    "password": ("Set the password to {}.", "hunter" + "2xQ9"),
    "russian": ("Пароль сервера: {}", "Zx81" + "kk9Q"),
    "german": ("Das Passwort für den Server lautet {}.", "Regen" + "7bogen"),
}


@pytest.mark.parametrize("name", SPOKEN)
def test_no_way_in_leaves_a_secret_under_the_home(memory: Memory, tmp_path: Path, name: str) -> None:
    carrier, secret = SPOKEN[name]
    said = carrier.format(secret)
    export = tmp_path / "given.jsonl"
    export.write_text(json.dumps({"text": f"Imported. {said}"}) + "\n", "utf-8")
    chat = tmp_path / "chat.jsonl"
    chat.write_text(
        json.dumps({"text": f"Chat. {said}", "kind": "conversation", "session": "s1", "speaker": "Ada"}) + "\n"
    )
    receipts = [
        memory.remember(said),
        *memory.remember_many([{"text": f"In a batch. {said}", "kind": "decision"}]),
        memory.remember(f"Noted. {said}", kind="note"),
        memory.remember(f"Said. {said}", kind="conversation", session="s1", speaker="Ada", evidence=[said]),
        *memory.admin.import_file(export),
        *memory.admin.import_file(chat),
    ]
    assert [receipt.status for receipt in receipts if not receipt.masked] == []
    changed = memory.remember("Something harmless is stored")
    assert changed.id
    assert memory.correct(changed.id, f"Corrected. {said}").masked
    candidate = Candidate(f"Proposed. {said}", 0.5, "git_diff", topic="t", evidence=(said,))
    take(memory.space, [candidate])
    memory.admin.export()
    assert secret not in str([entry.details for entry in memory.admin.audit()])
    memory.close()
    assert under(tmp_path / "home", secret) == []
    assert secret not in str([receipt.to_json() for receipt in receipts])
