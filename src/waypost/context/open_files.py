"""The code to open for a task: each file once, with the symbols that matter, its tables and its tests.

- src/flask/cli.py: find_best_app(module) 41, locate_app(module_name, app_name) 241; tests: tests/test_cli.py
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from waypost.context.one_line import one_line
from waypost.context.wording import Wording
from waypost.model.recall import Hit

MOST_FILES = 6
MOST_SYMBOLS = 5
MOST_TESTS = 2
# In a briefing of 1,000 tokens; larger ones are more lenient.
LEAST = 1.35  # the total of a file that is worth opening at all
BEHIND = 1.0  # by which a file may be behind the best one; further ones are rarely opened
_LEAST_PER_DOUBLING, _BEHIND_PER_DOUBLING = 0.25, 0.4
_MEANS_THE_SAME = 0.65  # the score of a symbol by meaning alone; words without sense reach .6
SYMBOL_SHARE = 0.45  # of the best symbol's score: less speaks for the file, not for the symbol
_OF_SYMBOL = ("keywords", "meaning", "name")  # parts of a score that are a symbol's own
_WEIGHT = 0.5  # the least that the part `weight` counts
_REPEAT = "repeat"  # the part that lets other files rank before a file's second symbol
_LONGEST_PATH, _LONGEST_SIGNATURE, _LONGEST_SUMMARY = 200, 90, 100
_MOST_PARAMETERS, _MOST_COLUMNS = 4, 8


@dataclass(frozen=True, slots=True)
class CodeDetails:
    """What a line shows of a symbol or table beside its name."""

    parameters: tuple[str, ...] | None = None  # None: not a function
    columns: tuple[str, ...] = ()


_NO_DETAILS = CodeDetails()


@dataclass(frozen=True, slots=True)
class OpenFile:
    path: str
    total: float
    hits: tuple[Hit, ...]  # its symbols and tables to look at, best first; at least one hit of any kind
    tests: tuple[str, ...] = field(default=())

    def line(self, details: Mapping[str, CodeDetails], wording: Wording) -> str:
        """The file as one line of a briefing."""
        parts, owner = list[str](), ""
        for hit in self.hits:
            if hit.kind in ("symbol", "table"):
                parts.append(_part(hit, details.get(hit.id, _NO_DETAILS), wording, owner))
                owner = (hit.name or "").rpartition(".")[0]
        if not parts:
            parts = [one_line(hit.summary, _LONGEST_SUMMARY) for hit in self.hits if hit.summary and _says_more(hit)][
                :1
            ]
        text = f"- {one_line(self.path, _LONGEST_PATH)}"
        text += f": {', '.join(parts)}" if parts else ""
        tests = ", ".join(one_line(path, _LONGEST_PATH) for path in self.tests)
        return f"{text}; {wording.tests}: {tests}" if tests else text


def own_total(hit: Hit) -> float:
    """The total of a hit as if it were the only one of its file.

    In a small tree no file is used by much of it. So its weight counts at least as much as usual.
    """
    parts = hit.why
    return sum(part for name, part in parts.items() if name != _REPEAT) + max(0.0, _WEIGHT - parts.get("weight", 0.0))


def own_score(hit: Hit) -> float:
    """What speaks for the symbol itself, not for its file."""
    return sum(hit.why.get(name, 0.0) for name in _OF_SYMBOL)


def files_to_open(hits: Iterable[Hit], lenient: float = 0.0) -> list[OpenFile]:
    """The files worth opening, best first. `hits` are of source code, without tests and documents.

    `lenient` is the leniency of the budget (`usefulness.leniency`).
    """
    files: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.path:
            files.setdefault(hit.path, []).append(hit)
    if not any(_matches(hit) for members in files.values() for hit in members):
        return []
    totals = {path: max(map(own_total, members)) for path, members in files.items()}
    order = sorted(totals, key=lambda path: (-totals[path], path))
    least = LEAST - _LEAST_PER_DOUBLING * lenient
    if order:
        least = max(least, totals[order[0]] - BEHIND - _BEHIND_PER_DOUBLING * lenient)
    chosen = [path for path in order[:MOST_FILES] if totals[path] >= least]
    most = MOST_SYMBOLS + round(lenient)
    return [OpenFile(path, totals[path], _chosen(files[path], most)) for path in chosen]


def _matches(hit: Hit) -> bool:
    """Whether a hit shares words with the task, or means nearly the same. Something is always nearest."""
    return hit.why.get("keywords", 0.0) + hit.why.get("name", 0.0) > 0 or own_score(hit) >= _MEANS_THE_SAME


def _chosen(members: Sequence[Hit], most: int) -> tuple[Hit, ...]:
    """The symbols and tables that speak for themselves, each name once; without any, the best hit of the file."""
    named = sorted((hit for hit in members if hit.kind in ("symbol", "table")), key=own_score, reverse=True)
    if not named:
        return (max(members, key=own_total),)
    least = SYMBOL_SHARE * own_score(named[0])
    chosen: dict[str, Hit] = {}
    for hit in named:
        name = hit.name or ""
        inside = any(name.startswith(f"{other}.") and hits.type in _FUNCTIONS for other, hits in chosen.items())
        if own_score(hit) >= least and not inside:
            chosen.setdefault(name, hit)
    best = list(chosen.values())[:most]
    first: dict[str, int] = {}  # members of a class stand together
    for place, hit in enumerate(best):
        first.setdefault((hit.name or "").rpartition(".")[0] or f"\0{place}", place)
    return tuple(sorted(best, key=lambda hit: first.get((hit.name or "").rpartition(".")[0], best.index(hit))))


_FUNCTIONS = frozenset({"function", "method"})


def _part(hit: Hit, details: CodeDetails, wording: Wording, owner: str) -> str:
    """A symbol with its parameters and line; without its owner if the one before has the same."""
    name = hit.name or ""
    name = name.removeprefix(owner) if owner and name.startswith(f"{owner}.") else name
    name = one_line(name, _LONGEST_SIGNATURE)
    if hit.kind == "table":
        more = ", …" if len(details.columns) > _MOST_COLUMNS else ""
        columns = ", ".join(details.columns[:_MOST_COLUMNS])
        return one_line(f"{wording.table} {name}({columns}{more})", 2 * _LONGEST_SIGNATURE)
    if details.parameters is not None:
        more = ", …" if len(details.parameters) > _MOST_PARAMETERS else ""
        name = one_line(f"{name}({', '.join(details.parameters[:_MOST_PARAMETERS])}{more})", _LONGEST_SIGNATURE)
    return f"{name} {hit.line}" if hit.line else name


def _says_more(hit: Hit) -> bool:
    """Whether its summary says more than a list of names: an outline of a file does not."""
    return not (hit.summary or "").startswith(hit.path or "\0")
