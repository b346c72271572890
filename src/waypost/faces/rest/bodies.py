"""Request bodies, as documented in OpenAPI. Unknown fields are refused."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from waypost.faces.rest.parameters import AN_ID, ID, LONGEST_LINE, LONGEST_PATH, LONGEST_QUESTION
from waypost.memory.facade import PRESETS
from waypost.model.draft import MAX_ITEMS, MAX_LEVEL, MAX_TEXT, MAX_TTL
from waypost.model.kinds import KINDS, SCOPES
from waypost.model.lifetime import CLASSES, ON_EXPIRE

MOST_IN_A_BATCH = 1000
MOST_IDS = 500

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Short = Annotated[str, Field(min_length=1, max_length=LONGEST_LINE)]
Time = Annotated[str, Field(min_length=4, max_length=64, description="ISO 8601; UTC without a zone.")]
Id = Annotated[str, Field(pattern=ID)]
PathText = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]
Reference = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)] | dict[str, Any],
    Field(description="`src/app.py`, `src/app.py#L3-L9`, or an object with `file_path` and `line_range`."),
]
WrittenKind = Annotated[
    str, Field(json_schema_extra={"enum": [*(kind.name for kind in KINDS.values() if not kind.derived), "agent"]})
]
Level = Annotated[int, Field(ge=0, le=MAX_LEVEL, description="0 project, 1 domain, 2 module, 3 code.")]
Preset = Annotated[str, Field(json_schema_extra={"enum": list(PRESETS)})]
Scope = Annotated[str, Field(json_schema_extra={"enum": list(SCOPES)})]


class RequestBody(BaseModel):
    """An object without unknown fields. Types are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self) -> dict[str, Any]:
        """The fields that were sent, without nulls."""
        return {name: value for name, value in self.model_dump(exclude_unset=True).items() if value is not None}


def example(**fields: Any) -> JsonDict:
    return {"examples": [fields]}


class NewMemory(
    RequestBody,
    json_schema_extra=example(
        text="Uploads go to S3 in parts of 8 MB", kind="fact", domain="storage", refs=["src/storage.py#L42-L87"]
    ),
):
    """A memory to store. The author is taken from the token; `source` and `actor` are stored as claims."""

    text: Text
    kind: WrittenKind | None = None
    level: Level | None = None
    domain: Short | None = None
    module: Short | None = None
    session: Short | None = Field(default=None, description="The conversation it belongs to.")
    speaker: Short | None = None
    time: Time | None = None
    key: Short | None = Field(default=None, description="Your own key; each key is stored once.")
    valid_from: Time | None = None
    valid_until: Time | None = None
    ttl: int | None = Field(default=None, ge=1, le=MAX_TTL, description="Expire after this many seconds.")
    ttl_class: Annotated[str, Field(json_schema_extra={"enum": list(CLASSES)})] | None = None
    refresh: list[Short] | None = Field(default=None, max_length=MAX_ITEMS)
    on_expire: Annotated[str, Field(json_schema_extra={"enum": list(ON_EXPIRE)})] | None = None
    parent: Id | None = None
    replaces: Id | None = Field(default=None, description="The memory this one replaces.")
    refs: list[Reference] | None = Field(default=None, max_length=MAX_ITEMS)
    code_refs: list[Reference] | None = Field(default=None, max_length=MAX_ITEMS, description="Same as `refs`.")
    evidence: list[Short] | None = Field(default=None, max_length=MAX_ITEMS)
    tags: dict[str, Short] | None = Field(default=None, max_length=MAX_ITEMS)
    category: Short | None = None
    scope: Short | None = None
    entity: Short | None = None
    artifact_type: Short | None = None
    artifact_ref: Short | None = None
    access_entity: Short | None = None
    source: Short | None = Field(default=None, description="Stored as a claim, never trusted.")
    actor: Short | None = Field(default=None, description="Stored as a claim, never trusted.")

    def given(self) -> dict[str, Any]:
        fields = RequestBody.given(self)
        refs = fields.pop("code_refs", None)
        return fields if refs is None else {"refs": refs, **fields}


class MemoriesBody(
    RequestBody,
    json_schema_extra=example(memories=[{"text": "Tests run on every push"}, {"text": "Deploys run on Fridays"}]),
):
    memories: list[NewMemory] = Field(min_length=1, max_length=MOST_IN_A_BATCH)


class Correction(RequestBody, json_schema_extra=example(text="Uploads go to S3 in parts of 16 MB")):
    text: Text
    valid_from: Time | None = None
    valid_until: Time | None = None


class Retraction(RequestBody, json_schema_extra=example(valid_until="2026-01-30")):
    valid_until: Time | None = Field(default=None, description="It was true until then (default: it never was).")


class Restoration(RequestBody, json_schema_extra=example(version=12)):
    version: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="The `number` of a version in its history (default: the last one)."
    )


class Protection(RequestBody, json_schema_extra=example(on=True)):
    on: bool = True


class PlaceBody(RequestBody, json_schema_extra=example(level=0, domain="storage")):
    level: Level | None = None
    parent: Annotated[str, Field(max_length=26)] | None = Field(
        default=None, description="An id, or an empty string for no parent."
    )
    domain: Annotated[str, Field(max_length=LONGEST_LINE)] | None = Field(default=None, description="Empty to remove.")
    module: Annotated[str, Field(max_length=LONGEST_LINE)] | None = Field(default=None, description="Empty to remove.")


class LifetimeBody(RequestBody, json_schema_extra=example(ttl_class="implementation")):
    seconds: int | None = Field(default=None, ge=1, le=MAX_TTL)
    ttl_class: Annotated[str, Field(json_schema_extra={"enum": list(CLASSES)})] | None = None
    refresh: list[Short] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Globs of files whose changes restart the TTL."
    )
    on_expire: Annotated[str, Field(json_schema_extra={"enum": list(ON_EXPIRE)})] | None = None


class Rejected(RequestBody, json_schema_extra=example(text="Uploads go to FTP", kind="fact")):
    text: Text
    kind: WrittenKind | None = None
    domain: Short | None = None


class RecallQuestion(RequestBody, json_schema_extra=example(question="Where do uploads go?", k=5, scope="all")):
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    k: int = Field(default=5, ge=1, le=100)
    scope: Scope = "all"
    as_of: Time | None = None
    known_at: Time | None = None
    now: Time | None = Field(default=None, description='The time of the question, for words like "yesterday".')
    fresh: bool = False
    min_confidence: float = Field(default=0.0, ge=0, le=1)
    exclude_tags: list[Short] = Field(default_factory=list, max_length=MAX_ITEMS)
    archived: bool = False
    explain: bool = Field(default=False, description="Show how each score was computed.")


class ContextTask(RequestBody, json_schema_extra=example(task="Make uploads resumable", tokens=2000)):
    task: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    preset: Preset | None = None
    include_stale: bool = False
    include_l0: bool = True
    as_of: Time | None = None
    known_at: Time | None = None
    now: Time | None = None


class FilesBody(RequestBody, json_schema_extra=example(files=["src/storage.py"])):
    files: list[PathText] | None = Field(default=None, max_length=MOST_IDS, description="Default: all.")


class SelectionBody(RequestBody, json_schema_extra=example(ids=[AN_ID])):
    """Memories by id, by the files they are about, or all stale ones. Use exactly one of the three."""

    ids: list[Id] | None = Field(default=None, min_length=1, max_length=MOST_IDS)
    files: list[PathText] | None = Field(default=None, min_length=1, max_length=MOST_IDS)
    every: bool = False


class Relinking(RequestBody, json_schema_extra=example(id=AN_ID, refs=["src/uploads.py#L10-L40"])):
    id: Id | None = None
    refs: list[PathText] | None = Field(default=None, min_length=1, max_length=MAX_ITEMS)
    add: bool = Field(default=False, description="Keep existing references.")
    every: bool = Field(default=False, description="All memories whose code moved.")
    drop: bool = Field(default=False, description="Remove references to deleted code.")


class Learning(RequestBody, json_schema_extra=example(diff="main..HEAD", dry_run=True)):
    """What to learn from: `staged`, `diff` or `file`; by default all uncommitted changes."""

    staged: bool = Field(default=False, description="Staged changes.")
    diff: Short | None = Field(default=None, description="Changes since this revision, or the commits of A..B.")
    file: PathText | None = Field(default=None, description="One file.")
    dry_run: bool = Field(default=False, description="Only return what would be learned.")


class Discovery(RequestBody, json_schema_extra=example(dry_run=True)):
    task: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)] | None = Field(
        default=None, description="Only facts for this task (default: all)."
    )
    dry_run: bool = Field(default=False, description="Only return what would be stored.")


class ImportBody(
    RequestBody,
    json_schema_extra=example(memories=[{"id": AN_ID, "text": "Uploads go to S3 in parts of 8 MB", "kind": "fact"}]),
):
    """Memories as exported or as written. Unknown fields of a row are ignored."""

    memories: list[dict[str, Any]] = Field(min_length=1, max_length=MOST_IN_A_BATCH)


class Ids(RequestBody, json_schema_extra=example(ids=[AN_ID])):
    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS)


class TextBody(RequestBody, json_schema_extra=example(text="The client retries three times")):
    text: Text


class Approval(RequestBody, json_schema_extra=example(text="The client retries three times")):
    text: Text | None = Field(default=None, description="A new text (default: as proposed).")


class Decision(
    RequestBody,
    json_schema_extra=example(
        text="We use FastAPI for the API",
        because=["It checks what comes in"],
        leads_to=["The API runs on uvicorn"],
        given=["Python only"],
    ),
):
    text: Text = Field(description="The decision, or the id of one to extend.")
    because: list[Text] = Field(default_factory=list, max_length=MAX_ITEMS)
    leads_to: list[Text] = Field(default_factory=list, max_length=MAX_ITEMS)
    given_: list[Text] = Field(default_factory=list, max_length=MAX_ITEMS, alias="given")
    strength: float | None = Field(default=None, ge=0, le=1)
    level: Level | None = None
    domain: Short | None = None
    module: Short | None = None
    session: Short | None = None
    evidence: list[Short] | None = Field(default=None, max_length=MAX_ITEMS)
    refs: list[Reference] | None = Field(default=None, max_length=MAX_ITEMS)
    replaces: Id | None = None
    valid_from: Time | None = None


class EntryBody(
    RequestBody, json_schema_extra=example(text="We agreed to ship on Friday", speaker="Ada", session="standup")
):
    text: Text
    kind: Literal["note", "conversation", "workflow_result", "preference"] | None = None
    session: Short | None = None
    speaker: Short | None = None
    time: Short | None = Field(
        default=None, description='When it was said: "2026-01-30 18:00", "yesterday" (default: now).'
    )


class RunBody(RequestBody, json_schema_extra=example(dry_run=True)):
    dry_run: bool = Field(default=False, description="Only return what would be done.")
    force: bool = Field(default=False, description="Also run what is not due yet.")


class What(RequestBody, json_schema_extra=example(what="2026-01-30")):
    what: Short = Field(description="A day, week, month or year, or the id of an entry.")


class EntryProtection(RequestBody, json_schema_extra=example(what=AN_ID, on=True)):
    what: Short = Field(description="The id of an entry, or words that identify it.")
    on: bool = True


class Pruning(RequestBody, json_schema_extra=example(after_days=90, unused_days=30, dry_run=True)):
    after_days: int | None = Field(default=None, ge=0, le=36_500)
    unused_days: int | None = Field(default=None, ge=0, le=36_500)
    dry_run: bool = False


class Curation(RequestBody, json_schema_extra=example(id=AN_ID, heading="Decisions")):
    id: Id
    heading: Short | None = None


class NewPerson(RequestBody, json_schema_extra=example(person="ada")):
    person: Short = Field(description="A name or number that stays the same, such as a user id.")


class Fixing(RequestBody, json_schema_extra=example(fix=True)):
    fix: bool = Field(default=False, description="Repair what can be rebuilt.")


class NewExport(RequestBody, json_schema_extra=example(format="jsonl")):
    format: Literal["jsonl", "json"] = "jsonl"
    embeddings: bool = False
    code: bool = Field(default=False, description="Include indexed code.")
    as_of: Time | None = None
    known_at: Time | None = None


class JobOrder(RequestBody, json_schema_extra=example(sort="index", force=False)):
    sort: Literal["index", "maintain", "condense", "rebuild", "reindex", "summarize"]
    force: bool = Field(default=False, description="Include what is unchanged or not due.")
