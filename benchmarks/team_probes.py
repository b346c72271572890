"""Requests that have to be refused: across the border of a memory, beyond a role, with a token that is none."""

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.serve_load import Client
    from benchmarks.team_load import Worker

FORBIDDEN = "Somebody got past the border."
_REFUSALS = frozenset({401, 403, 404})


@dataclass(frozen=True, slots=True)
class Probe:
    name: str
    method: str
    target: str
    body: dict[str, Any] | None = None
    token: str | None = None  # another than the client's own
    refused_by: frozenset[int] = _REFUSALS


def probe(worker: "Worker", client: "Client", chance: random.Random) -> None:
    """One of them. Whatever is not refused is noted as wrong."""
    chosen = chance.choice(probes(worker, chance))
    status, answer = client.ask(chosen.method, chosen.target, chosen.body, token=chosen.token)
    with worker.seen.guard:
        if status in chosen.refused_by:
            worker.seen.refused[chosen.name] += 1
        else:
            worker.seen.wrong.append(f"not refused: {chosen.name}: {status} {answer}"[:300])


def probes(worker: "Worker", chance: random.Random) -> list[Probe]:
    other = chance.choice(worker.others)
    there, here = f"/api/v1/spaces/{other.space_id}", worker.base
    words = {"text": FORBIDDEN}
    found = [
        Probe("recall in another memory", "GET", f"{there}/recall?q=anything"),
        Probe("context of another memory", "GET", f"{there}/context?task=anything"),
        Probe("list of another memory", "GET", f"{there}/memories"),
        Probe("audit of another memory", "GET", f"{there}/audit"),
        Probe("export of another memory", "GET", f"{there}/exports"),
        Probe("write to another memory", "POST", f"{there}/memories", words),
        Probe("another memory's fact by its id", "GET", f"{there}/memories/{other.first_id}"),
        Probe(
            "another memory's fact in one's own",
            "GET",
            f"{here}/memories/{other.first_id}",
            None,
            None,
            frozenset({404}),
        ),
        Probe("correct another memory's fact", "POST", f"{there}/memories/{other.first_id}/correct", words),
        Probe("an agent forgets", "DELETE", f"{here}/memories/{worker.own.first_id}"),
        Probe("a memory that is none", "GET", "/api/v1/spaces/0123456789abcdef/recall?q=anything"),
        Probe("no token", "GET", f"{here}/recall?q=anything", None, "", frozenset({401, 429})),
        Probe(
            "a token that is none", "GET", f"{here}/recall?q=anything", None, "wp_" + "a" * 43, frozenset({401, 429})
        ),
    ]
    if worker.is_reader:
        found += 4 * [Probe("a reader writes", "POST", f"{here}/memories", words, None, frozenset({403}))]
        found += 4 * [
            Probe("a reader corrects", "POST", f"{here}/memories/{worker.own.first_id}/correct", words, None, frozenset({403})),
            Probe("a reader retracts", "POST", f"{here}/memories/{worker.own.first_id}/retract", {}, None, frozenset({403})),
        ]  # fmt: skip
    return found
