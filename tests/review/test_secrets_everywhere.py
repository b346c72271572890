"""CG-17: a secret is masked in whatever field of a memory it comes, not in its text alone."""

from pathlib import Path
from typing import Any

import pytest
from tests.home_files import files_with

from waypost.memory import Memory

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
    memory.export()
    memory.close()
    assert under(memory.folder, TOKEN) == []


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
