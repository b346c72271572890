"""Prints answers and memories with the code they point at: where it is now and how it changed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from waypost.faces.cli.output.editor_links import EditorLinks, place_text
from waypost.faces.cli.output.memories import console, print_notices, print_pairs, print_text, readable_value, safe
from waypost.memory import rows
from waypost.model.code_link import plain_reason
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, UNCHECKED
from waypost.model.reference import CodeReference, LineRange
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.flows.admin.maintenance import StepResult
    from waypost.flows.links.code_changes import Behind
    from waypost.flows.links.repair import Repaired
    from waypost.model.code_link import AboutHit, CodeLink, LinkedMemory, StaleReport
    from waypost.model.recall import Answer, Hit

_RELEVANCE = {"direct": "about this line", "symbol": "about the code around it", "file": "about this file"}
_NEXT_STEPS = """\
For each memory:
  still true:           waypost verify ID
  points elsewhere:     waypost relink ID --ref PATH#L1-L9
  no longer true:       waypost correct ID TEXT, or waypost retract ID"""
_MOST_CODE_LINES = 20
_UNSURE = 0.1  # certainty below which hits are called the closest, not the answer
_WHERE_GONE = "  code deleted:         waypost relink ID --drop, if the memory is still true"


# -- JSON ---------------------------------------------------------------------------------------------------


def rows_with_links(rows: Iterable[dict[str, Any]], places: EditorLinks) -> list[dict[str, Any]]:
    return [with_links(row, places) for row in rows]


def with_links(row: dict[str, Any], places: EditorLinks) -> dict[str, Any]:
    """A memory's row with an editor URL for every place."""
    linked = {**row}
    for key in ("code_refs", "code_ref"):
        refs = row.get(key)
        if isinstance(refs, list):
            linked[key] = [_with_link(entry, places) for entry in refs]
        elif isinstance(refs, dict):
            linked[key] = _with_link(refs, places)
    return linked


def hit_with_links(row: dict[str, Any], places: EditorLinks) -> dict[str, Any]:
    """A hit's row with editor URLs. A code hit is itself a place."""
    if row.get("project"):  # the paths belong to another repository
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


def full_row(
    memory: "LinkedMemory", places: EditorLinks, code: "Sequence[Behind]" = (), *, diff: bool = False
) -> dict[str, Any]:
    """All fields of a memory, with the state and code of its links and an editor URL for every place."""
    row = rows.full_row(memory)
    for reference, behind in zip(row["code_refs"], code, strict=False):
        reference.update(behind.to_json(diff=diff))
    if memory.project is not None:
        return hit_with_links({**row, "project": memory.project.to_json()}, places)
    return with_links(row, places)


def print_memory(
    memory: "LinkedMemory", places: EditorLinks, code: "Sequence[Behind]" = (), *, diff: bool = False
) -> None:
    row = full_row(memory, places)
    if memory.project is not None:  # the paths belong to another repository
        row["project"] = f"{memory.project.name} ({memory.project.id})"
        row["points at"] = [str(link.reference) for link in memory.links]
    if memory.conflict is not None:
        row["conflict"] = memory.conflict.line
    print_pairs(_readable(row))
    if memory.links and memory.project is None:
        print("points at")
        print_places(console(), memory.links, places)
    for behind in code:
        _print_code(console(), behind, diff=diff)


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of a memory that say something, with times to the minute. A stale reason is printed with its place."""
    left_out = {"code_refs", "is_stale", *(("stale_reason", "stale_since") if row.get("code_refs") else ())}
    said = {key: value for key, value in row.items() if key not in left_out and value not in (None, [], {}, False)}
    if "stale_reason" in said:
        said["stale_reason"] = plain_reason(said["stale_reason"])
    return {key.replace("_", " "): readable_value(value) for key, value in said.items()}


def _print_code(out: "Console", behind: "Behind", *, diff: bool) -> None:
    """The code as it is now, or with `diff` how it changed since it was pinned."""
    if diff and behind.diff:
        for line in behind.diff:
            style = (
                {"+": "green", "-": "red", "@": "cyan"}.get(line[0], "") if line[:3] not in ("+++", "---") else "dim"
            )
            out.print(safe(line), markup=False, highlight=False, style=style)
        return
    if diff and behind.link.is_stale:
        out.print("No diff: git does not have the code that the memory was pinned to.", style="dim")
    if behind.now is None:
        return
    lines, first = behind.now.meant, behind.now.first_meant
    width = len(str(first + len(lines)))
    for number, line in enumerate(lines[:_MOST_CODE_LINES], start=first):
        out.print(safe(f"{number:>{width + 3}}  {line}"), markup=False, highlight=False, soft_wrap=True)
    if len(lines) > _MOST_CODE_LINES:
        out.print(f"   … {len(lines) - _MOST_CODE_LINES} more lines", style="dim")


def print_about(hits: "Sequence[AboutHit]", where: str, places: EditorLinks) -> None:
    out = console()
    if not hits or hits[0].related is not None:
        out.print(f"No memories about {place_text(where)}{' itself' if hits else ''}.", markup=False)
    for hit in hits:
        note = _RELEVANCE[hit.relevance] if hit.related is None else safe(hit.related.label)
        print_linked(out, hit.memory, places, note=note)


def print_stale(report: "StaleReport", places: EditorLinks, *, some: bool = False) -> None:
    """`some`: only some files were checked."""
    out = console()
    for memory in report.memories:
        print_linked(out, memory, places)
    if report.moved:
        out.print("Still true, but the code moved (record it with waypost relink --all):", style="bold")
        for memory in report.moved:
            print_linked(out, memory, places)
    if report.unfound:
        out.print("Not checked, because no code was found there (waypost relink ID --ref PATH#L1-L9):", style="bold")
        for memory in report.unfound:
            print_linked(out, memory, places)
    out.print(_totals(report, some=some), markup=False)
    if report.memories:
        out.print(_NEXT_STEPS, markup=False)
        if any(link.finding.state == DELETED for memory in report.memories for link in memory.links):
            out.print(_WHERE_GONE, markup=False)


def _totals(report: "StaleReport", *, some: bool) -> str:
    if not report.checked and some:
        return "No memory points there."
    if not report.checked:
        return "No memory points at code here. Try: waypost remember TEXT --ref PATH#L1-L9"
    counts = f"{report.stale} stale, {report.fresh} fresh"
    if report.errors:
        counts += f", {report.errors} could not be checked"
    memories = counted(report.checked, "memory points", "memories point")
    return f"{memories} at code: {counts}."


def print_repaired(done: "Repaired", verb: str, places: EditorLinks) -> None:
    out = console()
    for memory in done.memories:
        out.print(f"[bold]{verb.capitalize()}[/bold] ", end="")
        print_linked(out, memory, places)
    if not done.memories and not done.left:
        out.print(f"Nothing to do: no memory was {verb}.")
    print_notices(tuple(f"not {verb}: {line}" for line in done.left))


def print_steps(steps: "Sequence[StepResult]") -> None:
    print_pairs({step.step: ("not due: " if step.skipped else "") + step.message for step in steps})


def print_linked(out: "Console", memory: "LinkedMemory", places: EditorLinks, *, note: str = "") -> None:
    """Print a memory: its id, its text, and the state of each link."""
    version = memory.version
    out.print(f"[bold]{memory.id}[/bold]  ", end="")
    parts = [version.kind, version.source, f"{version.recorded_at:%Y-%m-%d}", f"confidence {memory.confidence:.2f}"]
    out.print(" · ".join([*parts, note] if note else parts), markup=False, style="dim")
    print_text(out, version.text)
    print_places(out, memory.links, places)
    if not memory.links:
        out.print("   no longer points at code", style="dim")
    if memory.state.is_stale and not any(link.is_stale for link in memory.links):
        out.print(
            f"   STALE: {safe(plain_reason(memory.state.stale_reason, 'for another reason'))}",
            markup=False,
            style="red",
        )


def print_places(out: "Console", links: "Iterable[CodeLink]", places: EditorLinks) -> None:
    for link in links:
        for line in link_lines(link, places):
            out.print(Text.assemble("   ", line))


def link_lines(link: "CodeLink", places: EditorLinks) -> list[Text]:
    """Lines about a link: where its code is, whether it moved, and what is wrong."""
    lines = []
    named = f" {place_text(link.finding.name)}" if link.finding.name else ""
    if link.is_stale:
        lines.append(_stale_line(link, places))
    if link.has_moved and link.reference.file_path == link.was.file_path:
        lines.append(Text.assemble("renamed: ", _here(link.reference, places), named))
    elif link.has_moved:
        was = place_text(*_place(link.was))
        lines.append(Text.assemble(f"moved: {was} → ", _here(link.reference, places), named))
    if not lines:
        unchecked = ", could not be checked" if link.checked_at and link.finding.state == UNCHECKED else ""
        unsure = f" ({link.problem}; staleness can't be checked)" if link.problem else unchecked
        lines.append(Text.assemble("at ", _here(link.reference, places), named, _extent(link.reference), unsure))
    return lines


def _stale_line(link: "CodeLink", places: EditorLinks) -> Text:
    """The stale reason with a clickable place. `STALE` is spelled out because colour alone is not accessible."""
    since = f" since {link.reference.stale_since:%Y-%m-%d}" if link.reference.stale_since else ""
    line = Text.assemble((f"STALE{since}: code changed: ", "red"))
    if link.finding.state == DELETED:
        how = f"deleted, was {place_text(*_place(link.was))}" if link.cause is None else safe(link.reason)
        return line.append(how, "red")
    line.append_text(_here(link.reference, places, style="red"))
    return line.append(_how(link), "red")


def _how(link: "CodeLink") -> str:
    finding = link.finding
    if finding.state == AMBIGUOUS:
        return (
            f" (could be {' or '.join(place_text(name) for name in finding.others[:3])})"
            if finding.others
            else " (ambiguous)"
        )
    if finding.state != CHANGED or not (finding.amount or link.cause):
        return ""
    amount = f"{finding.amount:.0%} changed" if finding.amount else "changed"
    return f" ({amount}{safe(link.change)})"


def _here(reference: CodeReference, places: EditorLinks, *, style: str = "green") -> Text:
    return places.text(*_place(reference), style=style)


def _extent(reference: CodeReference) -> str:
    lines = reference.line_range
    return f", to line {lines.end}" if lines and lines.end > lines.start else ""


def _place(reference: CodeReference) -> tuple[str, int | None]:
    return reference.file_path, reference.line_range.start if reference.line_range else None


def print_answer(answer: "Answer", places: EditorLinks, *, explain: bool) -> None:
    out = console()
    if answer.hits and all(hit.certainty is not None and hit.certainty < _UNSURE for hit in answer.hits):
        out.print("Nothing certain. The closest:", style="dim")
    for number, hit in enumerate(answer.hits, 1):
        certainty = hit.score if hit.certainty is None else hit.certainty
        out.print(f"[bold]{number}.[/bold] [cyan]{certainty:.2f}[/cyan]  ", end="")
        if hit.project is not None:  # the paths belong to another repository
            where = f" {hit.path}:{hit.line}" if hit.path and hit.line else f" {hit.path}" if hit.path else ""
            out.print(safe(f"from {hit.project.name}{where}"), markup=False, style="magenta")
        elif hit.path or not hit.page:
            out.print(places.text(hit.path, hit.line) if hit.path else "")
        else:
            out.print(safe(f"{hit.page} {hit.heading or ''}".rstrip()), markup=False)
        if hit.source == "code":
            out.print(f"   {_code_line(hit)}", markup=False)
        else:
            print_text(out, hit.text)
            if hit.project is None:
                _print_links(out, hit, places)
        link_says_stale = hit.project is None and any(link.is_stale for link in hit.links)
        if hit.is_stale and not link_says_stale:
            out.print(f"   STALE: {safe(plain_reason(hit.stale_reason))}", markup=False, style="red")
        if hit.conflict is not None:
            out.print(f"   CONFLICT: {safe(hit.conflict.line)}", markup=False, style="yellow")
        if hit.newer_id is not None:
            out.print("   EARLIER: a newer memory about this is shown above", markup=False, style="yellow")
        out.print(f"   {_origin(hit)}", markup=False, style="dim")
        if explain:
            parts = "  ".join(f"{name} {value:+.3f}" for name, value in hit.why.items())
            out.print(f"   score {hit.score:.2f}: {parts}", markup=False, style="dim")
            parts = "  ".join(f"{name} {value:.2f}" for name, value in hit.evidence.items())
            out.print(f"   evidence: {parts}", markup=False, style="dim")
    print_notices(answer.notices)


def _print_links(out: "Console", hit: "Hit", places: EditorLinks) -> None:
    # The place of a current first link is already printed in the heading.
    first = hit.links[0] if hit.links else None
    skip_first = first is not None and not (first.is_stale or first.has_moved or first.problem)
    print_places(out, hit.links[1:] if skip_first else hit.links, places)


def _code_line(hit: "Hit") -> str:
    name = hit.name if hit.name and hit.name != hit.path else ""
    return safe(" ─ ".join(part for part in (name, hit.summary or "") if part))


def _origin(hit: "Hit") -> str:
    when = (hit.time or hit.valid_from).strftime("%Y-%m-%d")
    who = f"{safe(hit.speaker)}, " if hit.speaker else ""
    return f"{hit.type or hit.kind} · {who}{hit.source} · {when} · {hit.id}"
