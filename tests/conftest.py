"""Each test gets an empty home directory, none of your own settings, and no background worker."""

import gc
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis
import pytest
from tests.made_once import made_once, make_spare
from tests.postgres_server import Postgres

from waypost import config
from waypost.config import Settings
from waypost.embed.fake import FakeEngine
from waypost.memory import Memory, spaces
from waypost.model.memory import Caller
from waypost.store.open_databases import is_open_database
from waypost.store.sqlite.connection import FilePool, open_pools


def pytest_configure() -> None:
    """Keep bytecode: tests start many processes, and each would compile the whole package again."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # by nohup or a script's `&`: children would ignore it too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The time of one example depends on the load of the machine.
    hypothesis.settings.register_profile(
        "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("any machine")
    gc.disable()  # collection creates objects that stay


# They have tests that take many seconds: at the end of a run, the other processes would wait for these.
LONG_MODULES = (
    "tests/hostile/test_patterns.py",
    "tests/simulation/test_years.py",
    "tests/durability/kills/",
    "tests/flows/test_one_index.py",
    "tests/flows/admin/test_worker.py",
    "tests/text/secrets/test_formats.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the longest first. Mark tests as slow that need PostgreSQL or run many random examples."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG_MODULES))
    for item in items:
        if needs_postgres(item) or hypothesis.is_hypothesis_test(getattr(item, "function", None)):
            item.add_marker(pytest.mark.slow)


def needs_postgres(item: pytest.Item) -> bool:
    chosen = getattr(item, "callspec", None)
    values = () if chosen is None else chosen.params.values()
    by_value = any(type(value) is str and value == "postgres" for value in values)
    return by_value or "postgres_server" in getattr(item, "fixturenames", ())


def pytest_collection_finish() -> None:
    """Keep the thousands of collected tests out of later garbage collections. What is garbage among them stays: to find it
    takes longer than to keep it."""
    gc.freeze()
    gc.enable()


_opened_beside_sqlite: list[str] = []


def _note_opening(event: str, given: tuple[object, ...]) -> None:
    """Record when Python opens a file of a database that SQLite has open (`store/open_databases.py`)."""
    if event == "open" and isinstance(given[0], (str, bytes, os.PathLike)):
        try:
            state = os.stat(given[0])
        except (OSError, ValueError):
            return
        if is_open_database(state):
            _opened_beside_sqlite.append(os.fsdecode(given[0]))


sys.addaudithook(_note_opening)


@contextmanager
def expect_opening() -> Iterator[None]:
    """For tests that open a database beside SQLite on purpose."""
    yield
    assert _opened_beside_sqlite, "no database was opened beside SQLite"
    _opened_beside_sqlite.clear()


@pytest.fixture(autouse=True)
def only_sqlite_opens_databases() -> Iterator[None]:
    """Fail a test that opens a database beside SQLite: closing that file drops the locks of SQLite."""
    _opened_beside_sqlite.clear()
    left = broken_pools()  # by a test that failed
    yield
    assert _opened_beside_sqlite == [], "a database was opened beside SQLite"
    assert [one.path for one in broken_pools() if one not in left] == [], "locks or log were lost"


def broken_pools() -> list[FilePool]:
    """Pools that lost their locks or their log. Databases that a test removed do not count."""
    return [one for one in open_pools() if one.path.exists() and not one.is_intact()]


FAILED = pytest.StashKey[bool]()
numbers = itertools.count()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def own_folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Path]]:
    """Create empty folders that are removed when the test passes. Pytest's own numbering lists all existing folders,
    which takes most of the time when there are thousands."""
    made: list[Path] = []

    def make(name: str) -> Path:
        folder = tmp_path_factory.getbasetemp() / f"{name}{next(numbers)}"
        folder.mkdir(0o700)
        made.append(folder)
        return folder

    yield make
    if not request.node.stash.get(FAILED, False):
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, own_folder: Callable[[str], Path]) -> Path:
    return own_folder(re.sub(r"\W", "_", request.node.name)[:30])


DEFAULT_STORE = os.environ.get("TEST_STORE", "sqlite")  # postgres: every memory of the tests is there


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests marked `both_stores` with SQLite and with PostgreSQL."""
    if metafunc.definition.get_closest_marker("both_stores") is not None:
        metafunc.parametrize("store_address", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def store_address(request: pytest.FixtureRequest) -> str:
    """The address of the store; empty for files."""
    if getattr(request, "param", DEFAULT_STORE) == "sqlite":
        return ""
    return str(request.getfixturevalue("prepared_postgres"))


@pytest.fixture(scope="session", autouse=True)
def made_only_once() -> Iterator[None]:
    with made_once():
        yield


@pytest.fixture(autouse=True)
def clean_environment(
    tmp_path: Path, own_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, store_address: str
) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith(("WAYPOST_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(own_folder("user")))
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WAYPOST_BACKGROUND", "0")
    if store_address:
        monkeypatch.setenv("WAYPOST_STORE", store_address)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    yield
    spaces.open_spaces.drop_all()
    spaces._engines.clear()  # the next test may use another engine


class TestClock:
    """A clock that moves only when a test advances it."""

    __test__ = False

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def settings() -> Settings:
    return config.load()


@pytest.fixture
def fake_engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """One engine for every name. It hashes words, so texts that share words are similar."""
    engine = FakeEngine()
    monkeypatch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
    monkeypatch.setattr("waypost.retrieve.certainty.FITTED_FOR", frozenset())  # its cosines are others
    return engine


@pytest.fixture
def fitted(fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut answers by certainty, as if it were fitted to the fake engine."""
    monkeypatch.setattr("waypost.retrieve.certainty.FITTED_FOR", frozenset({"minilm-l6-v2", "use-multilingual-v3"}))


OpenMemory = Callable[..., Memory]


@pytest.fixture
def open_memory(tmp_path: Path, clock: TestClock, fake_engine: FakeEngine) -> OpenMemory:
    """Open the memory of a named project directory, with the test's clock and a fake engine."""

    def open_(name: str = "project", **options: object) -> Memory:
        directory = tmp_path / "work" / name
        directory.mkdir(parents=True, exist_ok=True)
        return Memory.open(directory, clock=clock, **options)  # type: ignore[arg-type]

    return open_


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory()


@pytest.fixture
def person(memory: Memory, clock: TestClock) -> Memory:
    """The same memory, used by a person at a terminal."""
    return Memory.open(memory.code.root, caller=Caller("person", "ada"), clock=clock)


def agree_to_journal_in_repository(memory: Memory) -> Path:
    """A person runs `waypost init --journal-in-repo` in the tree of this memory."""
    person = Caller("person", "anna")
    return Memory.open(memory.code.root, caller=person, clock=memory.space.clock).journal.keep_in_tree()


Git = Callable[..., str]


@pytest.fixture
def git() -> Git:
    """Run git in a folder, as somebody without settings of their own."""

    def run(folder: Path, *arguments: str) -> str:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return run


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """One server for all tests of a process."""
    with Postgres() as server:
        yield server


@pytest.fixture
def postgres(postgres_server: Postgres) -> Iterator[str]:
    """The address of an empty database with pgvector."""
    dsn = postgres_server.new_database()
    yield dsn
    drop(postgres_server, dsn)


@pytest.fixture
def prepared_postgres(postgres_server: Postgres) -> Iterator[str]:
    """The address of a database with the tables that all spaces share, and no space."""
    dsn = postgres_server.new_database("prepared", prepare)
    yield dsn
    drop(postgres_server, dsn)


def prepare(dsn: str) -> None:
    from waypost.store.postgres.connection import release
    from waypost.store.postgres.store import spaces_in

    spaces_in(dsn)
    make_spare(dsn)
    release(dsn)


def drop(server: Postgres, dsn: str) -> None:
    from waypost.store.postgres.connection import release

    release(dsn)
    server.drop_database(dsn)
