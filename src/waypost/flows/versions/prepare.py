"""Prepare a draft for storing, and store versions: passages, embeddings, periods."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from waypost.code.files.changed_patterns import check_triggers
from waypost.errors import InvalidInput, WaypostError
from waypost.facts.identity import fingerprint, tombstone
from waypost.facts.rejection.marks import blocking_marks
from waypost.facts.validity import Period, overlap, without
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.versions.masking import without_secrets
from waypost.model.draft import Draft
from waypost.model.kinds import KINDS, with_labels
from waypost.model.memory import HEADING, IMPORT, PARENT, SAID_BY, Caller, Version
from waypost.model.reference import CodeReference
from waypost.retrieve.passages import Passage, passages_of
from waypost.retrieve.traits import traits_of
from waypost.store.protocol import PassageRow, Reader, Writer
from waypost.text.language import is_surely_foreign, language_of

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_EMBEDDED_AT_ONCE = 64  # passages of one memory: more take seconds


@dataclass(frozen=True, slots=True)
class Prepared:
    draft: Draft
    version: Version
    passages: tuple[Passage, ...]
    masked: tuple[str, ...]
    tombstone: bytes

    @property
    def own_time(self) -> datetime | None:
        """When it was said or became true, or None if the draft does not say."""
        return self.draft.time or self.draft.valid_from


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors by engine and content hash. `engines` must embed these texts, now or later."""

    engines: tuple[str, ...]
    vectors: dict[str, "dict[bytes, Vector]"] = field(default_factory=dict)

    def of(self, engine: str, passages: Sequence[Passage]) -> "Vector | None":
        """The vector of a text with one passage, or None. Longer texts are not compared by meaning."""
        return self.vectors.get(engine, {}).get(passages[0].content_hash) if len(passages) == 1 else None


def prepare(space: OpenSpace, draft: Draft, caller: Caller, key: bytes, now: datetime | None = None) -> Prepared:
    """A draft as a version with its passages. Reads nothing from the store.

    A draft without a time is valid from `now`: one moment for everything written together, so that readers see all of
    it.
    """
    now = now or space.clock()
    draft, masked = without_secrets(draft)
    version = Version(
        memory_id=draft.memory_id or space.new_id(),
        kind=draft.kind,
        text=draft.text,
        recorded_at=now,
        valid_from=_beginning(draft, now),
        valid_until=draft.valid_until,
        source=caller.source,
        actor=caller.actor,
        level=_level(draft),
        domain=draft.domain,
        module=draft.module,
        key=draft.key,
        session=draft.session,
        speaker=draft.speaker,
        time=draft.time,
        evidence=draft.evidence,
        refs=tuple(replace(ref, created_at=ref.created_at or now) for ref in draft.refs),
        tags=dict(draft.tags),
        details=_details(draft),
    )
    return prepare_version(draft, version, masked, key)


def prepare_version(draft: Draft, version: Version, masked: tuple[str, ...], key: bytes) -> Prepared:
    """A version with what follows from its text, and with the draft's labels."""
    language = language_of(version.text)
    traits = traits_of(version.text, language).packed
    details = with_labels(version.details, draft.labels)
    version = replace(version, fingerprint=fingerprint(version), language=language, traits=traits, details=details)
    return Prepared(draft, version, tuple(passages_of(version)), masked, tombstone(key, version))


def marks_standing(reader: Reader, key: bytes, version: Version) -> set[bytes]:
    return reader.tombstones.matching(blocking_marks(key, version)) if reader.tombstones.any() else set()


def embed_items(space: OpenSpace, items: Sequence[Prepared]) -> Embedded:
    """Embed what has no vector yet. Very long texts are left to the worker.

    The main engine embeds now; a second engine only if it is loaded already.
    """
    passages = [passage for item in items for passage in item.passages]
    if any(is_surely_foreign(passage.text, passage.language) for passage in passages):
        space.engines.awaken_multilingual(space.store)
    with space.store.read() as reader:
        engines = space.engines.active(reader)
        hashes = [passage.content_hash for passage in passages]
        missing = {engine.name: set(reader.vectors.missing(engine.name, hashes)) for engine in engines}
    for wanted_hashes in missing.values():  # a fact's vector also serves to find its like
        wanted_hashes.update(item.passages[0].content_hash for item in items if not KINDS[item.version.kind].is_journal)
    result = Embedded(tuple(engine.name for engine in engines))
    for engine in engines:
        if engine is not engines[0] and not space.engines.is_warm(engine):
            continue
        wanted = missing[engine.name]
        short = [item.passages for item in items if len(item.passages) <= _EMBEDDED_AT_ONCE]
        texts = {p.content_hash: p.text for group in short for p in group if p.content_hash in wanted}
        vectors = space.engines.embed(engine, list(texts.values())) if texts else None
        if vectors is not None:
            result.vectors[engine.name] = dict(zip(texts, vectors, strict=True))
    return result


def passage_rows(passages: Iterable[Passage]) -> list[PassageRow]:
    return [
        PassageRow(passage.content_hash, passage.language, passage.terms, passage.code_terms) for passage in passages
    ]


def put(writer: Writer, version: Version, passages: Sequence[Passage], embedded: Embedded) -> int:
    """Store a version with its passages and vectors. Missing vectors are embedded later.

    Verdicts about its references are taken over from its predecessor, whose number it still has. It is never recorded
    before its predecessor, even if the clock has gone back.
    """
    before = writer.memories.by_number([version.number]).get(version.number) if version.number else None
    if before is not None and before.recorded_at > version.recorded_at:
        version = replace(version, recorded_at=before.superseded_at or before.recorded_at)
    number = writer.memories.add(version, passage_rows(passages), embedded.engines)
    if version.number and version.refs:
        writer.references.inherit_verdicts(version.number, number)
    for engine, vectors in embedded.vectors.items():
        writer.vectors.put(
            engine,
            [(p.content_hash, p.language, vectors[p.content_hash]) for p in passages if p.content_hash in vectors],
        )
    return number


def make_room(
    writer: Writer,
    versions: Sequence[Version],
    cut: Period,
    at: datetime,
    embedded: Embedded,
    *,
    taken_key: str | None = None,
) -> int:
    """End these versions for the period `cut`. They stay valid before and after it.

    `taken_key` belongs to another memory now. Returns how many versions this concerned.
    """
    concerned = [version for version in versions if overlap(version.period, cut)]
    for version in concerned:
        writer.memories.supersede(version.number, at)
        for start, end in without(version.period, cut):
            key = None if version.key == taken_key else version.key
            rest = replace(version, recorded_at=at, valid_from=start, valid_until=end, key=key)
            put(writer, rest, passages_of(rest), embedded)
    return len(concerned)


def pending(writer: Writer, passages: Sequence[Passage], embedded: Embedded) -> tuple[str, ...]:
    hashes = [passage.content_hash for passage in passages]
    return tuple(engine for engine in embedded.engines if writer.vectors.missing(engine, hashes))


def _details(draft: Draft) -> dict[str, object]:
    details: dict[str, object] = {}
    if draft.claims:
        details["claimed"] = dict(draft.claims)
    if draft.import_id:
        details[IMPORT] = draft.import_id
    if draft.parent:
        details[PARENT] = draft.parent
    if draft.said_by:
        details[SAID_BY] = dict(draft.said_by)
    if draft.more:
        details[HEADING] = dict(draft.more)
    return details


def _level(draft: Draft) -> int | None:
    usual = KINDS[draft.kind].level
    if draft.level is not None or usual is None:
        return draft.level
    return 2 if draft.module else usual


def locate_drafts(space: OpenSpace, drafts: Sequence[Draft]) -> list[Draft]:
    """Check the drafts, and make their references relative to the checkout.

    Raises an error for all of them if one points outside, or would end before it begins.
    """
    done = []
    for place, draft in enumerate(drafts, 1):
        try:
            if draft.valid_until is not None and draft.valid_until <= _beginning(draft, space.clock()):
                raise InvalidInput(
                    "valid_until is not after its beginning.", "Say since when it was true with valid_from."
                )
            check_triggers(draft.refresh)
            done.append(replace(draft, refs=tuple(_locate(space, ref) for ref in draft.refs)) if draft.refs else draft)
        except WaypostError as error:
            which = f"Memory {place}: " if len(drafts) > 1 else ""
            raise type(error)(f"{which}{error.what}", error.remedy) from error
    return done


def _beginning(draft: Draft, now: datetime) -> datetime:
    return draft.valid_from or draft.time or now


def _locate(space: OpenSpace, ref: CodeReference) -> CodeReference:
    if space.identity.kind != "project":
        return ref
    return replace(ref, file_path=place_in(space, ref.file_path))
