"""What a check found."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check looked at."""

    check: str
    ok: bool
    message: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"check": self.check, "ok": self.ok, "message": self.message, "remedy": self.remedy}
