"""A memory that a caller wants to store, checked completely before anything is written."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.model.characters import is_invisible, without_escapes
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS, LABELS, kind_of
from waypost.model.lifetime import Lifetime, check_class, check_on_expire, lifetime_of
from waypost.model.reference import MAX_REFERENCES, CodeReference
from waypost.model.time import parse_time

MAX_TEXT = 1_000_000  # characters; longer text belongs in a file
MAX_SHORT = 500
MAX_ITEMS = MAX_REFERENCES
MAX_LEVEL = 3
MAX_TTL = 100 * 366 * 86_400
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
NOT_IN_A_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Draft:
    text: str
    kind: str = "fact"
    level: int | None = None
    domain: str = ""
    module: str = ""
    session: str | None = None
    speaker: str | None = None
    time: datetime | None = None
    key: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ttl: int | None = None
    ttl_class: str | None = None
    refresh: tuple[str, ...] = ()  # globs of files whose change restarts the lifetime
    on_expire: str | None = None
    parent: str | None = None  # the memory that contains it
    replaces: str | None = None
    refs: tuple[CodeReference, ...] = ()
    evidence: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)  # by the names of `LABELS`
    claims: Mapping[str, str] = field(default_factory=dict)  # source and actor as the payload claims: kept, not trusted
    memory_id: str | None = None  # an import keeps its ids,
    expires_at: datetime | None = None  # its expiry times,
    archived_at: datetime | None = None  # and since when a memory is archived
    protected: bool = False
    import_id: str | None = None  # the import that brought it, if that can be undone
    stale_reason: str | None = None  # an imported memory that was already stale
    more: Mapping[str, str] = field(default_factory=dict)  # other values in the heading of a journal entry, e.g. media
    said_by: Mapping[str, str] = field(default_factory=dict)  # source and actor of the proposal that a person approved
    chain: Mapping[str, Any] = field(default_factory=dict)  # recorded with a decision, as options of `decide`

    @property
    def lifetime(self) -> Lifetime | None:
        """From `ttl_class`, with `ttl`, `refresh` and `on_expire` taking precedence."""
        return lifetime_of(self.ttl, self.ttl_class, self.refresh, self.on_expire)

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Draft":
        """Check a payload (an option set, a JSON line) and turn it into a draft."""
        if not isinstance(payload, Mapping):
            raise InvalidInput("A memory must be an object with `text`.", 'For example {"text": "Uploads use S3"}.')
        if "code_refs" in payload and "refs" not in payload:  # the name in our answers
            payload = {
                **{name: value for name, value in payload.items() if name != "code_refs"},
                "refs": payload["code_refs"],
            }
        unknown = sorted(str(k) for k in set(payload) - _FIELDS - _CLAIMS)
        if unknown:
            raise InvalidInput(f"Unknown field {unknown[0][:40]!r}.", f"Fields: {', '.join(sorted(_FIELDS))}.")
        kind = kind_of(payload.get("kind") or "fact")
        if kind.derived:
            raise InvalidInput(f"Memories of kind {kind.name!r} come from the code, not by hand.", "Use fact or note.")
        draft = cls(
            text=check_text(payload.get("text")),
            kind=kind.name,
            level=_whole(payload, "level", 0, MAX_LEVEL),
            domain=_short(payload, "domain") or "",
            module=_short(payload, "module") or "",
            session=_short(payload, "session"),
            speaker=_short(payload, "speaker"),
            time=_time(payload, "time"),
            key=_short(payload, "key"),
            valid_from=_time(payload, "valid_from"),
            valid_until=_time(payload, "valid_until"),
            ttl=_whole(payload, "ttl", 1, MAX_TTL),
            ttl_class=check_class(payload["ttl_class"]) if payload.get("ttl_class") is not None else None,
            refresh=tuple(check_line(glob, "refresh") for glob in _items(payload, "refresh")),
            on_expire=check_on_expire(payload["on_expire"]) if payload.get("on_expire") is not None else None,
            parent=check_id(payload["parent"]) if payload.get("parent") is not None else None,
            replaces=check_id(payload["replaces"]) if payload.get("replaces") is not None else None,
            refs=tuple(_reference(r) for r in _items(payload, "refs")),
            evidence=tuple(check_line(e, "evidence") for e in _items(payload, "evidence")),
            tags=_tags(payload.get("tags")),
            labels={name: check_line(payload[name], name) for name in LABELS if payload.get(name) is not None},
            claims={k: check_line(str(payload[k])[:MAX_SHORT], k) for k in sorted(_CLAIMS) if payload.get(k)},
        )
        _check_together(draft)
        return draft


_CLAIMS = frozenset({"source", "actor"})
_NOT_GIVEN = frozenset(
    {"labels", "claims", "memory_id", "expires_at", "archived_at", "protected", "import_id", "stale_reason", "more"}
    | {"said_by", "chain"}
)
_FIELDS = frozenset(f.name for f in fields(Draft)) - _NOT_GIVEN | frozenset(LABELS)


def check_text(text: object, field: str = "text") -> str:
    """The text as it will be stored: with `\\n` line ends and without terminal escapes.

    Raises InvalidInput if it is empty, invisible or too long, or has other control characters.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{field} must be a text, not {type(text).__name__}.", f"Write out the {field}.")
    if _SURROGATE.search(text):
        raise InvalidInput(f"{field} is not valid Unicode (a lone surrogate).", "Send it as UTF-8.")
    clean = without_escapes(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not clean:
        raise InvalidInput(f"{field} is empty.", f"Write out the {field}.")
    if is_invisible(clean):
        raise InvalidInput(f"{field} has only invisible characters.", "Write it with characters that can be seen.")
    if len(clean) > MAX_TEXT:
        raise InvalidInput(
            f"{field} has {len(clean):,} characters; the limit is {MAX_TEXT:,}.",
            "Split it, or keep the file and remember where it is (--ref).",
        )
    control = _CONTROL.search(clean)
    if control:
        raise InvalidInput(
            f"{field} contains the control character U+{ord(control[0]):04X} at position {control.start()}.",
            "Remove it: it would act on terminals that show the memory.",
        )
    return clean


def _check_together(draft: Draft) -> None:
    if draft.kind == "conversation" and not draft.session:
        raise InvalidInput("A conversation turn needs its session.", "Add --session NAME.")
    if draft.valid_from and draft.valid_until and draft.valid_until <= draft.valid_from:
        raise InvalidInput(
            "valid_until is not after valid_from.", "A memory is true from an instant until a later one."
        )
    if (draft.refresh or draft.on_expire) and draft.lifetime is None:
        raise InvalidInput("refresh and on_expire need a lifetime.", "Give ttl in seconds, or ttl_class.")
    if draft.lifetime is not None and KINDS[draft.kind].is_journal:
        raise InvalidInput("Entries of the journal age by importance.", "Facts, learnings and fixes have lifetimes.")


def check_line(value: object, field: str) -> str:
    """The short, one-line text as it will be stored or compared. Raises InvalidInput for any other."""
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be a text, not {type(value).__name__}.", "")
    clean = check_text(value, field)
    if len(clean) > MAX_SHORT or "\n" in clean:
        raise InvalidInput(f"{field} must be one line of at most {MAX_SHORT} characters.", "")
    return clean


def _short(payload: Mapping[str, Any], field: str) -> str | None:
    value = payload.get(field)
    return None if value is None else check_line(value, field)


def _whole(payload: Mapping[str, Any], field: str, low: int, high: int) -> int | None:
    value = payload.get(field)
    return None if value is None else check_whole(value, field, low, high)


def check_whole(value: object, field: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(f"{field}: {str(value)[:40]!r} is not a whole number from {low} to {high}.", "")
    return value


def _time(payload: Mapping[str, Any], field: str) -> datetime | None:
    value = payload.get(field)
    if value is None or isinstance(value, datetime):
        return None if value is None else parse_time(value.isoformat(), field)
    return parse_time(value, field)


def _items(payload: Mapping[str, Any], field: str) -> Sequence[Any]:
    value = payload.get(field)
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        value = (value,)
    if len(value) > MAX_ITEMS:
        raise InvalidInput(f"{field} has {len(value)} entries; at most {MAX_ITEMS} fit.", "")
    return value


def _reference(value: Any) -> CodeReference:
    reference = CodeReference.from_json(value)
    names = (
        reference.symbol_id,
        reference.repo_id,
        reference.git_commit,
        reference.git_branch,
        reference.confidence_reason,
    )
    for name in (reference.file_path, *(name for name in names if name is not None)):
        if _SURROGATE.search(name) or NOT_IN_A_NAME.search(name):
            raise InvalidInput(f"refs: {name[:60]!r} is not a name on one line.", "Remove its control characters.")
    return reference


def _tags(value: object) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > MAX_ITEMS:
        raise InvalidInput("tags must be an object of at most 100 names and values.", 'For example {"team": "core"}.')
    return {
        check_line(k, "tag name"): check_line(v if isinstance(v, str) else str(v), f"tag {k}") for k, v in value.items()
    }
