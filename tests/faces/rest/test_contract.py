"""The document and the server say the same: whatever the document allows or forbids, asked by schemathesis."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

# `events` never ends by itself within a run, so streams have tests of their own. What a schema cannot say (a day that is
# in no calendar, an id that nobody has) is refused by 422 although the schema allows it: that is no fault.
CONFIG = """
seed = 9
max-failures = 200

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "413", "414", "415", "422"]

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "401", "403", "404", "409", "412", "422", "503"]
"""


def run(served: Any, token: str, phases: str) -> tuple[list[str], dict[str, int]]:
    """What was found wrong, and how many requests were answered with which status."""
    config = SchemathesisConfig.from_str(f'base-url = "http://127.0.0.1:8765"\n{CONFIG}\n[headers]\nAuthorization = "{token}"\n{phases}')
    schema = schemathesis.openapi.from_dict(served.app.openapi(), config=config)
    schema.app = served.gate
    found: list[str] = []
    counts: dict[str, int] = {}
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            found.append(str(getattr(event, "info", event)))
        if isinstance(event, events.ScenarioFinished):
            for case_id, interaction in event.recorder.interactions.items():
                status = str(interaction.response.status_code) if interaction.response else "none"
                counts[status] = counts.get(status, 0) + 1
                for check in event.recorder.checks.get(case_id, ()):
                    if check.failure_info is not None:
                        found.append(f"{event.recorder.label}: {check.failure_info.failure}\n{check.failure_info.code_sample}")
    return found, counts


@pytest.mark.slow
def test_what_comes_back_is_what_the_document_says(served: Any, git: Any) -> None:
    root = Path(served.memory.root)
    (root / "storage.py").write_text("def upload():\n    return 1\n")
    for text in ("Uploads go to S3", "Deploys run on Fridays"):
        served.remember(text, refs=["storage.py#L1-L2"])
    token = served.owner.headers["authorization"]
    import time
    t = time.time()
    found, counts = run(served, token, """
[generation]
max-examples = 5
[phases.coverage]
enabled = false
[phases.fuzzing]
enabled = true
[phases.stateful]
enabled = false
""")
    print(counts, time.time() - t)
    Path("/tmp/found_r.txt").write_text("\n=====\n".join(found))
    assert found == [], "\n\n".join(found[:20])
