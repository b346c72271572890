"""Prints the answers to a question."""

from typing import TYPE_CHECKING

from waypost.faces.cli.output.code_links import print_places
from waypost.faces.cli.output.editor_links import EditorLinks
from waypost.faces.cli.output.memories import console, print_notices, print_text, safe

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.model.recall import Answer, Hit


def print_answer(answer: "Answer", places: EditorLinks, *, explain: bool) -> None:
    out = console()
    for number, hit in enumerate(answer.hits, 1):
        out.print(f"[bold]{number}.[/bold] [cyan]{hit.score:.2f}[/cyan]  ", end="")
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
            out.print(f"   STALE: {safe(hit.stale_reason or 'the code has changed')}", markup=False, style="red")
        out.print(f"   {_origin(hit)}", markup=False, style="dim")
        if explain:
            parts = "  ".join(f"{name} {value:+.3f}" for name, value in hit.why.items())
            out.print(f"   why: {parts}", markup=False, style="dim")
    if not answer.hits:
        out.print("No results.")
    print_notices(answer.notices)


def _print_links(out: "Console", hit: "Hit", places: EditorLinks) -> None:
    # The place of a current first link is already printed in the heading.
    skip_first = bool(hit.links) and not hit.links[0].is_stale and not hit.links[0].has_moved
    print_places(out, hit.links[1:] if skip_first else hit.links, places)


def _code_line(hit: "Hit") -> str:
    name = hit.name if hit.name and hit.name != hit.path else ""
    return safe(" ─ ".join(part for part in (name, hit.summary or "") if part))


def _origin(hit: "Hit") -> str:
    when = (hit.time or hit.valid_from).strftime("%Y-%m-%d")
    who = f"{safe(hit.speaker)}, " if hit.speaker else ""
    return f"{hit.type or hit.kind} · {who}{hit.source} · {when} · {hit.id}"
