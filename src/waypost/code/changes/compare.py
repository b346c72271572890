"""What became of the definitions of one file, told from its two sides."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from waypost.code.changes.layout import line_difference, says_the_same
from waypost.code.changes.manifests import dependency_changes
from waypost.code.changes.match import Matching, match
from waypost.code.changes.raw import RawFile
from waypost.code.changes.roles import role_of_path
from waypost.code.changes.settings import setting_changes
from waypost.code.changes.sides import Side, side_of
from waypost.code.changes.signatures import noticed
from waypost.code.files.languages import is_document, language_of_path
from waypost.code.source import Symbol
from waypost.code.summary.purpose import LONGEST, purpose
from waypost.code.summary.sentences import first_sentence, first_sentences
from waypost.code.summary.view import SummaryView
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED, FileChange, SymbolChange
from waypost.model.shape import word_code

MOST_SYMBOLS = 500  # of one file that are told
_READ_AS_DATA = frozenset({"manifest", "configuration", "pipeline"})
_KEPT_DECORATORS = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "contextmanager", "overload"}
)


@dataclass(slots=True)
class Examined:
    """A file with its two sides and the pairs found in it; what moved to or from another file is added later."""

    raw: RawFile
    role: str
    old: Side | None
    new: Side | None
    matching: Matching = field(default_factory=Matching)
    came_from: dict[int, tuple[Side, int]] = field(default_factory=dict)  # new place → where it was in another file
    left: set[int] = field(default_factory=set)  # old places that are in another file now


def examine(raw: RawFile, *, deep: bool = True) -> Examined:
    """Parse both sides and pair what is defined in them. Without `deep` the file is told as changed, and no more."""
    role = role_of_path(raw.path)
    if not deep or role == "generated":
        return Examined(raw, role, None, None)
    old = side_of(raw.path_before or raw.path, raw.before)
    new = side_of(raw.path, raw.after)
    if (old and old.by_machine) or (new and new.by_machine):
        return Examined(raw, "generated", None, None)
    examined = Examined(raw, role, old, new)
    if not (old and new and old.text == new.text):
        examined.matching, examined.old, examined.new = match(old, new)
    return examined


def told(examined: Examined) -> FileChange:
    """The values that learning reads."""
    raw, old, new = examined.raw, examined.old, examined.new
    added, removed = _line_counts(raw)
    side = new or old
    is_same = old is not None and new is not None and old.text == new.text
    layout_only = not is_same and old is not None and new is not None and says_the_same(old, new)
    reads_data = examined.role in _READ_AS_DATA and not is_same
    before, after = old.text if old else "", new.text if new else ""
    return FileChange(
        path=raw.path,
        change=raw.change,
        path_before=raw.path_before,
        language=side.language if side else language_of_path(raw.path),
        role=examined.role,
        lines_added=added,
        lines_removed=removed,
        layout_only=layout_only,
        purpose=_purpose(side) if side and examined.role != "generated" else "",
        symbols=() if layout_only or is_same else tuple(_symbols(examined))[:MOST_SYMBOLS],
        dependencies=tuple(dependency_changes(raw.path, before, after)) if examined.role == "manifest" else (),
        settings=tuple(setting_changes(raw.path, before, after)) if reads_data and not layout_only else (),
    )


def _line_counts(raw: RawFile) -> tuple[int, int]:
    if raw.before is None and raw.after is None:
        return 0, 0
    return line_difference((raw.before or b"").splitlines(), (raw.after or b"").splitlines())


def _purpose(side: Side) -> str:
    """What the file says of itself, in its own words; nothing where it says nothing."""
    if side.language and not is_document(side.language) and not side.parsed.symbols and not side.parsed.doc:
        return ""
    said = purpose(SummaryView(side.source, side.parsed))
    own = [side.parsed.doc, *(one.doc for one in side.symbols if one.parent is None)]
    return said if any(said == first_sentences(doc, LONGEST) for doc in own[:50] if doc) else ""


def _symbols(examined: Examined) -> Iterator[SymbolChange]:
    old, new = examined.old, examined.new
    found: list[tuple[int, SymbolChange]] = []
    if old and new:
        partners = examined.matching.partners
        renamed = _renamed_words(old, new, examined.matching.pairs)
        for one, other in examined.matching.pairs:
            change = _paired(old, one, new, other, partners, renamed)
            if change is not None:
                found.append((change.line, change))
    if new:
        for place in examined.matching.new:
            source = examined.came_from.get(place)
            change = _moved(source, new, place, examined.came_from) if source else _alone(new, place, ADDED, old)
            if change is not None:
                found.append((change.line, change))
    yield from (change for _, change in sorted(found, key=lambda row: row[0]))
    if old:
        for place in examined.matching.gone:
            if place not in examined.left:
                change = _alone(old, place, REMOVED, new)
                if change is not None:
                    yield change


def _renamed_words(old: Side, new: Side, pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The words for definitions that have another name now: to follow a rename is no change of its own."""
    names = ((old.symbols[one].name, new.symbols[other].name) for one, other in pairs)
    return {word_code(before.encode()): word_code(after.encode()) for before, after in names if before != after}


def _follows(old: Sequence[int], new: Sequence[int], renamed: Mapping[int, int]) -> bool:
    """Whether the words are the same but for names that changed."""
    return len(old) == len(new) and all(
        before == after or renamed.get(before) == after for before, after in zip(old, new, strict=True)
    )


def _alone(side: Side, place: int, change: str, other: Side | None) -> SymbolChange | None:
    """A definition that is on one side only. None when the other side is too broken to tell."""
    symbol = side.symbols[place]
    if other is not None and other.parsed.broken and re.search(rf"\b{re.escape(symbol.name)}\b", other.text):
        return None
    return _change(side, place, change, lines_changed=symbol.lines.end - symbol.first_line + 1)


def _paired(
    old: Side,
    one: int,
    new: Side,
    other: int,
    partners: Mapping[int, int],
    renamed: Mapping[int, int],
    path_before: str = "",
) -> SymbolChange | None:
    """What happened to a definition that is on both sides; None when nothing did."""
    before, after = old.symbols[one], new.symbols[other]
    stayed = before.parent is None if after.parent is None else partners.get(before.parent or 0, -1) == after.parent
    is_renamed = bool(path_before) or before.name != after.name or not stayed
    lines = old.written(one), new.written(other)
    if not is_renamed and lines[0] == lines[1] and before.kind == after.kind:
        was, now = old.visibility.is_public(one), new.visibility.is_public(other)
        if was == now or before.parent is not None:
            return None
    is_changed = lines[0] != lines[1] and old.own_meaning(one) != new.own_meaning(other)
    if is_changed and renamed:
        is_changed = not _follows(old.own_words(one), new.own_words(other), renamed)
    signatures = shown_signature(old, one), shown_signature(new, other)
    if signatures[0] == signatures[1] and signatures[0].endswith("…") and before.parameters != after.parameters:
        signatures = _end_of_parameters(before), _end_of_parameters(after)
    differs = signatures[0] != signatures[1] and _is_noticed(new.language, before, after, *signatures)
    if not (is_renamed or is_changed or differs):
        return None
    return _change(
        new,
        other,
        RENAMED if is_renamed else MODIFIED,
        signature=signatures[1],
        signature_before=signatures[0] if differs else "",
        name_before=before.qualified if is_renamed and before.qualified != after.qualified else "",
        path_before=path_before,
        lines_changed=_lines_changed(*lines) if is_changed else 0,
    )


def _moved(
    source: tuple[Side, int], new: Side, place: int, came_from: Mapping[int, tuple[Side, int]]
) -> SymbolChange | None:
    """A definition that was in another file. What moved with the class around it is told only if it changed."""
    old, one = source
    above, above_before = new.symbols[place].parent, old.symbols[one].parent
    if above is not None and above_before is not None and came_from.get(above) == (old, above_before):
        return _paired(old, one, new, place, {above_before: above}, {})
    return _paired(old, one, new, place, {}, _renamed_words(old, new, [(one, place)]), old.path)


def _end_of_parameters(symbol: Symbol) -> str:
    """What a signature that is too long to be shown ends with."""
    return f"{symbol.name}(…, {', '.join(symbol.parameters[-3:])})"


def _is_noticed(language: str, before: Symbol, after: Symbol, was: str, now: str) -> bool:
    """Whether callers would notice more than a new name."""
    if before.name != after.name:
        was = re.sub(rf"(?<!\w){re.escape(before.name)}(?!\w)", lambda _: after.name, was)
    if was.endswith("…") or now.endswith("…"):  # cut: what is behind shows in the names of the parameters
        length = min(len(was), len(now)) - 1
        return before.parameters != after.parameters or before.returns != after.returns or was[:length] != now[:length]
    return noticed(language, was, now)


def _lines_changed(before: Iterable[str], after: Iterable[str]) -> int:
    came, went = line_difference(
        [line.strip() for line in before if line.strip()], [line.strip() for line in after if line.strip()]
    )
    return max(came, went, 1)


def shown_signature(side: Side, place: int) -> str:
    """With `export` and the decorators that change how it is used."""
    symbol = side.symbols[place]
    marks = [f"@{name}" for one in symbol.decorators if (name := one.rpartition(".")[2]) in _KEPT_DECORATORS]
    if side.visibility.is_exported(symbol) and not symbol.signature.startswith("export"):
        marks.append("export")
    return " ".join((*marks, symbol.signature))


def _change(
    side: Side,
    place: int,
    change: str,
    *,
    signature: str = "",
    signature_before: str = "",
    name_before: str = "",
    path_before: str = "",
    lines_changed: int = 0,
) -> SymbolChange:
    symbol = side.symbols[place]
    return SymbolChange(
        name=symbol.qualified,
        type=symbol.kind,
        change=change,
        line=symbol.lines.start,
        end_line=symbol.lines.end,
        signature=signature or shown_signature(side, place),
        signature_before=signature_before,
        doc=first_sentence(symbol.doc),
        name_before=name_before,
        path_before=path_before,
        is_public=side.visibility.is_public(place),
        lines_changed=lines_changed,
    )
