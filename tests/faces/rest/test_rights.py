"""Who may do what, for every route that there is."""

from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.faces.rest.conftest import Client, Problem, Serve

from waypost import config
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.rest.app import ROUTES
from waypost.faces.rest.openapi import right_of

AN_ID = "01kg7v5w2m8x4q9z3b6d1f0hjk"
FILLED = {"space": "here", "memory_id": AN_ID, "candidate_id": AN_ID, "job_id": AN_ID, "name": "20260130T120000Z.json"}
CALLS = [(method, route.path.format(**FILLED), right_of(route)) for route in ROUTES for method in route.methods or ()]


def test_there_are_routes_of_every_right() -> None:
    rights = [right for _, _, right in CALLS]
    assert {name: rights.count(name) for name in ("read", "write", "person")} == {"read": 42, "write": 31, "person": 14}
    assert all(right != "read" for method, _, right in CALLS if method in ("PUT", "DELETE"))


@pytest.mark.slow
def test_a_token_does_what_it_may_and_no_more(served: Any, problem: Any) -> None:
    for method, path, right in CALLS:
        problem(served.nobody.request(method, path), 401)
        if right == "read":
            continue
        assert problem(served.reader.request(method, path), 403)["detail"] == "This token can only read.", path
        answer = served.agent.request(method, path)
        if right == "person":
            assert "dashboard" in problem(answer, 403)["remedy"], path
        else:
            assert answer.status_code != 403, path
    served.app.state.services.jobs.stop()


def test_without_a_gate_nobody_gets_in(served: Any, problem: Any) -> None:
    from starlette.testclient import TestClient

    with TestClient(served.app) as client:
        problem(client.get("/api/memories"), 401)
        problem(client.post("/api/memories", json={"text": "x"}), 401)


@pytest.mark.slow
def test_a_token_of_one_memory_opens_no_other(
    serve: Serve, open_memory: OpenMemory, problem: Problem, clock: TestClock
) -> None:
    bank = open_memory("bank")
    bank.remember("Loans are for a year")
    served = serve()
    token = TokenFile(config.load().home).make("banker", space=bank.identity.space_id, clock=clock)
    banker = Client(served.owner.wire, token)
    told = banker.get("/api/v1/spaces").json()
    assert [one["name"] for one in told["spaces"]] == ["bank"]
    assert told["here"] is None, "not even the id of another memory is told"
    found = banker.get(f"/api/v1/spaces/{bank.identity.space_id}/memories").json()
    assert "Loans" in str(found)
    problem(banker.post("/api/v1/spaces", json={"person": "ada"}), 403)
    for method, path, _ in CALLS:
        if path not in ("/api/v1/spaces", "/openapi.json"):
            assert "another memory" in problem(banker.request(method, path), 403)["detail"], path
