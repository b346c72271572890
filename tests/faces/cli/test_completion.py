"""Completion: commands and options come with the script, ids and symbols from the memory."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost import Memory

TYPE = "COMP_WORDS=({words}); COMP_CWORD={at}; _waypost; printf '%s\\n' \"${{COMPREPLY[@]}}\""


def completed(waypost: Waypost, tmp_path: Path, *words: str, stand_in: str = "") -> list[str]:
    """What bash offers for the last word. `stand_in` answers for `waypost complete`."""
    script = tmp_path / "completion.bash"
    script.write_text(waypost("completion", "bash").out)
    typed = TYPE.format(words=" ".join(f"'{word}'" for word in ("waypost", *words)), at=len(words))
    lines = f"waypost() {{ printf '{stand_in}'; }}\nsource {script}\n{typed}"
    done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_and_fixed_words(waypost: Waypost, tmp_path: Path) -> None:
    assert completed(waypost, tmp_path, "rem") == ["remember"]
    assert completed(waypost, tmp_path, "sea") == ["search"]
    assert completed(waypost, tmp_path, "ask", "--as") == ["--as-of"]
    assert completed(waypost, tmp_path, "journal", "time") == ["timeline"]
    assert completed(waypost, tmp_path, "-C", "x", "journal", "add", "--spe") == ["--speaker"]
    assert completed(waypost, tmp_path, "ask", "--in", "fa") == ["facts"]
    assert completed(waypost, tmp_path, "remember", "--kind", "con") == ["constraint", "conversation"]
    assert completed(waypost, tmp_path, "setup", "cl") == ["claude-code", "cline", "claude-desktop"]
    assert completed(waypost, tmp_path, "doctor", "--agent", "cod") == ["codex"]


def test_bash_completes_ids_symbols_and_files(waypost: Waypost, tmp_path: Path) -> None:
    (tmp_path / "storage.py").touch()
    assert completed(waypost, tmp_path, "show", "01", stand_in="01ab\\tWe deploy\\n01cd\\tOther\\n") == ["01ab", "01cd"]
    assert completed(waypost, tmp_path, "remember", "x", "--replaces", "01", stand_in="01ab\\t\\n") == ["01ab"]
    assert completed(waypost, tmp_path, "uses", "up", stand_in="upload\\n") == ["upload"]
    assert completed(waypost, tmp_path, "about", "stor") == ["storage.py"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_valid(waypost: Waypost, tmp_path: Path, shell: str) -> None:
    done = waypost("completion", shell)
    assert done.code == 0
    for word in ("remember", "timeline", "search", "complete"):
        assert word in done.out
    if shutil.which(shell):
        (tmp_path / "script").write_text(done.out)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def test_another_shell_is_refused(waypost: Waypost) -> None:
    done = waypost("completion", "csh")
    assert done.code == 2
    assert "bash, zsh, fish" in done.err


def test_ids_come_with_their_text_newest_first(waypost: Waypost, project: Path) -> None:
    first = waypost("remember", "We deploy on Tuesdays", "--json").json["id"]
    second = waypost("remember", "Staging: reset\nevery Sunday", "--json").json["id"]
    assert waypost("complete", "ids", "").out.splitlines() == [
        f"{second[:10]}\tStaging reset every Sunday", f"{first[:10]}\tWe deploy on Tuesdays"
    ]  # fmt: skip
    assert waypost("complete", "ids", first).out.split("\t")[0] == first
    assert waypost("-C", str(project), "complete", "ids", "zzz").out.strip() == ""


def test_symbols_are_completed_by_their_last_part(waypost: Waypost, project: Path) -> None:
    (project / "app.py").write_text("class Store:\n    def upload(self): ...\n\ndef update(): ...\n")
    with Memory.open(project) as memory:
        memory.index(facts=False)
    assert waypost("complete", "symbols", "up").out.split() == ["update", "upload"]
    assert waypost("complete", "symbols", "Store.u").out.split() == ["Store.upload"]


def test_a_broken_memory_prints_nothing(waypost: Waypost, tmp_path: Path) -> None:
    done = waypost("-C", str(tmp_path / "missing" / "folder"), "complete", "ids", "")
    assert (done.code, done.out.strip(), done.err) == (0, "", "")
