"""Compare the definitions of one file before and after a change."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from waypost.code.changes.layout import line_difference, says_the_same
from waypost.code.changes.manifests import dependency_changes
from waypost.code.changes.match import Matching, match
from waypost.code.changes.raw import RawFile
from waypost.code.changes.roles import role_of_path
from waypost.code.changes.settings import setting_changes
from waypost.code.changes.sides import Side, side_of
from waypost.code.changes.signatures import callers_notice
from waypost.code.files.languages import is_document, language_of_path
from waypost.code.source import Symbol
from waypost.code.summary.purpose import own_description
from waypost.code.summary.sentences import first_sentence
from waypost.code.summary.view import SummaryView
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED, FileChange, SymbolChange
from waypost.model.shape import word_code

MOST_SYMBOLS = 500  # reported per file
_READ_AS_DATA = frozenset({"manifest", "configuration", "pipeline"})
_KEPT_DECORATORS = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "contextmanager", "overload"}
)


@dataclass(slots=True)
class ComparedFile:
    """A file with its two sides and matched symbols. Moves between files are added later."""

    raw: RawFile
    role: str
    old: Side | None
    new: Side | None
    matching: Matching = field(default_factory=Matching)
    came_from: dict[int, tuple[Side, int]] = field(default_factory=dict)  # new place → where it was in another file
    left: set[int] = field(default_factory=set)  # old places that moved to another file


def compare_sides(raw: RawFile, *, deep: bool = True) -> ComparedFile:
    """Parse both sides and match their definitions. Without `deep`, report the file only as changed."""
    role = role_of_path(raw.path)
    if not deep or role == "generated":
        return ComparedFile(raw, role, None, None)
    old = side_of(raw.path_before or raw.path, raw.before)
    new = side_of(raw.path, raw.after)
    if (old and old.by_machine) or (new and new.by_machine):
        return ComparedFile(raw, "generated", None, None)
    compared = ComparedFile(raw, role, old, new)
    if not (old and new and old.text == new.text):
        compared.matching, compared.old, compared.new = match(old, new)
    return compared


def file_change(compared: ComparedFile) -> FileChange:
    """The result that learning reads."""
    raw, old, new = compared.raw, compared.old, compared.new
    added, removed = _line_counts(raw)
    side = new or old
    is_same = old is not None and new is not None and old.text == new.text
    layout_only = not is_same and old is not None and new is not None and says_the_same(old, new)
    reads_data = compared.role in _READ_AS_DATA and not is_same
    before, after = old.text if old else "", new.text if new else ""
    return FileChange(
        path=raw.path,
        change=raw.change,
        path_before=raw.path_before,
        language=side.language if side else language_of_path(raw.path),
        role=compared.role,
        lines_added=added,
        lines_removed=removed,
        layout_only=layout_only,
        purpose=_purpose(side) if side and compared.role != "generated" else "",
        symbols=() if layout_only or is_same else tuple(_symbols(compared))[:MOST_SYMBOLS],
        dependencies=tuple(dependency_changes(raw.path, before, after)) if compared.role == "manifest" else (),
        settings=tuple(setting_changes(raw.path, before, after)) if reads_data and not layout_only else (),
    )


def _line_counts(raw: RawFile) -> tuple[int, int]:
    if raw.before is None and raw.after is None:
        return 0, 0
    return line_difference((raw.before or b"").splitlines(), (raw.after or b"").splitlines())


def _purpose(side: Side) -> str:
    """The file's own description, or ""."""
    if side.language and not is_document(side.language) and not side.parsed.symbols and not side.parsed.doc:
        return ""
    return own_description(SummaryView(side.source, side.parsed))


def _symbols(compared: ComparedFile) -> Iterator[SymbolChange]:
    old, new = compared.old, compared.new
    changes: list[tuple[int, SymbolChange]] = []
    if old and new:
        partners = compared.matching.partners
        renamed = _renamed_words(old, new, compared.matching.pairs)
        for before, after in compared.matching.pairs:
            change = _compare_pair(old, before, new, after, partners, renamed)
            if change is not None:
                changes.append((change.line, change))
    if new:
        for place in compared.matching.new:
            source = compared.came_from.get(place)
            change = (
                _compare_moved(source, new, place, compared.came_from) if source else _one_sided(new, place, ADDED, old)
            )
            if change is not None:
                changes.append((change.line, change))
    yield from (change for _, change in sorted(changes, key=lambda row: row[0]))
    if old:
        for place in compared.matching.gone:
            if place not in compared.left:
                change = _one_sided(old, place, REMOVED, new)
                if change is not None:
                    yield change


def _renamed_words(old: Side, new: Side, pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Words for renamed definitions: following a rename is not a change."""
    names = ((old.symbols[before].name, new.symbols[after].name) for before, after in pairs)
    return {word_code(before.encode()): word_code(after.encode()) for before, after in names if before != after}


def _follows(old: Sequence[int], new: Sequence[int], renamed: Mapping[int, int]) -> bool:
    """Whether the words are equal except for renamed ones."""
    return len(old) == len(new) and all(
        before == after or renamed.get(before) == after for before, after in zip(old, new, strict=True)
    )


def _one_sided(side: Side, place: int, change: str, other: Side | None) -> SymbolChange | None:
    """A definition on one side only. None if the other side has syntax errors and mentions its name."""
    symbol = side.symbols[place]
    if other is not None and other.parsed.broken and re.search(rf"\b{re.escape(symbol.name)}\b", other.text):
        return None
    return _change(side, place, change, symbol.lines.end - symbol.first_line + 1)


def _compare_pair(
    old: Side,
    old_place: int,
    new: Side,
    new_place: int,
    partners: Mapping[int, int],
    renamed: Mapping[int, int],
    path_before: str = "",
) -> SymbolChange | None:
    """What changed in a definition that is on both sides, or None."""
    before, after = old.symbols[old_place], new.symbols[new_place]
    stayed = before.parent is None if after.parent is None else partners.get(before.parent or 0, -1) == after.parent
    is_renamed = bool(path_before) or before.name != after.name or not stayed
    lines = old.written(old_place), new.written(new_place)
    if not is_renamed and lines[0] == lines[1] and before.kind == after.kind:
        was, now = old.visibility.is_public(old_place), new.visibility.is_public(new_place)
        if was == now or before.parent is not None:
            return None
    is_changed = lines[0] != lines[1] and old.own_meaning(old_place) != new.own_meaning(new_place)
    if is_changed and renamed:
        is_changed = not _follows(old.own_words(old_place), new.own_words(new_place), renamed)
    signatures = full_signature(old, old_place), full_signature(new, new_place)
    if signatures[0] == signatures[1] and signatures[0].endswith("…") and before.parameters != after.parameters:
        signatures = _end_of_parameters(before), _end_of_parameters(after)
    differs = signatures[0] != signatures[1] and _is_visible_change(new.language, before, after, *signatures)
    if not (is_renamed or is_changed or differs):
        return None
    return replace(
        _change(new, new_place, RENAMED if is_renamed else MODIFIED, _lines_changed(*lines) if is_changed else 0),
        signature=signatures[1],
        signature_before=signatures[0] if differs else "",
        name_before=before.qualified if is_renamed and before.qualified != after.qualified else "",
        path_before=path_before,
    )


def _compare_moved(
    source: tuple[Side, int], new: Side, place: int, came_from: Mapping[int, tuple[Side, int]]
) -> SymbolChange | None:
    """A definition that moved from another file. Members of a moved class are reported only if they changed."""
    old, old_place = source
    above, above_before = new.symbols[place].parent, old.symbols[old_place].parent
    if above is not None and above_before is not None and came_from.get(above) == (old, above_before):
        return _compare_pair(old, old_place, new, place, {above_before: above}, {})
    return _compare_pair(old, old_place, new, place, {}, _renamed_words(old, new, [(old_place, place)]), old.path)


def _end_of_parameters(symbol: Symbol) -> str:
    """The end of a signature that is too long to show."""
    return f"{symbol.name}(…, {', '.join(symbol.parameters[-3:])})"


def _is_visible_change(language: str, before: Symbol, after: Symbol, was: str, now: str) -> bool:
    """Whether callers notice more than a new name."""
    if before.name != after.name:
        was = re.sub(rf"(?<!\w){re.escape(before.name)}(?!\w)", lambda _: after.name, was)
    if was.endswith("…") or now.endswith("…"):  # cut: the parameter names show the rest
        length = min(len(was), len(now)) - 1
        return before.parameters != after.parameters or before.returns != after.returns or was[:length] != now[:length]
    return callers_notice(language, was, now)


def _lines_changed(before: Iterable[str], after: Iterable[str]) -> int:
    came, went = line_difference(
        [line.strip() for line in before if line.strip()], [line.strip() for line in after if line.strip()]
    )
    return max(came, went, 1)


def full_signature(side: Side, place: int) -> str:
    """The signature with `export` and the decorators that affect its use."""
    symbol = side.symbols[place]
    marks = [
        f"@{name}" for decorator in symbol.decorators if (name := decorator.rpartition(".")[2]) in _KEPT_DECORATORS
    ]
    if side.visibility.is_exported(symbol) and not symbol.signature.startswith("export"):
        marks.append("export")
    return " ".join((*marks, symbol.signature))


def _change(side: Side, place: int, change: str, lines_changed: int) -> SymbolChange:
    symbol = side.symbols[place]
    return SymbolChange(
        name=symbol.qualified,
        type=symbol.kind,
        change=change,
        line=symbol.lines.start,
        end_line=symbol.lines.end,
        signature=full_signature(side, place),
        doc=first_sentence(symbol.doc),
        is_public=side.visibility.is_public(place),
        lines_changed=lines_changed,
    )
