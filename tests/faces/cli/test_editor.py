"""A command at a terminal without a text opens the user's editor."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost.errors import InvalidInput
from waypost.faces.cli import editor
from waypost.faces.cli.editor import decision_of


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor, "interactive", lambda: True)


def use_editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    program = tmp_path / "editor.sh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", str(program))


@pytest.mark.usefixtures("at_terminal")
def test_a_memory_is_corrected_in_the_editor(waypost: Waypost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    memory_id = waypost("remember", "We deploy on Tuesdays", "--json").json["id"]
    use_editor(monkeypatch, tmp_path, 'sed -i.old s/Tuesdays/Thursdays/ "$1"')
    assert waypost("correct", memory_id).code == 0
    assert waypost("show", memory_id, "--json").json["text"] == "We deploy on Thursdays"


@pytest.mark.usefixtures("at_terminal")
def test_a_decision_is_written_in_the_editor(waypost: Waypost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_editor(
        monkeypatch, tmp_path, "printf 'Use Postgres\\nBecause: we need transactions\\n# no\\nGiven: \\n' > \"$1\""
    )
    assert waypost("decide").code == 0
    assert "we need transactions" in waypost("why", "why Postgres?").out


@pytest.mark.usefixtures("at_terminal")
@pytest.mark.parametrize("script", [': > "$1"', "exit 1"])
def test_an_empty_text_or_a_failed_editor_changes_nothing(
    waypost: Waypost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    memory_id = waypost("remember", "We deploy on Tuesdays", "--json").json["id"]
    use_editor(monkeypatch, tmp_path, script)
    done = waypost("correct", memory_id)
    assert done.code == 2
    assert "nothing was changed" in done.err
    assert waypost("show", memory_id, "--json").json["text"] == "We deploy on Tuesdays"


@pytest.mark.usefixtures("at_terminal")
def test_a_missing_editor_is_named(waypost: Waypost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor --wait")
    done = waypost("decide")
    assert done.code == 2
    assert "no-such-editor" in done.err


def test_without_a_terminal_the_text_is_required(waypost: Waypost) -> None:
    done = waypost("decide")
    assert done.code == 2
    assert "There is no text." in done.err


def test_parts_of_a_decision_can_be_repeated() -> None:
    written = decision_of("Use Postgres\nfor everything\nbecause: a\nBecause: b\nLeads to: c\nGiven: ")
    assert written.text == "Use Postgres\nfor everything"
    assert (written.because, written.leads_to, written.given) == (("a", "b"), ("c",), ())
    with pytest.raises(InvalidInput):
        decision_of("Because: nothing was decided")
