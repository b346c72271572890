"""What other tools say about a memory beside its words, kept and given back under their names.

They are texts on one line. Nothing here is decided by them: the project, domain and kind of a memory are its own.
"""

from collections.abc import Mapping
from typing import Any

LABELS = ("category", "scope", "entity", "artifact_type", "artifact_ref", "access_entity")
_KEPT_AS = "labels"  # in a version's details, with the names that have a value


def labels_of(details: Mapping[str, Any]) -> dict[str, Any]:
    """Every label by its name; None for those that were not given."""
    known = details.get(_KEPT_AS, {})
    return {name: known.get(name) for name in LABELS}


def labelled(details: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """The details with these labels added; one that is there already stays."""
    if not labels:
        return dict(details)
    return {**details, _KEPT_AS: {**labels, **details.get(_KEPT_AS, {})}}
