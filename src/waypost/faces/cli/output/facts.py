"""Prints learned facts, facts to review, and fact trees."""

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
    from waypost.model.candidate import Candidate, CandidateRow
    from waypost.model.review_item import DecidedCandidate, Learned

_STATUS_TEXT = {
    STORED: "stored", REPLACED: "stored in place of an earlier one", MERGED: "merged", HELD: "needs review",
    WAITING: "already in review", KNOWN: "already stored", REFUSED: "refused", OLDER: "a newer fact exists",
}  # fmt: skip
_QUIET = (KNOWN, OLDER, WAITING)
_NEXT = "Next: waypost review approve ID · waypost review edit ID TEXT · waypost review reject ID"


def print_learned(learned: "Learned") -> None:
    out = console()
    decided = [candidate for candidate in learned.taken if candidate.status not in _QUIET]
    for candidate in decided:
        _print_taken(out, candidate)
    if not (decided or learned.files or learned.commits):
        out.print("Learned from 0 files: nothing new. For the last commits: waypost learn --diff HEAD~3..HEAD")
        print_notices(learned.notices)
        return
    where = counted(learned.commits, "commit") if learned.commits else counted(learned.files, "file")
    counts = [f"{learned.count(status)} {text}" for status, text in _STATUS_TEXT.items() if learned.count(status)]
    verb = "Would learn" if learned.dry_run else "Learned"
    out.print(f"{verb} from {where}: {', '.join(counts) or 'nothing new'}.", markup=False)
    if learned.skipped:
        reasons = ", ".join(f"{count} {safe(reason)}" for reason, count in sorted(learned.skipped.items()))
        out.print(f"Skipped: {reasons}.", markup=False, style="dim")
    if learned.pending_approval and not learned.dry_run:
        out.print(f"{counted(learned.pending_approval, 'fact')} to review: waypost review", markup=False)
    print_notices(learned.notices)


def _print_taken(out: "Console", decided: "DecidedCandidate") -> None:
    out.print(f"{_STATUS_TEXT.get(decided.status, decided.status)}", style="bold", end="  ")
    out.print(f"{decided.id or ''} · {_about(decided.candidate)}", markup=False, style="dim")
    out.print(f"   {safe(decided.candidate.text)}", markup=False)
    for line in decided.candidate.evidence[:2]:
        out.print(f"   {safe(line)}", markup=False, style="dim")


def _about(candidate: "Candidate") -> str:
    level = "" if candidate.level is None else f"L{candidate.level} "
    domain = f" · {safe(candidate.domain)}" if candidate.domain else ""
    return f"{level}{candidate.kind}{domain} · {candidate.confidence:.0%} sure"


def print_review(review: "Review") -> None:
    out = console()
    for row, candidate in review.candidates:
        out.print(row.candidate_id, style="bold", end="  ")
        out.print(_about(candidate), markup=False, style="dim")
        replaced, proposal = review.replaced.get(row.candidate_id), proposal_of(row)
        word = "retract: " if proposal is not None and proposal.action == RETRACT else ""
        out.print(f"   {word}{safe(candidate.text)}", markup=False)
        if replaced is not None and replaced.text != candidate.text:
            out.print(f"   instead of: {safe(' '.join(replaced.text.split()))}", markup=False)
        for line in (*candidate.evidence[:2], *([row.reason] if row.reason else [])):
            out.print(f"   {safe(line)}", markup=False, style="dim")
    if review.candidates:
        out.print(_NEXT, markup=False)
    if review.stale:
        out.print("Expired:", style="bold")
    for memory in review.stale:
        since = memory.state.expires_at
        out.print(memory.id, style="bold", end="  ")
        out.print(f"since {since.date() if since else '?'}", markup=False, style="dim")
        out.print(f"   {safe(' '.join(memory.version.text.split()))}", markup=False)
    if review.stale:
        out.print("Still true: waypost verify ID · no longer: waypost retract ID", markup=False)
    if not review.candidates and not review.stale:
        out.print("Nothing to review. Try: waypost learn")


def print_declined(declined: "Sequence[tuple[CandidateRow, Candidate]]", *, json: bool) -> None:
    if json:
        print_json({"rejected": [candidate_row(row, candidate) for row, candidate in declined]})
        return
    out = console()
    for row, candidate in declined:
        out.print(row.candidate_id, style="bold", end="  ")
        out.print(_about(candidate), markup=False, style="dim")
        out.print(f"   {safe(candidate.text)}", markup=False)
    out.print("To undo one: waypost review restore ID" if declined else "Nothing was rejected.", markup=False)


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
