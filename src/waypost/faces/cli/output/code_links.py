"""What people are told about the code that memories point at: where it is, and what is wrong with it, in words."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from waypost.faces.cli.output.editor_links import EditorLinks, spelled
from waypost.faces.cli.output.memories import console, print_notices, print_pairs, print_text, safe
from waypost.model.code_link import CODE_CHANGED
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, UNCHECKED
from waypost.model.reference import CodeReference, LineRange
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.flows.admin.maintenance import StepResult
    from waypost.flows.links.repair import Repaired
    from waypost.model.code_link import AboutHit, CodeLink, LinkedMemory, StaleReport

_RELEVANCE = {"direct": "about this line", "symbol": "about the code around it", "file": "about this file"}
_NEXT_STEPS = """\
What now, for each of them:
  it is still true      waypost verify ID
  it points elsewhere   waypost relink ID --ref PATH#L1-L9
  it is true no longer  waypost correct ID TEXT, or waypost retract ID"""
_WHERE_GONE = "  its code is gone      waypost relink ID --drop, if it is true all the same"


# -- JSON ---------------------------------------------------------------------------------------------------


def with_links(row: dict[str, Any], places: EditorLinks) -> dict[str, Any]:
    """A memory's row, every place in it with the URL that an editor opens."""
    linked = {**row}
    for key in ("code_refs", "code_ref"):
        found = row.get(key)
        if isinstance(found, list):
            linked[key] = [_with_link(ref, places) for ref in found]
        elif isinstance(found, dict):
            linked[key] = _with_link(found, places)
    return linked


def hit_with_links(row: dict[str, Any], places: EditorLinks) -> dict[str, Any]:
    """A hit of a question; one that is code itself is a place too."""
    if row.get("project"):  # its places are in another tree
        refs = [{**ref, "editor_link": None} for ref in row["code_refs"]]
        return {**row, "code_refs": refs, "code_link": None, "editor_link": None}
    linked = with_links(row, places)
    path, line = row.get("path"), row.get("line")
    lines = LineRange(line, row.get("end_line") or line) if line else None
    linked["code_link"] = CodeReference(path, lines).uri if path else None
    linked["editor_link"] = places.target(path, line) if path else None
    return linked


def _with_link(ref: dict[str, Any], places: EditorLinks) -> dict[str, Any]:
    line = (ref.get("line_range") or {}).get("start")
    return {**ref, "editor_link": places.target(ref["file_path"], line)}


# -- people -------------------------------------------------------------------------------------------------


def shown_row(memory: "LinkedMemory", places: EditorLinks) -> dict[str, Any]:
    """Everything about one memory, with its links as they are now."""
    from waypost.flows.versions.row import memory_row

    now = memory.to_json()
    row = memory_row(memory.version, memory.state)
    told = {key: now[key] for key in ("code_refs", "confidence", "is_stale", "stale_reason", "stale_since")}
    if memory.project is not None:
        return hit_with_links({**row, **told, "project": now["project"]}, places)
    return with_links({**row, **told}, places)


def print_shown(memory: "LinkedMemory", places: EditorLinks) -> None:
    row = shown_row(memory, places)
    if memory.project is not None:  # its places are in another tree
        row["project"] = f"{memory.project.name} ({memory.project.id})"
        row["points at"] = [str(link.reference) for link in memory.links]
    print_pairs({key: value for key, value in row.items() if key != "code_refs" and value not in (None, [], {}, False)})
    if memory.links and memory.project is None:
        print("points at")
        print_places(console(), memory.links, places)


def print_about(hits: "Sequence[AboutHit]", where: str, places: EditorLinks) -> None:
    out = console()
    for hit in hits:
        print_linked(out, hit.memory, places, note=_RELEVANCE[hit.relevance])
    if not hits:
        out.print(f"Nothing is remembered about {spelled(where)}.", markup=False)


def print_stale(report: "StaleReport", places: EditorLinks, *, some: bool = False) -> None:
    """`some`: it was asked about some files only."""
    out = console()
    for one in report.memories:
        print_linked(out, one, places)
    if report.moved:
        out.print("Still true, in another place now (waypost relink --all takes note of it):", style="bold")
        for one in report.moved:
            print_linked(out, one, places)
    out.print(_counted(report, some=some), markup=False)
    if report.memories:
        out.print(_NEXT_STEPS, markup=False)
        if any(link.finding.state == DELETED for one in report.memories for link in one.links):
            out.print(_WHERE_GONE, markup=False)


def _counted(report: "StaleReport", *, some: bool) -> str:
    if not report.checked and some:
        return "No memory points there."
    if not report.checked:
        return "No memory points at code here. Try: waypost remember TEXT --ref PATH#L1-L9"
    counts = f"{report.stale} stale, {report.fresh} fresh"
    if report.errors:
        counts += f", {report.errors} that nobody can tell of"
    memories = counted(report.checked, "memory points", "memories point")
    return f"{memories} at code: {counts}."


def print_repaired(done: "Repaired", verb: str, places: EditorLinks) -> None:
    out = console()
    for one in done.memories:
        out.print(f"[bold]{verb.capitalize()}[/bold] ", end="")
        print_linked(out, one, places)
    if not done.memories and not done.left:
        out.print(f"Nothing had to be {verb}.")
    print_notices(tuple(f"not {verb}: {line}" for line in done.left))


def print_upkeep(steps: "Sequence[StepResult]") -> None:
    print_pairs({step.step: ("not due: " if step.skipped else "") + step.message for step in steps})


def print_linked(out: "Console", memory: "LinkedMemory", places: EditorLinks, *, note: str = "") -> None:
    """A memory: its id, its words, and each place with what became of it."""
    version = memory.version
    out.print(f"[bold]{memory.id}[/bold]  ", end="")
    told = [version.kind, version.source, f"{version.recorded_at:%Y-%m-%d}", f"confidence {memory.confidence:.2f}"]
    out.print(" · ".join([*told, note] if note else told), markup=False, style="dim")
    print_text(out, version.text)
    print_places(out, memory.links, places)
    if not memory.links:
        out.print("   points at no code any more", style="dim")
    if memory.state.is_stale and not any(link.is_stale for link in memory.links):
        out.print(f"   STALE: {safe(memory.state.stale_reason or 'for another reason')}", markup=False, style="red")


def print_places(out: "Console", links: "Iterable[CodeLink]", places: EditorLinks) -> None:
    for link in links:
        for line in link_lines(link, places):
            out.print(Text.assemble("   ", line))


def link_lines(link: "CodeLink", places: EditorLinks) -> list[Text]:
    """What is to be said of a link: where it is, whether it moved, and what is wrong, each on a line of its own."""
    lines = []
    named = f" {spelled(link.finding.name)}" if link.finding.name else ""
    if link.is_stale:
        lines.append(_stale_line(link, places))
    if link.has_moved and link.reference.file_path == link.was.file_path:
        lines.append(Text.assemble("renamed: ", _here(link.reference, places), named))
    elif link.has_moved:
        was = spelled(*_place(link.was))
        lines.append(Text.assemble(f"moved: {was} → ", _here(link.reference, places), named))
    if not lines:
        unsure = ", could not be checked" if link.checked_at and link.finding.state == UNCHECKED else ""
        lines.append(Text.assemble("at ", _here(link.reference, places), named, _extent(link.reference), unsure))
    return lines


def _stale_line(link: "CodeLink", places: EditorLinks) -> Text:
    """The words of the seed's reason, with a place that opens. It is said in capitals: colour alone tells few."""
    since = f" since {link.reference.stale_since:%Y-%m-%d}" if link.reference.stale_since else ""
    line = Text.assemble((f"STALE{since}: {CODE_CHANGED}", "red"))
    if link.finding.state == DELETED:
        return line.append(f"{spelled(*_place(link.was))} (deleted)", "red")
    line.append_text(_here(link.reference, places, style="red"))
    return line.append(_how(link), "red")


def _how(link: "CodeLink") -> str:
    found = link.finding
    if found.state == AMBIGUOUS:
        return (
            f" (could be {' or '.join(spelled(one) for one in found.others[:3])})" if found.others else " (ambiguous)"
        )
    return f" ({found.amount:.0%} changed)" if found.state == CHANGED and found.amount else ""


def _here(reference: CodeReference, places: EditorLinks, *, style: str = "green") -> Text:
    return places.text(*_place(reference), style=style)


def _extent(reference: CodeReference) -> str:
    lines = reference.line_range
    return f", to line {lines.end}" if lines and lines.end > lines.start else ""


def _place(reference: CodeReference) -> tuple[str, int | None]:
    return reference.file_path, reference.line_range.start if reference.line_range else None
