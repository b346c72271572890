"""Sharing over REST: a person's token offers, accepts and revokes; a server that goes on running forgets at once."""

from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.faces.rest.conftest import Client, Problem, Serve

from waypost import Memory, config
from waypost.faces.guard.tokens import TokenFile
from waypost.model.memory import Caller


def recalled(client: Client, space: str) -> list[dict[str, Any]]:
    asked = client.get(f"/api/v1/spaces/{space}/recall", params={"q": "How often are payments retried?"})
    assert asked.status_code == 200, asked.text
    return [hit for hit in asked.json()["hits"] if "project" in hit]


@pytest.mark.slow
def test_a_share_is_made_read_and_ended(serve: Serve, open_memory: OpenMemory) -> None:
    shop = open_memory("shop-api")
    shop.remember("Payments are retried three times")
    served = serve()
    web, owner = served.memory.identity.space_id, served.owner
    offer = {"project": web, "kinds": ["fact"]}
    made = owner.post(f"/api/v1/spaces/{shop.identity.space_id}/shares/offer", json=offer)
    assert made.status_code == 200, made.text
    assert (made.json()["role"], made.json()["state"]) == ("gives", "offered")
    assert recalled(served.agent, "here") == []
    accepted = owner.post("/api/v1/spaces/here/shares/accept", json={"project": shop.identity.space_id})
    assert accepted.json()["state"] == "active"
    (hit,) = recalled(served.agent, "here")
    assert hit["project"] == {"id": shop.identity.space_id, "name": "shop-api"}
    context = {"task": "How often are payments retried?"}
    assert "from shop-api" in served.reader.get("/api/v1/spaces/here/context", params=context).json()["text"]
    (listed,) = served.reader.get("/api/v1/spaces/here/shares").json()["shares"]
    assert (listed["role"], listed["state"], listed["offer"]["kinds"]) == ("takes", "active", ["fact"])
    ended = owner.post("/api/v1/spaces/here/shares/revoke", json={"project": shop.identity.space_id})
    assert [one["state"] for one in ended.json()["shares"]] == ["revoked"]
    assert recalled(served.agent, "here") == []
    assert "three times" not in served.reader.get("/api/v1/spaces/here/context", params=context).text


@pytest.mark.slow
def test_what_the_giver_forgets_is_gone_from_a_server_that_goes_on(
    serve: Serve, open_memory: OpenMemory, clock: TestClock
) -> None:
    served = serve()
    shop = Memory.open(open_memory("shop-api").code.root, caller=Caller("person", "anna"), clock=clock)
    kept = shop.remember("Payments are retried three times").id
    assert kept is not None
    shop.admin.shares.offer(served.memory.identity.space_id)
    served.owner.post("/api/v1/spaces/here/shares/accept", json={"project": shop.identity.space_id})
    assert recalled(served.agent, "here")
    shop.forget(kept)
    assert recalled(served.agent, "here") == []


@pytest.mark.slow
def test_a_project_is_named_by_its_id_only(serve: Serve, problem: Problem, open_memory: OpenMemory) -> None:
    served = serve()
    for project in ("../etc", "/etc", "shop-api", str(open_memory("shop-api").code.root)):
        problem(served.owner.post("/api/v1/spaces/here/shares/offer", json={"project": project}), 422)
    problem(served.owner.post("/api/v1/spaces/here/shares/offer", json={"project": "f" * 16}), 404)
    problem(
        served.owner.post("/api/v1/spaces/here/shares/accept", json={"project": served.memory.identity.space_id}), 422
    )


@pytest.mark.slow
def test_a_shared_memory_is_not_changed_over_the_wire(
    serve: Serve, problem: Problem, open_memory: OpenMemory, clock: TestClock
) -> None:
    served = serve()
    shop = Memory.open(open_memory("shop-api").code.root, caller=Caller("person", "anna"), clock=clock)
    kept = shop.remember("Payments are retried three times").id
    shop.admin.shares.offer(served.memory.identity.space_id)
    served.owner.post("/api/v1/spaces/here/shares/accept", json={"project": shop.identity.space_id})
    told = problem(served.owner.post(f"/api/v1/spaces/here/memories/{kept}/correct", json={"text": "Never"}), 409)
    assert "Change it there" in told["remedy"]
    assert "belongs to project shop-api" in told["detail"]


@pytest.mark.slow
def test_a_token_of_one_memory_reads_what_is_shared_with_it_and_decides_for_it_alone(
    serve: Serve, open_memory: OpenMemory, problem: Problem, clock: TestClock
) -> None:
    served = serve()
    shop = Memory.open(open_memory("shop-api").code.root, caller=Caller("person", "anna"), clock=clock)
    shop.remember("Payments are retried three times")
    token = TokenFile(config.load().home).make(
        "web-only", kind="person", space=served.memory.identity.space_id, clock=clock
    )
    scoped = Client(served.owner.wire, token)
    problem(
        scoped.post(
            f"/api/v1/spaces/{shop.identity.space_id}/shares/offer", json={"project": served.memory.identity.space_id}
        ),
        403,
    )
    shop.admin.shares.offer(served.memory.identity.space_id)
    assert scoped.post("/api/v1/spaces/here/shares/accept", json={"project": shop.identity.space_id}).status_code == 200
    assert recalled(scoped, "here")
    problem(scoped.get(f"/api/v1/spaces/{shop.identity.space_id}/memories"), 403)
