"""A project with a rich memory, and a browser's view of it: pages are asked for through the application itself."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from tests.conftest import TestClock

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.faces.dashboard.app import dashboard_app
from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.memory.catalog import Spaces
from waypost.memory.spaces import open_spaces
from waypost.model.memory import Caller
from waypost.model.session_turn import ASSISTANT, USER, SessionTurn

OWNER = TokenIdentity("ada", "person", "write", "key-1")
READER = TokenIdentity("visitor", "person", "read", "key-2")
AGENT = TokenIdentity("coder", "agent", "write", "key-3")

# What must show as text, whatever stands in a memory: markup, script, escapes of a terminal, marks that turn the writing.
HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> \"' {{ 7*7 }} evil\u202etxt.exe"

CHECKOUT = '''"""Paying for a basket."""


def total(prices):
    """The sum of what is in the basket."""
    result = 0
    for price in prices:
        result += price
    return result


def pay(basket, card):
    return card.charge(total(basket))
'''
CHANGED = CHECKOUT.replace(
    "    result = 0\n    for price in prices:\n        result += price\n    return result\n",
    '    if not prices:\n        raise ValueError("the basket is empty")\n    return round(sum(prices) * 1.19, 2)\n',
)
SESSION = '''"""Who is signed in."""


class Session:
    def __init__(self, user):
        self.user = user

    def is_open(self):
        return self.user is not None
'''


@dataclass(slots=True)
class Sample:
    """A memory with something of everything, and the ids of what is in it."""

    memory: Memory  # in a person's hands
    root: Path
    ids: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.ids[name]


class Browser:
    """Asks for pages of one space. `get("search", q="x")` is the address /s/<space>/search?q=x."""

    def __init__(self, client: TestClient, space_id: str) -> None:
        self.client, self.space_id = client, space_id

    def get(self, path: str = "", status: int = 200, /, **query: str) -> str:
        answer = self.client.get(self.address(path), params=query)
        assert answer.status_code == status, answer.text
        return answer.text

    def post(self, path: str, status: int = 303, /, **form: str | list[str]) -> str:
        """Send a form. Returns the address that it leads to; where it leads nowhere, the page."""
        answer = self.client.post(self.address(path), data=form, follow_redirects=False)
        assert answer.status_code == status, answer.text
        return str(answer.headers["location"]) if status == 303 else answer.text

    def address(self, path: str) -> str:
        return f"/s/{self.space_id}/{path}" if path else f"/s/{self.space_id}"


Browse = Callable[..., Browser]


@pytest.fixture
def browse(clock: TestClock) -> Browse:
    """A browser at a memory, signed in as `identity`."""

    def at(memory: Memory, identity: TokenIdentity = OWNER) -> Browser:
        app = dashboard_app(Spaces(memory, config.load(), clock), csrf_token=lambda _: "the-token")

        async def behind_the_gate(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, CALLER: identity}, receive, send)

        return Browser(TestClient(behind_the_gate, base_url="http://127.0.0.1"), memory.identity.space_id)

    return at


@pytest.fixture
def sample(built: tuple[Path, dict[str, str]], clock: TestClock, monkeypatch: pytest.MonkeyPatch) -> Sample:
    """Five months of a shop: facts on all levels, a stale one, decisions with reasons, a journal, candidates, a lifetime.

    It was built once; every test has it anew, in the same place, since a memory knows where its tree is.
    """
    folder, ids = built
    live = folder / "live"
    shutil.rmtree(live)
    shutil.copytree(folder / "kept", live)
    engine = FakeEngine()
    monkeypatch.setenv("WAYPOST_HOME", str(live / "home"))
    monkeypatch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
    monkeypatch.setattr("waypost.retrieve.certainty.FITTED_FOR", frozenset())  # its cosines are others
    return Sample(Memory.open(live / "shop", caller=Caller("person", "ada"), clock=clock), live / "shop", dict(ids))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder that holds the sample, as `live` where it is used and as `kept` where nobody touches it."""
    folder, engine = tmp_path_factory.mktemp("sample"), FakeEngine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / "user"))
        patch.setenv("WAYPOST_HOME", str(folder / "live" / "home"))
        patch.setenv("WAYPOST_BACKGROUND", "0")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
        ids = _build(folder / "live" / "shop")
        open_spaces.drop_all()
    shutil.copytree(folder / "live", folder / "kept")
    return folder, ids


def _build(root: Path) -> dict[str, str]:
    clock = TestClock()
    clock.now = datetime(2025, 9, 1, 9, 0, tzinfo=UTC)
    (root / "src").mkdir(parents=True)
    (root / "src" / "checkout.py").write_text(CHECKOUT)
    (root / "src" / "session.py").write_text(SESSION)
    for arguments in (("init", "-q", "-b", "main", "--template="), ("add", "."), ("commit", "-qm", "Begin")):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
    agent = Memory.open(root, caller=Caller("agent", "coder"), clock=clock)
    person = Memory.open(root, caller=Caller("person", "ada"), clock=clock)
    agent.index()
    sample = Sample(person, root)
    _facts(sample, agent, person)
    _decisions(sample, person, clock)
    _journal(sample, agent, person, clock)
    clock.now = TestClock().now
    agent.journal.add_session(
        "s-review",
        (
            SessionTurn(USER, "Loading a report fails with `KeyError: 'rows'`.", datetime(2026, 1, 29, 10, tzinfo=UTC)),
            SessionTurn(
                ASSISTANT, "Fixed by giving an empty list in src/checkout.py.", datetime(2026, 1, 29, 11, tzinfo=UTC)
            ),
            SessionTurn(USER, "From now on all reports are written in UTC.", datetime(2026, 1, 29, 12, tzinfo=UTC)),
        ),
    )
    (root / "src" / "checkout.py").write_text(CHANGED)
    agent.code.stale(check=True)
    return sample.ids


def _facts(sample: Sample, agent: Memory, person: Memory) -> None:
    def keep(name: str, memory: Memory, text: str, **options: Any) -> None:
        sample.ids[name] = memory.remember(text, **options).id or ""

    keep("whole", person, "The shop is written in Python and tested with pytest.", level=0)
    keep("stale", agent, "The total adds up prices without tax.", refs=["src/checkout.py#L4-L9"], domain="payments")
    keep("fresh", agent, "A session is open while it has a user.", refs=["src/session.py#Session"], domain="accounts")
    keep("tagged", person, "Cards are charged once, never twice.", tags={"team": "billing"}, evidence=["ticket 42"])
    keep("child", agent, "Refunds go to the card that paid.", parent=sample["tagged"], level=2)
    keep("lesson", agent, "Run the migrations before the tests.", kind="learning", domain="testing")
    keep("passing", agent, "The staging server is down this week.", ttl=86_400, on_expire="archive")
    keep("hostile", agent, HOSTILE, tags={"<b>tag</b>": "<i>x</i>"}, domain="<u>domain</u>")


def _decisions(sample: Sample, person: Memory, clock: TestClock) -> None:
    clock.advance(days=20)
    decided = person.decide(
        "Payments go through one provider.",
        because=["Two providers doubled the work of every change."],
        leads_to=["Refunds take a day longer."],
        given=["The contract runs until 2027."],
        domain="payments",
    )
    sample.ids["decision"] = decided.decision.id or ""
    clock.advance(days=1)
    sample.ids["corrected"] = person.remember("Deploys run on Fridays.", domain="operations").id or ""
    clock.advance(days=1)
    person.correct(sample["corrected"], "Deploys run on Tuesdays.")


def _journal(sample: Sample, agent: Memory, person: Memory, clock: TestClock) -> None:
    for number in range(5):
        clock.advance(days=24)
        agent.journal.add(f"Which tests are slow, part {number}?", session=f"s{number}", speaker="user", time=clock.now)
        agent.journal.add(
            f"The import tests take {number + 3} seconds.", session=f"s{number}", speaker="assistant", time=clock.now
        )
        note = person.journal.add(f"Met the payment team, meeting {number}.", time=clock.now)
        sample.ids[f"note{number}"] = note.id or ""
