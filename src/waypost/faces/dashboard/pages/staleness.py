"""Stale memories by file and age, with what changed; and their repair. Resets are confirmed first."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.dashboard.diffs import DiffLine, line_diff
from waypost.faces.dashboard.plots import Series, bar_plot
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, ShowPage, post_routes
from waypost.flows.links.code_changes import CodeLines
from waypost.memory import Memory
from waypost.model.code_link import CodeLink, LinkedMemory, StaleReport
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED

AGES = ((1, "1 day"), (7, "1 week"), (30, "1 month"), (90, "3 months"), (365, "1 year"))
OLDER = "longer"
REASONS = {CHANGED: "code changed", DELETED: "code deleted", AMBIGUOUS: "several places", "other": "another reason"}
_TONES = {CHANGED: 2, DELETED: 6, AMBIGUOUS: 4, "other": 3}
_GROUPS = ("file", "age")
_AT_ONCE = 100  # rows per page
_COMPARED = 20  # rows with a diff: each asks git
_MOST_LINES = 14  # of a diff; the memory's page shows all


@dataclass(frozen=True, slots=True)
class Row:
    memory: LinkedMemory
    links: tuple[CodeLink, ...]  # only stale ones
    file: str
    reason: str  # a key of REASONS
    age: str
    diff: tuple[DiffLine, ...] = ()  # the start of its code's diff
    more: bool = False  # the diff continues

    @property
    def others(self) -> tuple[str, ...]:
        """Where its code could be, as `path:line`."""
        return tuple(dict.fromkeys(other for link in self.links for other in link.finding.others))[:5]


def show(request: PageRequest) -> ShowPage:
    file, reason = request.text("file", limit=1000), request.one_of("reason", ("", *REASONS), "")
    group, page = request.one_of("by", _GROUPS, "file"), request.whole("page", 1, 1, 10_000)
    report = _report(request, file)
    if report is None:
        filters = {"file": file, "reason": reason, "by": group}
        return ShowPage("staleness_looking.html", "Staleness", {"chosen": filters})
    now = request.spaces.now()
    rows = [_row(memory, now) for memory in report.memories]
    chosen = [row for row in rows if not reason or row.reason == reason]
    grouped = sorted(chosen, key=lambda row: row.file) if group == "file" else chosen
    visible = grouped[(page - 1) * _AT_ONCE : page * _AT_ONCE]
    return ShowPage(
        "staleness.html",
        "Staleness",
        {
            "report": report,
            "groups": _groups(
                [_compared(request.memory, row) for row in visible[:_COMPARED]] + visible[_COMPARED:], group
            ),
            "files": Counter(row.file for row in rows).most_common(200),
            "reasons": [(name, REASONS[name], count) for name, count in Counter(r.reason for r in rows).items()],
            "reason_words": REASONS,
            "plot": _plot(rows) if rows else "",
            "chosen": {"file": file, "reason": reason, "by": group},
            "page": page,
            "pages": max(1, -(-len(chosen) // _AT_ONCE)),
            "found": len(chosen),
            "fresh_share": report.fresh / report.checked if report.checked else 1.0,
        },
    )


def _report(request: PageRequest, file: str) -> StaleReport | None:
    """None if the comparison takes long; then it continues in the background."""
    if not request.has_tree:
        return StaleReport(0, 0, 0, 0)
    memory = request.memory
    if file or not memory.identity.has_tree:  # background runs are per repository, without filters
        return memory.code.stale([file] if file else None)
    return request.slow_work.ask(f"stale {memory.identity.space_id} {memory.code.root}", memory.code.stale)


def _row(memory: LinkedMemory, now: datetime) -> Row:
    links = tuple(link for link in memory.links if link.is_stale)
    first = links[0] if links else (memory.links[0] if memory.links else None)
    states = [link.finding.state for link in links]
    reason = next((state for state in (DELETED, AMBIGUOUS, CHANGED) if state in states), "other")
    return Row(memory, links, first.reference.file_path if first else "", reason, _age(memory.stale_since, now))


def _compared(memory: Memory, row: Row) -> Row:
    """The row with the start of its code's diff: one line before the first change, and what follows."""
    for behind in memory.code.code_behind(row.memory.id):
        if not behind.link.is_stale or behind.then is None:
            continue
        new = behind.now.meant if behind.now is not None else ()
        lines = line_diff(behind.then.meant, new, _first(behind.then), _first(behind.now))
        start = max(0, next((at for at, line in enumerate(lines) if line.change != "same"), 0) - 1)
        return replace(row, diff=lines[start : start + _MOST_LINES], more=len(lines) > start + _MOST_LINES)
    return row


def _first(stretch: CodeLines | None) -> int:
    if stretch is None:
        return 1
    return stretch.marked.start if stretch.marked is not None else stretch.first


def _age(since: datetime | None, now: datetime) -> str:
    days = (now - since).total_seconds() / 86_400 if since is not None else float("inf")
    return next((name for limit, name in AGES if days < limit), OLDER)


def _groups(rows: Sequence[Row], by: str) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.file if by == "file" else row.age, []).append(row)
    if by == "age":
        order = [name for _, name in AGES] + [OLDER]
        return sorted(groups.items(), key=lambda pair: -order.index(pair[0]))
    return list(groups.items())


def _plot(rows: Sequence[Row]) -> Any:
    labels = [name for _, name in AGES] + [OLDER]
    counts = Counter((row.age, row.reason) for row in rows)
    used = [reason for reason in REASONS if any(counts[age, reason] for age in labels)]
    series = [Series(REASONS[reason], [counts[age, reason] for age in labels], _TONES[reason]) for reason in used]
    return bar_plot("Stale memories by age", labels, series)


FILTERS = ("file", "reason", "by")


def check(request: PageRequest) -> Redirect:
    file, memory = request.sent("file", 1000), request.memory
    if file:
        memory.code.stale([file], check=True)
        return _back(request, "checked")
    done = request.slow_work.ask(f"check {memory.identity.space_id}", lambda: memory.code.stale(check=True))
    return _back(request, "checked" if done is not None else "checking")


def verify(request: PageRequest) -> Redirect:
    chosen = _chosen(request)
    if not chosen:
        return _back(request, "nothing")
    done = request.memory.verify(chosen)
    return _back(request, "verified" if not done.left else "verified_some")


def relink(request: PageRequest) -> Redirect:
    """Point memories at where their code moved, or one memory at a given place."""
    memory, chosen = request.memory, _chosen(request)
    if request.sent("every"):
        memory.code.relink(every=True)
        return _back(request, "relinked")
    if not chosen:
        return _back(request, "nothing")
    reference = request.sent("ref", 1000) or _place(memory, request.sent("place", 1000))
    if reference:
        memory.code.relink(chosen[0], [reference])
        return _back(request, "relinked")
    left = [line for memory_id in chosen for line in memory.code.relink(memory_id).left]
    return _back(request, "relinked" if not left else "relinked_some")


def reset(request: PageRequest) -> ShowPage | Redirect:
    """Accept the current code for these memories and remove references to deleted code."""
    memory, chosen = request.memory, _chosen(request)
    if not chosen:
        return _back(request, "nothing")
    if not request.sent("sure"):
        memories = [memory.show(memory_id) for memory_id in chosen]
        return ShowPage(
            "staleness_reset.html", "Reset staleness?", {"memories": memories, "filters": _filters(request)}
        )
    memory.verify(chosen)
    for memory_id in _still_stale(memory, chosen):
        memory.code.relink(memory_id, drop=True)
        memory.verify(memory_id)
    return _back(request, "reset" if not _still_stale(memory, chosen) else "reset_some")


def _still_stale(memory: Memory, chosen: list[str]) -> list[str]:
    stale = {memory_.id for memory_ in memory.code.stale().memories}
    return [memory_id for memory_id in chosen if memory_id in stale]


def _chosen(request: PageRequest) -> list[str]:
    """The memory whose own button was pressed, else the ticked ones that still need repair."""
    only = request.sent("only", 200)
    if only:
        return [only]
    report = request.memory.code.stale()
    repairable = {memory.id for memory in (*report.memories, *report.moved)}
    return [memory_id for memory_id in dict.fromkeys(request.all_sent("id")) if memory_id in repairable]


def _place(memory: Memory, place: str) -> str:
    """A suggested place `path:line` as a reference: the symbol that starts there, else that line."""
    if not place:
        return ""
    path, _, line = place.rpartition(":")
    if not path or not line.isascii() or not line.isdigit() or len(line) > 9:
        raise InvalidInput(f"{place[:100]!r} is not a place.", "Write it as src/app.py#L10-L20.")
    start = int(line)
    outline = memory.code.source(path, max(1, start), 1).outline
    end = max((symbol.end_line for symbol in outline if symbol.line == start), default=start)
    return f"{path}#L{start}-L{end}"


def _filters(request: PageRequest) -> dict[str, str]:
    return {name: request.sent(name, 1000) for name in FILTERS if request.sent(name, 1000)}


def _back(request: PageRequest, message: str) -> Redirect:
    return request.go("stale", **_filters(request), told=message)


PAGES = (PageRoute("/stale", show, "stale"), *post_routes("/stale", "stale", check, verify, relink, reset))
