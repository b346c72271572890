"""What one file says about the architecture, as values that can be stored and read again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# What a piece of evidence is about:
#   package     a manifest names its own package; value: the version
#   dependency  a manifest names a package that we know; value: the version wanted
#   import      a framework or library is imported; value: the module as written
#   route       an endpoint; name: its path; value: its handler
#   router      something that routes are added to; name: how the file calls it; value: its own prefix
#   mount       a router is put under a prefix of another; name: the router as written; value: the prefix
#   link        an import that a mount or a handler needs; name: the local name; value: the module
#   prefix      a prefix for all routes of the project or of a file
#   viewset     a class whose actions a router turns into endpoints; value: the actions
#   auth        an authentication mechanism; value: what was seen
#   env         an environment variable that is read; name: the variable
#   settings    a module or class that holds settings
#   design      a design pattern; name: the pattern; value: the symbol
#   part        a class that plays a part in an architecture ("controller", "viewmodel" …); value: the symbol
#   entry       where a program starts; value: how


@dataclass(frozen=True, slots=True)
class ArchitectureEvidence:
    kind: str  # one of those above
    name: str
    value: str = ""
    line: int = 1
    detail: tuple[tuple[str, str], ...] = ()  # what else is known, by name

    def get(self, key: str) -> str:
        """A detail; "" when it is not known."""
        for name, value in self.detail:
            if name == key:
                return value
        return ""

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": self.kind, "name": self.name, "line": self.line}
        if self.value:
            found["value"] = self.value
        if self.detail:
            found["detail"] = dict(self.detail)
        return found

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


def evidence(kind: str, name: str, value: str = "", line: int = 1, **detail: str) -> ArchitectureEvidence:
    """Evidence with its details given by name; empty ones are left out."""
    return ArchitectureEvidence(kind, name, value, line, tuple((key, text) for key, text in detail.items() if text))
