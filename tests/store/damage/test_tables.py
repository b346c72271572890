"""Each table is damaged in its turn: reads go on, writes work or say what to do, and a repair leaves a sound database."""

import json
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from tests.store.damage.filled import Filled, fill, git, pages_of_table, root_page, zero

from waypost import config
from waypost.embed.fake import FakeEngine
from waypost.faces.cli.entry import run
from waypost.memory.spaces import open_spaces
from waypost.store.sqlite.checksums import add_checksum_function
from waypost.store.sqlite.schema import MIGRATIONS, make

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ORIGIN = "https://example.org/team/project.git"
LONG = ("memories", "passages", "keywords_data", "keywords_docsize", "vectors", "audit")  # that take several pages
NEW = "Nightly backups leave at two o'clock"


def parts_of_schema() -> list[tuple[str, str, str]]:
    with closing(apsw.Connection(":memory:")) as connection:
        add_checksum_function(connection)
        make(connection, MIGRATIONS, NOW)
        parts = connection.execute("SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0 ORDER BY 2")
        return [(str(sort), str(name), str(table)) for sort, name, table in parts]


TABLES = [name for sort, name, _ in parts_of_schema() if sort == "table"]
INDEXES = {name: table for sort, name, table in parts_of_schema() if sort == "index"}
FIRST_INDEXES = {table: name for name, table in reversed(INDEXES.items())}.values()  # one of each table


def make_template(folder: Path, *, long_notes: int) -> Filled:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAYPOST_BACKGROUND", "0")
        patch.setenv("HOME", str(folder))
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: FakeEngine())
        return fill(folder / "home", folder / "project", memories=32, long_notes=long_notes, files=3, origin=ORIGIN)


@pytest.fixture(scope="session")
def small_template(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    return make_template(tmp_path_factory.mktemp("small"), long_notes=3)


@pytest.fixture(scope="session")
def long_template(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """Large enough that every table of `LONG` takes several pages."""
    return make_template(tmp_path_factory.mktemp("long"), long_notes=12)


@pytest.fixture(autouse=True)
def without_models(fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking the installed models takes longer than all the rest."""
    assert fake_engine is not None
    monkeypatch.setattr("waypost.flows.admin.doctor.model_status", lambda *_, **__: ())


@pytest.fixture
def small(small_template: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Filled:
    monkeypatch.chdir(small_template.project)
    return small_template.copy(tmp_path / "home")


@pytest.fixture
def long(long_template: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Filled:
    monkeypatch.chdir(long_template.project)
    return long_template.copy(tmp_path / "home")


class Terminal:
    """Commands in this process; each opens the memory anew, as a process of its own would."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured

    def run(self, *arguments: str) -> tuple[int, str, str]:
        try:
            code = run(list(arguments))
        finally:
            open_spaces.drop_all()
        out, err = self._captured.readouterr()
        assert "unexpected" not in err and "Traceback" not in err, err
        assert not (config.load().home / "crash.log").exists()
        return code, out, err


@pytest.fixture
def terminal(capfd: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capfd)


def listed(terminal: Terminal) -> set[str]:
    code, out, _ = terminal.run("list", "--limit", "1000", "--json")
    assert code == 0
    return {row["id"] for row in json.loads(out)["memories"]}


def goes_on(small: Filled, terminal: Terminal, lost: frozenset[str] = frozenset()) -> None:
    """Everything that is not about what was lost is answered; a write works or says what to do; a repair repairs."""
    left = small.memories.keys() - lost
    asked = next((one for one in small.memories if one in left), "")
    assert listed(terminal) == left
    if asked:
        text = small.memories[asked]
        code, out, err = terminal.run("ask", text, "--json")
        assert code == 0, err
        assert asked in [hit["id"] for hit in json.loads(out)["hits"]]
        for command in ("show", "history"):
            code, out, err = terminal.run(command, asked)
            assert code == 0, err
            assert text[:40] in re.sub(r"\s+", " ", out)
    assert terminal.run("status")[0] == 0
    code, out, _ = terminal.run("doctor")
    assert (code, "waypost doctor --fix" in out) == (1, True)
    code, out, _ = terminal.run("export", "-")
    assert {json.loads(line)["id"] for line in out.splitlines() if line.startswith("{")} == left
    code, out, err = terminal.run("remember", NEW)
    if code:
        assert "is damaged" in err and "waypost doctor --fix" in err, err
    terminal.run("doctor", "--fix")
    code, out, _ = terminal.run("doctor")
    assert code == 0, out
    assert terminal.run("remember", NEW, "--json")[0] == 0
    now = listed(terminal)
    assert left < now and len(now - small.memories.keys()) == 1


@pytest.mark.parametrize("table", TABLES)
def test_without_the_first_page_of_a_table_reads_go_on(small: Filled, terminal: Terminal, table: str) -> None:
    zero(small.database, root_page(small.database, table))
    goes_on(small, terminal)


@pytest.mark.parametrize("table", LONG)
def test_without_the_other_pages_of_a_table_reads_go_on(long: Filled, terminal: Terminal, table: str) -> None:
    pages = pages_of_table(long.database, table)
    assert pages
    zero(long.database, *pages)
    goes_on(long, terminal, frozenset(long.memories) if table == "memories" else frozenset())


@pytest.mark.slow
@pytest.mark.parametrize(
    "index", [pytest.param(name, marks=[] if name in FIRST_INDEXES else pytest.mark.soak) for name in INDEXES]
)
def test_without_an_index_reads_go_on(small: Filled, terminal: Terminal, index: str) -> None:
    zero(small.database, root_page(small.database, index), *pages_of_table(small.database, index))
    goes_on(small, terminal)


@pytest.mark.parametrize("command", ["list", "ask", "show", "history", "status"])
def test_each_read_says_that_the_database_is_damaged(small: Filled, terminal: Terminal, command: str) -> None:
    zero(small.database, root_page(small.database, "checkouts"), root_page(small.database, "memories"))
    wanted = next(iter(small.memories))
    given = {"ask": ["port of service 4"], "show": [wanted], "history": [wanted]}.get(command, [])
    _, out, err = terminal.run(command, *given)
    assert "The database is damaged" in out + err
    assert "waypost doctor --fix" in out + err


def test_memories_that_cannot_be_read_are_counted(small: Filled, terminal: Terminal) -> None:
    wanted = next(one for one, text in small.memories.items() if text.startswith("Service 11 "))
    page = min(small.places[wanted])
    zero(small.database, page)
    touched = small.touched_by(frozenset([page]))
    _, out, _ = terminal.run("list", "--limit", "1000", "--json")
    told = json.loads(out)
    missing = small.memories.keys() - {row["id"] for row in told["memories"]}
    assert wanted in missing <= touched
    counted = re.search(r"without (\d+) memor", told["notices"][0])
    assert counted is not None and len(missing) <= int(counted[1]) <= len(touched)
    code, _, err = terminal.run("show", wanted)
    assert code == 1
    assert f"{wanted} cannot be read: the database is damaged" in err
    assert "waypost doctor --fix" in err


# -- whose memory it is, when the list of checkouts cannot be read


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder of another project that says it has the same origin."""
    place = tmp_path / "stranger"
    place.mkdir()
    git(place, "init", "-q")
    git(place, "remote", "add", "origin", ORIGIN)
    (place / "other.py").write_text("x = 1\n")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "Another beginning")
    return place


READS = (["list"], ["ask", "port of service 4"], ["status"], ["export", "-"], ["context", "service 4"])


def reads_nothing(terminal: Terminal, small: Filled) -> None:
    for command in READS:
        code, out, err = terminal.run(*command)
        assert code != 0
        assert "Service" not in out + err
        assert "waypost" in err


@pytest.mark.parametrize("tables", [("checkouts",), ("meta",), ("checkouts", "meta")])
def test_a_stranger_with_the_same_origin_reads_nothing(
    small: Filled, stranger: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tables: tuple[str, ...]
) -> None:
    for table in tables:
        zero(small.database, root_page(small.database, table))
    monkeypatch.chdir(stranger)
    reads_nothing(terminal, small)
    terminal.run("doctor", "--fix")
    reads_nothing(terminal, small)
    monkeypatch.chdir(small.project)
    terminal.run("doctor", "--fix")
    monkeypatch.chdir(stranger)
    reads_nothing(terminal, small)


def test_a_clone_shares_history_and_reads_without_the_list_of_checkouts(
    small: Filled, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(small.project), "clone")
    git(tmp_path / "clone", "remote", "set-url", "origin", ORIGIN)
    zero(small.database, root_page(small.database, "checkouts"))
    monkeypatch.chdir(tmp_path / "clone")
    assert listed(terminal) == small.memories.keys()


def test_where_nothing_proves_whose_memory_it_is_a_repair_and_a_person_help(small: Filled, terminal: Terminal) -> None:
    for table in ("checkouts", "meta"):
        zero(small.database, root_page(small.database, table), *pages_of_table(small.database, table))
    code, _, err = terminal.run("list")
    assert code == 1
    assert "waypost doctor --fix" in err
    terminal.run("doctor", "--fix")
    code, _, err = terminal.run("list")
    assert code != 0
    assert "waypost adopt" in err
    assert terminal.run("adopt", "--yes")[0] == 0
    assert listed(terminal) == small.memories.keys()
