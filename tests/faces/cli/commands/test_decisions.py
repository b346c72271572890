"""`decide` and `why` as people and programs use them."""

import re

import pytest
from tests.faces.cli.conftest import Waypost

import waypost.faces.cli.commands.decisions  # noqa: F401  the commands are there in any case

ID = re.compile(r"\b01[0-9a-z]{6,24}\b")


@pytest.fixture
def decided(waypost: Waypost) -> Waypost:
    done = waypost(
        "decide", "We use FastAPI", "--because", "Threads cost memory", "--because", "It documents itself",
        "--leads-to", "Handlers must not block", "--given", "Python only", "--evidence", "ADR-7",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert waypost("decide", "Requests have deadlines", "--because", "Handlers must not block").code == 0
    return waypost


def without_ids(text: str) -> list[str]:
    return [re.sub(r"\d{4}-\d\d-\d\d", "DAY", ID.sub("ID", line)) for line in text.splitlines()]


def test_a_decision_and_its_parts_are_told_with_their_ids(waypost: Waypost) -> None:
    done = waypost("decide", "We use FastAPI", "--because", "Threads cost memory", "--given", "Python only")
    assert without_ids(done.out) == [
        "Remembered ID",
        "  because   ID  remembered",
        "  given     ID  remembered",
    ]


def test_a_decision_is_shown_with_its_reasons_and_a_reason_with_its_decision(decided: Waypost) -> None:
    ids = {row["text"]: row["id"] for row in decided("list", "--json").json["memories"]}
    of_decision = without_ids(decided("show", ids["We use FastAPI"]).out)
    assert of_decision[-4:] == [
        "because: Threads cost memory  (ID)",
        "because: It documents itself  (ID)",
        "given: Python only  (ID)",
        "leads to: Handlers must not block  (ID)",
    ]
    assert without_ids(decided("show", ids["Threads cost memory"]).out)[-1] == "justifies: We use FastAPI  (ID)"


def test_what_says_the_same_in_another_chain_is_told(decided: Waypost) -> None:
    done = decided("decide", "We use timeouts everywhere", "--because", "Handlers must not block")
    assert done.code == 0
    assert without_ids(done.out)[1:] == [
        "  because   ID  already stored: exactly this is stored",
        "  also stated: ID causes ID (1.00)",
    ]


def test_why_tells_the_chain_as_a_tree(decided: Waypost) -> None:
    done = decided("why", "Why did we choose FastAPI?")
    assert done.code == 0
    agent = "agent command line · DAY"
    assert without_ids(done.out) == [
        "We use FastAPI",
        f"  decision · {agent} · ADR-7 · ID",
        "  because: Threads cost memory",
        f"    reason · {agent} · ID",
        "  because: It documents itself",
        f"    reason · {agent} · ID",
        "  given: Python only",
        f"    constraint · {agent} · ID",
        "  leads to: Handlers must not block",
        f"    consequence · {agent} · ID",
        "    causes: Handlers must not block",
        f"      reason · {agent} · ID",
        "      justifies: Requests have deadlines",
        f"        decision · {agent} · ID",
    ]


def test_what_lies_beyond_the_depth_is_counted(decided: Waypost) -> None:
    done = decided("why", "why FastAPI?", "--depth", "1")
    assert done.out.splitlines()[-1] == "  … 1 more linked memories; raise --depth (at most 100 are shown)"
    assert decided("why", "why FastAPI?", "--depth", "21").code == 2


def test_a_replaced_decision_is_named(decided: Waypost) -> None:
    old = decided("why", "why FastAPI?", "--json").json["chain"]["root"]["id"]
    assert decided("decide", "We use Litestar", "--replaces", old).code == 0
    lines = without_ids(decided("why", "why Litestar?").out)
    assert lines[2:] == ["  replaces: We use FastAPI", "    decision · agent command line · DAY until DAY · ADR-7 · ID"]


def test_the_reason_in_the_words_of_a_decision_is_told(waypost: Waypost) -> None:
    waypost("decide", "We use Go because it is simple to deploy")
    assert "  stated in the text: because it is simple to deploy" in waypost("why", "why Go?").out.splitlines()


def test_a_diagram_alone_goes_into_a_file(decided: Waypost) -> None:
    done = decided("why", "why FastAPI?", "--mermaid")
    assert done.code == 0
    assert done.out.startswith('graph TD\n    n1{{"We use FastAPI"}}\n')
    assert done.out == decided("why", "why FastAPI?", "--json").json["mermaid"]


def test_programs_get_the_whole_chain(decided: Waypost) -> None:
    chain = decided("why", "why FastAPI?", "--json").json["chain"]
    assert chain["root"]["content"] == "We use FastAPI"
    assert [one["content"] for one in chain["reasons"]] == ["Threads cost memory", "It documents itself"]
    assert [one["content"] for one in chain["constraints"]] == ["Python only"]
    assert {edge["type"] for edge in chain["edges"]} == {"justifies", "blocks", "leads_to", "causes"}


@pytest.mark.parametrize("more", [(), ("--json",), ("--mermaid",)])
def test_nothing_found_is_said_plainly(decided: Waypost, more: tuple[str, ...]) -> None:
    done = decided("why", "why is the sky blue?", *more)
    assert done.code == 3
    if more == ("--json",):
        assert (done.json["status"], done.json["chain"]["root"]) == ("not_found", None)
    else:
        assert done.out == "No decision answers this. `waypost ask` searches everything.\n"


@pytest.mark.slow
def test_a_refused_decision_fails(waypost: Waypost) -> None:
    rejected = waypost("decide", "We use FastAPI", "--json").json["id"]
    assert waypost("reject", rejected, "--yes").code == 0
    done = waypost("decide", "We use FastAPI", "--because", "Threads cost memory")
    assert (done.code, done.out.splitlines()[0]) == (1, "Refused")
    assert waypost("list", "--json").json["memories"] == []


def test_a_wrong_id_is_named(waypost: Waypost) -> None:
    done = waypost("decide", "We use FastAPI", "--because", "01k9zx6y9d4t3n0v1m2b3c4d5e")
    assert done.code == 3
    assert "01k9zx6y9d4t3n0v1m2b3c4d5e" in done.err


def test_texts_cannot_act_on_the_terminal(waypost: Waypost) -> None:
    waypost("decide", "We use [bold]FastAPI[/bold] \u202eevil\u202c", "--because", "Threads \x9b31m cost")
    for more in ((), ("--mermaid",), ("--json",)):
        shown = waypost("why", "why FastAPI?", *more).out
        assert not re.search("[\x80-\x9f\u202a-\u202e]", shown)
    assert "[bold]FastAPI[/bold]" in waypost("why", "why FastAPI?").out


def test_an_earlier_moment_can_be_asked_about(decided: Waypost) -> None:
    assert decided("why", "why FastAPI?", "--known-at", "2020-01-01").code == 3
    assert decided("why", "why FastAPI?", "--as-of", "2020-01-01").code == 3
    assert decided("why", "why FastAPI?", "--as-of", "nonsense").code == 2
