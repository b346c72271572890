"""What one file says about the architecture, as values that can be stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Kinds of evidence:
# - package: a manifest names its own package; value: the version
# - dependency: a manifest names a known package; value: the requested version
# - import: a framework or library is imported; value: the module as written
# - route: an endpoint; name: its path; value: its handler
# - router: something that routes are added to; name: how the file calls it; value: its own prefix
# - mount: a router is put under a prefix of another; name: the router as written; value: the prefix
# - link: an import that a mount or a handler needs; name: the local name; value: the module
# - prefix: a prefix for all routes of the project or a file
# - viewset: a class whose actions a router turns into endpoints; value: the actions
# - auth: an authentication mechanism; value: what was seen
# - env: an environment variable that is read; name: the variable
# - settings: a module or class with settings
# - design: a design pattern; name: the pattern; value: the symbol
# - part: a class with a role in an architecture ("controller", "viewmodel" …); value: the symbol
# - entry: where a program starts; value: how


@dataclass(frozen=True, slots=True)
class ArchitectureEvidence:
    kind: str  # see above
    name: str
    value: str = ""
    line: int = 1
    detail: tuple[tuple[str, str], ...] = ()  # further details by name

    def get(self, key: str) -> str:
        """A detail, or ""."""
        for name, value in self.detail:
            if name == key:
                return value
        return ""

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind, "name": self.name, "line": self.line}
        if self.value:
            data["value"] = self.value
        if self.detail:
            data["detail"] = dict(self.detail)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ArchitectureEvidence":
        detail = data.get("detail") or {}
        return cls(
            kind=str(data["kind"]),
            name=str(data["name"]),
            value=str(data.get("value", "")),
            line=int(data.get("line", 1)),
            detail=tuple((str(key), str(value)) for key, value in detail.items()),
        )


EvidenceByPath = Mapping[str, Sequence[ArchitectureEvidence]]


def evidence(kind: str, name: str, value: str = "", line: int = 1, **detail: str) -> ArchitectureEvidence:
    """Evidence with details given by name. Empty ones are left out."""
    return ArchitectureEvidence(kind, name, value, line, tuple((key, text) for key, text in detail.items() if text))
