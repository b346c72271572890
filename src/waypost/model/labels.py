"""Labels that other tools attach to a memory: one-line texts, stored and returned under the tools' names.

Waypost decides nothing by them. A memory has its own project, domain and kind.
"""

from collections.abc import Mapping
from typing import Any

LABELS = ("category", "scope", "entity", "artifact_type", "artifact_ref", "access_entity")
_KEPT_AS = "labels"  # in a version's details, with the names that have a value


def labels_of(details: Mapping[str, Any]) -> dict[str, Any]:
    """Every label by its name; None for those that were not given."""
    labels = details.get(_KEPT_AS, {})
    return {name: labels.get(name) for name in LABELS}


def with_labels(details: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """The details with these labels added. Labels that already have a value keep it."""
    if not labels:
        return dict(details)
    return {**details, _KEPT_AS: {**labels, **details.get(_KEPT_AS, {})}}
