"""Why: the decision a question is about, what led to it and what came of it, at any moment."""

from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import InvalidInput
from waypost.model.causal import CausalNode

pytestmark = pytest.mark.slow  # not for the inner loop


def texts(nodes: tuple[CausalNode, ...]) -> list[str]:
    return [node.text for node in nodes]


@pytest.fixture
def fastapi(memory: Memory) -> Memory:
    memory.decide(
        "We use FastAPI for the public interface",
        because=["Threads cost too much memory"],
        leads_to=["Handlers must not block"],
        given=["Python is all that the team knows"],
    )
    memory.decide("Every request has a deadline", because=["Handlers must not block"])
    memory.remember("The port is 8080")
    return memory


def test_a_question_finds_its_decision_with_all_that_belongs_to_it(fastapi: Memory) -> None:
    chain = fastapi.why("Why did we choose FastAPI?")
    assert chain.root is not None
    assert chain.root.text == "We use FastAPI for the public interface"
    assert texts(chain.reasons) == ["Threads cost too much memory"]
    assert texts(chain.constraints) == ["Python is all that the team knows"]
    assert texts(chain.consequences) == [
        "Handlers must not block",
        "Handlers must not block",  # as the reason of the next decision
        "Every request has a deadline",
    ]
    assert [node.depth for node in chain.nodes] == [0, 1, 1, 1, 2, 3]


def test_a_link_that_was_made_later_was_not_known_before(fastapi: Memory, clock: TestClock) -> None:
    before = clock.now
    clock.advance(days=1)
    fact = fastapi.list(kind="fact")[0]["id"]
    fastapi.decide("We use FastAPI for the public interface", because=[fact])
    now = fastapi.why("Why did we choose FastAPI?")
    then = fastapi.why("Why did we choose FastAPI?", known_at=before)
    assert texts(now.reasons) == ["Threads cost too much memory", "The port is 8080"]
    assert texts(then.reasons) == ["Threads cost too much memory"]


@pytest.mark.parametrize("kind", ["decision", "reason", "consequence"])
def test_an_id_is_explained_by_its_decision(fastapi: Memory, kind: str) -> None:
    memory_id = next(row["id"] for row in fastapi.list(kind=kind))
    root = fastapi.why(memory_id).root
    assert root is not None
    assert root.text == "We use FastAPI for the public interface"
    assert fastapi.why("01m7q277kb8hqvz3w9fv86yc07").root is None


@pytest.mark.parametrize("question", ["why threads?", "why is Python all we have?", "why must handlers not block?"])
def test_a_question_about_a_part_finds_the_decision_next_to_it(fastapi: Memory, question: str) -> None:
    root = fastapi.why(question).root
    assert root is not None
    assert root.kind == "decision"


def test_depth_is_how_many_links_are_followed(fastapi: Memory) -> None:
    chain = fastapi.why("why FastAPI?", depth=1)
    assert max(node.depth for node in chain.nodes) == 1
    assert chain.left_out == 1
    assert fastapi.why("why FastAPI?", depth=20).left_out == 0
    for wrong in (0, 21):
        with pytest.raises(InvalidInput, match="depth"):
            fastapi.why("why FastAPI?", depth=wrong)


def test_nothing_found_is_an_answer_without_a_root(fastapi: Memory) -> None:
    chain = fastapi.why("Why is the sky blue?")
    assert (chain.root, chain.nodes, chain.mermaid) == (None, (), "")
    assert chain.to_json()["status"] == "not_found"


def test_an_empty_space_has_no_answer(memory: Memory) -> None:
    assert memory.why("Why?").root is None


def test_a_plain_fact_is_no_answer_but_one_that_says_why_is(memory: Memory) -> None:
    memory.remember("The cache lives an hour")
    assert memory.why("why does the cache live an hour?").root is None
    memory.remember("The cache of prices lives an hour because the catalogue changes hourly")
    chain = memory.why("why does the cache live an hour?")
    assert chain.stated_reason == "because the catalogue changes hourly"


def test_a_decision_without_links_tells_the_reason_in_its_words(memory: Memory) -> None:
    memory.remember("We chose Go, because it is simple to deploy.", kind="decision")
    chain = memory.why("why Go?")
    assert (chain.stated_reason, chain.reasons) == ("because it is simple to deploy", ())


def test_a_circle_of_decisions_ends(memory: Memory) -> None:
    one = memory.decide("We use queues", leads_to=["Workers are needed"])
    other = memory.decide("We run workers", because=["Workers are needed"], leads_to=["Queues are needed"])
    memory.decide(str(one.id), because=[str(other.consequences[0].id)])
    chain = memory.why("why queues?", depth=20)
    assert len(chain.nodes) == len({node.id for node in chain.nodes}) == 5


def test_what_was_retracted_does_not_show_and_is_not_passed_through(memory: Memory, clock: TestClock) -> None:
    one = memory.decide("We use FastAPI", because=["Threads are expensive"], leads_to=["Handlers must not block"])
    memory.decide("Requests have deadlines", because=["Handlers must not block"])
    clock.advance(days=1)
    memory.retract(str(one.consequences[0].id))
    chain = memory.why("why FastAPI?")
    assert texts(chain.nodes) == ["We use FastAPI", "Threads are expensive"]
    then = memory.why("why FastAPI?", known_at="2026-01-30T13:00:00Z")
    assert len(then.nodes) == 5


def test_what_was_not_known_yet_does_not_show(memory: Memory, clock: TestClock) -> None:
    memory.decide("We use FastAPI", because=["Threads are expensive"])
    clock.advance(days=1)
    memory.decide("We use FastAPI", because=["It documents itself"])
    assert len(memory.why("why FastAPI?").reasons) == 2
    assert texts(memory.why("why FastAPI?", known_at="2026-01-30T13:00:00Z").reasons) == ["Threads are expensive"]
    assert memory.why("why FastAPI?", known_at="2026-01-01").root is None


def test_a_replaced_decision_is_shown_beside_the_one_that_holds(memory: Memory, clock: TestClock) -> None:
    old = memory.decide("We use Flask for the public interface", because=["Everybody knows it"])
    clock.advance(days=10)
    new = memory.decide(
        "We use FastAPI for the public interface", because=["Threads cost too much"], replaces=str(old.id)
    )
    clock.advance(days=10)
    chain = memory.why("why is it FastAPI?")
    assert chain.root is not None
    assert chain.root.id == new.id
    assert texts(chain.replaces) == ["We use Flask for the public interface"]
    assert texts(chain.reasons) == ["Threads cost too much"]
    assert '-.->|"replaces"|' in chain.mermaid
    then = memory.why("why the public interface?", as_of="2026-02-01")
    assert then.root is not None
    assert then.root.id == old.id
    assert texts(then.reasons) == ["Everybody knows it"]
    assert texts(then.replaced_by) == ["We use FastAPI for the public interface"]
    assert memory.why("why the public interface?", known_at="2026-02-01").replaced_by == ()


def test_the_reason_of_a_replaced_decision_leads_to_the_one_that_holds(memory: Memory, clock: TestClock) -> None:
    old = memory.decide("We use Flask", because=["Everybody knows it from school"])
    clock.advance(days=10)
    new = memory.decide("We use FastAPI", replaces=str(old.id))
    root = memory.why("why does everybody know it from school?").root
    assert root is not None
    assert root.id == new.id


def test_a_replaced_decision_that_was_taken_back_does_not_show(memory: Memory, clock: TestClock) -> None:
    old = memory.decide("We use Flask")
    clock.advance(days=10)
    memory.decide("We use FastAPI", replaces=str(old.id))
    clock.advance(days=10)
    memory.retract(str(old.id))
    assert memory.why("why FastAPI?").replaces == ()


def test_what_has_gone_stale_is_marked(memory: Memory, clock: TestClock) -> None:
    memory.decide("We use FastAPI", ttl=3600)
    clock.advance(days=1)
    root = memory.why("why FastAPI?").root
    assert root is not None
    assert root.is_stale
    assert "(stale)" in memory.why("why FastAPI?").mermaid


def test_what_is_archived_at_its_end_does_not_show(memory: Memory, clock: TestClock) -> None:
    reason = memory.remember("Threads are expensive", kind="reason", ttl=3600, on_expire="archive")
    memory.decide("We use FastAPI", because=[str(reason.id)])
    assert len(memory.why("why FastAPI?").reasons) == 1
    clock.advance(days=1)
    assert memory.why("why FastAPI?").reasons == ()


def test_of_very_many_links_a_hundred_nodes_are_shown_and_the_others_counted(memory: Memory) -> None:
    for batch in range(3):
        memory.decide("We use FastAPI", because=[f"Reason number {batch * 50 + n}" for n in range(50)])
    chain = memory.why("why FastAPI?")
    assert (len(chain.nodes), chain.left_out) == (100, 51)


def test_an_answer_can_be_written_as_json(fastapi: Memory) -> None:
    row = fastapi.why("why FastAPI?").to_json()
    assert row["chain"]["root"]["type"] == "decision"
    assert row["chain"]["root"]["content"] == "We use FastAPI for the public interface"
    assert [one["content"] for one in row["chain"]["reasons"]] == ["Threads cost too much memory"]
    assert row["chain"]["edges"][0]["strength"] == 1.0
    assert row["mermaid"].startswith("graph TD\n")


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("why did we use FastAPI?", "We use FastAPI for the public API"),
        ("why can we not release before the weekend?", "Deploys are not allowed on Fridays"),
        ("warum darf man freitags nicht deployen?", "Deploys are not allowed on Fridays"),
        ("Warum nutzen wir PostgreSQL?", "Wir benutzen PostgreSQL statt MySQL"),
        ("почему мы используем FastAPI?", "We use FastAPI for the public API"),
        ("Почему у нас монорепозиторий?", "Мы выбрали монорепозиторий"),
        ("why do we use Kubernetes?", None),
        ("Warum ist der Himmel blau?", None),
        ("почему небо голубое?", None),
    ],
)
def test_questions_in_three_languages_are_answered_by_meaning(decided: Memory, question: str, decision: str) -> None:
    root = decided.why(question).root
    assert (root.text if root else None) == decision


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """With the real engines."""
    with pytest.MonkeyPatch.context() as patched:
        folder: Path = tmp_path_factory.mktemp("decided")
        patched.setenv("WAYPOST_HOME", str(folder / "home"))
        patched.setenv("WAYPOST_BACKGROUND", "0")
        memory = Memory.open(folder)
    memory.decide("We use FastAPI for the public API", because=["It is asynchronous"])
    memory.decide("Deploys are not allowed on Fridays", because=["Nobody is there on Saturday to repair it"])
    memory.decide("Wir benutzen PostgreSQL statt MySQL", because=["Wir brauchen JSONB"])
    memory.decide("Мы выбрали монорепозиторий", because=["Изменения API и клиентов должны попадать в один коммит"])
    memory.remember("Logs are written as JSON")
    memory.admin.embed_pending()
    return memory


def test_why_does_not_know_earlier_what_was_replaced_later(memory: Memory, clock: TestClock) -> None:
    old = memory.decide("Sessions are kept in Redis", because=["Redis is fast"])
    memory.decide("Sessions are kept in PostgreSQL", because=["One database is enough"])
    clock.advance(days=1)
    between = clock.now
    clock.advance(days=1)
    memory.decide("Sessions are kept in PostgreSQL", replaces=old.id)
    assert memory.why("why are sessions kept in PostgreSQL", known_at=between).replaces == ()
    assert [one.id for one in memory.why("why are sessions kept in PostgreSQL").replaces] == [old.id]
