"""A request as pages see it: validated values, the memory with the caller's rights, and possible results."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from waypost.errors import InvalidInput, SecurityError
from waypost.faces.dashboard.slow_work import SlowWork
from waypost.faces.guard.identity import TokenIdentity
from waypost.memory import Memory
from waypost.memory.catalog import Spaces
from waypost.model.checkout import Checkout
from waypost.model.time import parse_time

_LONGEST_TEXT = 20_000
_SHARE = re.compile(r"0(\.\d{1,6})?|\.\d{1,6}|1(\.0{1,6})?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOST_CHOSEN = 1000  # ticked boxes per form


@dataclass(frozen=True, slots=True)
class ShowPage:
    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Redirect:
    to: str


Show = Callable[["PageRequest"], ShowPage | Redirect]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """An address below a space and its handler. `section` is its navigation entry."""

    path: str
    show: Show
    section: str
    methods: tuple[str, ...] = ("GET",)


def post_routes(path: str, section: str, *actions: Show) -> tuple[PageRoute, ...]:
    """Routes of changes below a path, each with the name of its function. Only persons with write access reach them."""
    return tuple(PageRoute(f"{path}/{action.__name__}", action, section, ("POST",)) for action in actions)


@dataclass(frozen=True, slots=True)
class PageRequest:
    spaces: Spaces
    space_id: str
    identity: TokenIdentity
    section: str
    path: Mapping[str, str]  # path parameters
    query: Mapping[str, str]
    form: Mapping[str, tuple[str, ...]]
    slow_work: SlowWork = field(default_factory=SlowWork)

    @property
    def memory(self) -> Memory:
        return self.spaces.memory(self.identity.caller, self.space_id, self.query.get("checkout") or None)

    @property
    def has_tree(self) -> bool:
        """Whether it is a project's memory: a personal one has no code."""
        return any(entry.space_id == self.space_id and entry.kind == "project" for entry in self.spaces.menu())

    @property
    def away(self) -> Checkout | None:
        """The checkout whose state is shown if the repository is not on this machine, else None."""
        return self.memory.admin.shown_checkout() if self.has_tree else None

    @property
    def may_change(self) -> bool:
        return self.identity.writes_in(self.space_id)

    @property
    def is_person(self) -> bool:
        return self.identity.kind == "person"

    def need_person(self) -> None:
        """Raises SecurityError unless a person with write access asks."""
        self.need_rights()
        if not self.is_person:
            raise SecurityError("Only a person can do this.", "Sign in with the owner's token or a code.")

    @property
    def is_owner(self) -> bool:
        """Whether the caller is a person who can delete memories permanently here."""
        return self.identity.owns(self.space_id)

    def need_owner(self) -> None:
        self.need_person()
        if not self.is_owner:
            raise SecurityError("Only an owner of this memory can do this.", "Ask an owner.")

    def need_rights(self) -> None:
        if self.identity.rights == "read":
            raise SecurityError("This token can only read.", "Sign in with one that can write.")
        self.identity.check_writes(self.space_id)

    # -- values --------------------------------------------------------------------------------------------------

    def text(self, name: str, default: str = "", limit: int = 2000) -> str:
        """A query parameter."""
        return _bounded(name, self.query.get(name, default), limit).strip()

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        value = self.query.get(name, "")
        if not value:
            return default
        if not value.isascii() or not value.isdigit() or len(value) > 9 or not low <= int(value) <= high:
            raise InvalidInput(f"{name} is not a number from {low} to {high}.", "Correct the address.")
        return int(value)

    def one_of(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.query.get(name, "") or default
        if value not in choices:
            raise InvalidInput(f"{name} must be one of {', '.join(choices)}.", "Choose one of them.")
        return value

    def share(self, name: str, default: float = 0.0) -> float:
        """A number from 0 to 1."""
        value = self.query.get(name, "")
        if not value:
            return default
        if not _SHARE.fullmatch(value):
            raise InvalidInput(f"{name} is not a number from 0 to 1.", "Write it as 0.5.")
        return float(value)

    def until(self, name: str) -> datetime | None:
        """The end of a day, or now if it is today; or a point in time."""
        value = self.text(name, limit=40)
        if not value:
            return None
        moment = parse_time(value, name)
        if not _DAY.fullmatch(value):
            return moment
        end, now = moment.replace(hour=23, minute=59, second=59), self.spaces.now()
        return now if moment <= now < end else end

    def is_set(self, name: str) -> bool:
        return self.query.get(name, "") not in ("", "0", "false")

    def sent(self, name: str, limit: int = _LONGEST_TEXT) -> str:
        """A form field."""
        values = self.form.get(name, ())
        return _bounded(name, values[-1] if values else "", limit).strip()

    def all_sent(self, name: str) -> tuple[str, ...]:
        """All ticked boxes with this name."""
        values = self.form.get(name, ())
        if len(values) > _MOST_CHOSEN:
            raise InvalidInput(f"At most {_MOST_CHOSEN} can be selected.", "Select fewer.")
        return tuple(_bounded(name, value, 200) for value in values)

    # -- addresses -----------------------------------------------------------------------------------------------

    def link(self, *parts: str, **query: object) -> str:
        """An address in this space. Parts are quoted; empty query values are left out."""
        return address(self.space_id, *parts, **{"checkout": self.query.get("checkout"), **query})

    def go(self, *parts: str, **query: object) -> Redirect:
        return Redirect(self.link(*parts, **query))


def address(space_id: str, *parts: str, **query: object) -> str:
    path = "/".join(["", "s", space_id, *(quote(part, safe="") for part in parts)])
    parameters = {name: value for name, value in query.items() if value not in (None, "", False)}
    return f"{path}?{urlencode({k: '1' if v is True else v for k, v in parameters.items()})}" if parameters else path


def _bounded(name: str, value: str, limit: int) -> str:
    if len(value) > limit:
        raise InvalidInput(f"{name} has more than {limit} characters.", "Shorten it.")
    return value
