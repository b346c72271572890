"""Learned facts, what waits for review, and trees of facts, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from waypost.faces.cli.output.memories import console, print_json, print_notices, safe
from waypost.flows.facts.review import candidate_row
from waypost.flows.write.proposals import RETRACT, proposal_of
from waypost.model.review_item import HELD, KNOWN, MERGED, OLDER, REFUSED, REPLACED, STORED, WAITING
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.flows.facts.review import Review
    from waypost.model.candidate import Candidate
    from waypost.model.review_item import DecidedCandidate, Learned
    from waypost.store.facts import CandidateRow

_WORDS = {
    STORED: "stored", REPLACED: "stored in place of an earlier one", MERGED: "merged", HELD: "waits for approval",
    WAITING: "waits already", KNOWN: "known", REFUSED: "refused", OLDER: "something later is known",
}  # fmt: skip
_QUIET = (KNOWN, OLDER, WAITING)
_NEXT = "Next: waypost review approve ID · waypost review edit ID TEXT · waypost review reject ID"


def print_learned(learned: "Learned") -> None:
    out = console()
    told = [one for one in learned.taken if one.status not in _QUIET]
    for one in told:
        _print_taken(out, one)
    where = counted(learned.commits, "commit") if learned.commits else counted(learned.files, "file")
    counts = [f"{learned.count(status)} {word}" for status, word in _WORDS.items() if learned.count(status)]
    verb = "Would learn" if learned.dry_run else "Learned"
    out.print(f"{verb} from {where}: {', '.join(counts) or 'nothing new'}.", markup=False)
    if learned.skipped:
        reasons = ", ".join(f"{count} {safe(reason)}" for reason, count in sorted(learned.skipped.items()))
        out.print(f"Passed over: {reasons}.", markup=False, style="dim")
    if learned.pending_approval and not learned.dry_run:
        out.print(f"{learned.pending_approval} wait for you: waypost review", markup=False)
    print_notices(learned.notices)


def _print_taken(out: "Console", one: "DecidedCandidate") -> None:
    out.print(f"{_WORDS.get(one.status, one.status)}", style="bold", end="  ")
    out.print(f"{one.id or ''} · {_about(one.candidate)}", markup=False, style="dim")
    out.print(f"   {safe(one.candidate.text)}", markup=False)
    for line in one.candidate.evidence[:2]:
        out.print(f"   {safe(line)}", markup=False, style="dim")


def _about(one: "Candidate") -> str:
    level = "" if one.level is None else f"L{one.level} "
    domain = f" · {safe(one.domain)}" if one.domain else ""
    return f"{level}{one.kind}{domain} · {one.confidence:.0%} sure"


def print_review(found: "Review") -> None:
    out = console()
    for row, one in found.candidates:
        out.print(row.candidate_id, style="bold", end="  ")
        out.print(_about(one), markup=False, style="dim")
        replaced, proposal = found.replaced.get(row.candidate_id), proposal_of(row)
        word = "retract: " if proposal is not None and proposal.action == RETRACT else ""
        out.print(f"   {word}{safe(one.text)}", markup=False)
        if replaced is not None and replaced.text != one.text:
            out.print(f"   instead of: {safe(' '.join(replaced.text.split()))}", markup=False)
        for line in (*one.evidence[:2], *([row.reason] if row.reason else [])):
            out.print(f"   {safe(line)}", markup=False, style="dim")
    if found.candidates:
        out.print(_NEXT, markup=False)
    if found.stale:
        out.print("Their time has run out:", style="bold")
    for memory in found.stale:
        since = memory.state.expires_at
        out.print(memory.id, style="bold", end="  ")
        out.print(f"since {since.date() if since else '?'}", markup=False, style="dim")
        out.print(f"   {safe(' '.join(memory.version.text.split()))}", markup=False)
    if found.stale:
        out.print("Still true: waypost verify ID · no longer: waypost retract ID", markup=False)
    if not found.candidates and not found.stale:
        out.print("Nothing waits for you. Try: waypost learn")


def print_declined(found: "Sequence[tuple[CandidateRow, Candidate]]", *, json: bool) -> None:
    if json:
        print_json({"rejected": [candidate_row(row, one) for row, one in found]})
        return
    out = console()
    for row, one in found:
        out.print(row.candidate_id, style="bold", end="  ")
        out.print(_about(one), markup=False, style="dim")
        out.print(f"   {safe(one.text)}", markup=False)
    out.print("To undo one: waypost review restore ID" if found else "Nothing was rejected.", markup=False)


def print_decided(rows: Sequence[dict[str, Any]], *, json: bool) -> None:
    if json:
        print_json({"decided": list(rows)})
    else:
        out = console()
        for row in rows:
            out.print(str(row["status"]).capitalize(), style="bold", end=" ")
            out.print(safe(f"{row['id'] or row.get('candidate', '')} {row.get('reason') or ''}".rstrip()), markup=False)
    if any(row["status"] == "refused" for row in rows):
        raise typer.Exit(1)


def print_subtree(rows: Sequence[dict[str, Any]]) -> None:
    out = console()
    for row in rows:
        level = "" if row["level"] is None else f"L{row['level']}"
        out.print(f"{'   ' * row['depth']}{level} {row['id']}", markup=False, style="dim", end="  ")
        out.print(safe(" ".join(row["text"].split())), markup=False)
