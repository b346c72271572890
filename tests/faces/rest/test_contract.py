"""The document and the server say the same: whatever the document allows or forbids, asked by schemathesis."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

# Two checks hear more statuses than usual. What a schema cannot say (a day that is in no calendar, a rejected value) is
# refused although the schema allows it; and what is too long is refused by its length. No operation is left out.
CONFIG = """
base-url = "http://127.0.0.1:8765"
seed = 9
# What an earlier run has found is not asked first: the same seed finds it again.
generation = {{ database = "none", max-examples = 4 }}

[headers]
Authorization = "{token}"

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "401", "403", "404", "409", "412", "413", "414", "422"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "413", "414", "415", "422"]
"""
PHASES = {
    # Values at and beyond every bound of every field, and methods that there are not.
    "at the bounds": """
        [phases]
        examples.enabled = false
        fuzzing.enabled = false
        stateful.enabled = false
        coverage.unexpected-methods = ["patch", "delete"]
        # The same handlers and bodies as in /api/v1, which is asked all of it.
        [[operations]]
        include-path = "/api/memories"
        phases.coverage.enabled = false
    """,
    # The examples of the document, values by chance, and calls that follow from each other's answers.
    "by chance": """
        [phases]
        coverage.enabled = false
        [phases.stateful]
        enabled = true
        max-steps = 4
        generation.max-examples = 4
    """,
}


async def at_once(_: float) -> None:
    """Streams look as often as they ever do, and end."""


@pytest.mark.slow
@pytest.mark.parametrize("phases", PHASES.values(), ids=PHASES)
def test_what_comes_back_is_what_the_document_says(serve: Any, phases: str) -> None:
    served = serve(pause=at_once)
    (Path(served.memory.code.root) / "storage.py").write_text("def upload():\n    return 1\n")
    for text in ("Uploads go to S3", "Deploys run on Fridays"):
        served.remember(text, refs=["storage.py#L1-L2"])
    config = SchemathesisConfig.from_str(CONFIG.format(token=served.owner.headers["authorization"]) + phases)
    schema = schemathesis.openapi.from_dict(served.app.openapi(), config=config)
    schema.app = served.gate
    wrong: list[str] = []
    answered = 0
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            wrong.append(str(event))
        if isinstance(event, events.ScenarioFinished):
            answered += len(event.recorder.interactions)
            wrong += failures(event.recorder)
    served.app.state.services.jobs.stop()
    assert wrong == []
    assert answered > 500


def failures(recorder: Any) -> list[str]:
    """What a scenario found wrong, with the request and the answer."""
    return [
        f"{recorder.label}: {check.failure_info.failure}\n{check.failure_info.code_sample}\n"
        f"{getattr(recorder.interactions[case].response, 'content', b'')[:500]!r}"
        for case, checks in recorder.checks.items()
        for check in checks
        if check.failure_info is not None
    ]
