"""What the first page shows works as pasted, in a repository that is new."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import run_command
from tests.docs.console import ROOT, Session, Step, new_repository

README = (ROOT / "README.md").read_text(encoding="utf-8")
NOT_HERE = ("setup", "tour", "serve")  # they change the person's own files, take long, or do not end
MOST_LINES = 150


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    new_repository(folder)
    (folder / "README.md").write_text("# Shop\n\nA shop for tea.\n")
    (folder / "CLAUDE.md").write_text("# Rules\n- Run make check before a commit\n")
    (folder / "app.py").write_text("def main():\n    return serve()\n\n\ndef serve():\n    return 1\n")
    commit = "git add . && git commit -q -m 'Fix the login: a token ended too early'"
    Session(folder, lambda words: "").play(Step(command=commit))
    monkeypatch.chdir(folder)
    return folder


def blocks(language: str) -> Iterator[str]:
    yield from re.findall(rf"(?ms)^```{language}\n(.*?)^```$", README)


def test_the_first_page_is_short_and_its_first_screen_has_one_figure() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    before_install = README.partition("## Install")[0]
    assert re.findall(r"\d[\d,.]*", before_install.replace("456 of 457", "", 1)) == []
    assert "docs/images/stale.svg" in before_install


@pytest.mark.slow  # they load the embedding model
def test_the_commands_of_the_first_page_work_as_pasted(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(capfd, "init").code == 0
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("waypost ")]
    pasted = [words for line in lines if (words := shlex.split(line, comments=True))[1] not in NOT_HERE]
    assert len(pasted) > 10
    outputs = {}
    for words in pasted:
        done = run_command(capfd, *words[1:])
        assert done.code == 0, f"{words}: {done.err}"
        outputs[" ".join(words[1:3])] = done.out
    assert "never on Fridays" in outputs["ask An welchem Tag wird deployt?"]
    assert "we need transactions" in outputs["why why Postgres?"]


@pytest.mark.slow
def test_the_python_of_the_first_page_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    assert "Deploys are on Thursdays False" in capsys.readouterr().out
