"""How long a memory lives: its seconds, what restarts them, and what happens on expiry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from waypost.errors import InvalidInput

ON_EXPIRE = ("stale", "archive", "delete")  # mildest first
_DAY = 86_400
_UNITS: Mapping[str, int] = MappingProxyType({"s": 1, "m": 60, "h": 3_600, "d": _DAY, "w": 7 * _DAY})


@dataclass(frozen=True, slots=True)
class Lifetime:
    seconds: int
    on_expire: str = "stale"
    refresh: tuple[str, ...] = ()  # globs of files whose change restarts the lifetime


# The glob of API contracts covers the languages that Waypost parses.
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


def lifetime_of(
    seconds: int | None, ttl_class: str | None, refresh: Sequence[str] = (), on_expire: str | None = None
) -> Lifetime | None:
    """The class's lifetime with the other arguments taking precedence; None without seconds and class."""
    usual = class_of(ttl_class) if ttl_class is not None else None
    length = seconds if seconds is not None else usual.seconds if usual else None
    if length is None:
        return None
    action = on_expire or (usual.on_expire if usual else "stale")
    return Lifetime(length, check_on_expire(action), tuple(refresh) or (usual.refresh if usual else ()))


def format_seconds(seconds: int) -> str:
    """The duration in the largest unit that divides it: `3d`, `90m`."""
    unit = next(name for name in ("d", "h", "m", "s") if seconds % _UNITS[name] == 0)
    return f"{seconds // _UNITS[unit]}{unit}"
