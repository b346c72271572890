"""Stale memories by file and age, with what changed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.faces.dashboard.diffs import DiffLine, line_diff
from waypost.faces.dashboard.pages.staleness_repair import check, relink, reset, verify
from waypost.faces.dashboard.plots import Series, bar_plot
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage, post_routes
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
    """A stale memory as the page shows it."""

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
    """The number of stale memories by age and reason."""
    labels = [name for _, name in AGES] + [OLDER]
    counts = Counter((row.age, row.reason) for row in rows)
    used = [reason for reason in REASONS if any(counts[age, reason] for age in labels)]
    series = [Series(REASONS[reason], [counts[age, reason] for age in labels], _TONES[reason]) for reason in used]
    return bar_plot("Stale memories by age", labels, series)


PAGES = (PageRoute("/stale", show, "stale"), *post_routes("/stale", "stale", check, verify, relink, reset))
