"""How long a memory lives: seconds, what refreshes it, and what happens at the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from waypost.errors import InvalidInput

ON_EXPIRE = ("stale", "archive", "delete")
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Lifetime:
    seconds: int
    on_expire: str = "stale"
    refresh: tuple[str, ...] = ()  # a change of a file that one of these globs matches starts its time anew


# API contracts are refreshed wherever the languages that we parse keep them.
CLASSES: Mapping[str, Lifetime] = MappingProxyType(
    {
        "architecture": Lifetime(30 * _DAY),
        "api_contract": Lifetime(7 * _DAY, refresh=("**/api/**/*.{py,js,ts,tsx,go,rs,java,kt,cs,php,rb}",)),
        "implementation": Lifetime(3 * _DAY, "archive"),
        "session": Lifetime(_DAY, "delete"),
    }
)


def class_of(name: str) -> Lifetime:
    if name not in CLASSES:
        raise InvalidInput(f"There is no ttl_class {str(name)[:40]!r}.", f"Classes: {', '.join(CLASSES)}.")
    return CLASSES[name]


def check_class(name: object) -> str:
    class_of(str(name))
    return str(name)


def check_on_expire(action: object) -> str:
    if action not in ON_EXPIRE:
        raise InvalidInput(f"on_expire is {str(action)[:40]!r}.", f"Use {', '.join(ON_EXPIRE)}.")
    return str(action)
