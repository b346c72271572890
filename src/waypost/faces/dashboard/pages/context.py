"""What an agent would be told about a task: the very text, what it costs, and why each memory is in it."""

from markupsafe import Markup

from waypost.faces.dashboard.memory_rows import MemoryRow, of_hit
from waypost.faces.dashboard.plots import share_bar
from waypost.faces.dashboard.request_context import PagePlace, PageRequest, ShowPage
from waypost.flows.context.brief import Briefing
from waypost.memory.facade import BRIEF_TOKENS, PRESETS, SCOPE_TOKENS

_PRESETS = {  # in words
    "": "everything, for the start of a task",
    "scope": "only the code that the task is about",
    "route": "facts by level and domain",
    "inject": "what a hook adds to each prompt",
    "journal": "files of the journal, for a conversation",
}
_MOST_TOKENS = 100_000
_FOUND = 40  # hits among which it is looked for what was not told


def show(asked: PageRequest) -> ShowPage:
    task = asked.text("task", limit=10_000)
    preset = asked.one_of("preset", ("", *PRESETS), "")
    tokens = asked.whole("tokens", 0, 1, _MOST_TOKENS)
    as_of = asked.until("as_of")
    values = {"task": task, "preset": preset, "presets": _PRESETS, "tokens": tokens, "as_of": as_of, "told_text": None}
    if task:
        told = asked.memory.brief(task, tokens or None, preset=preset or None, as_of=as_of)
        budget = tokens or (SCOPE_TOKENS if preset == "scope" else BRIEF_TOKENS if preset != "journal" else 0)
        chosen = [of_hit(hit) for hit in told.memories]
        values |= {
            "told_text": told.text,
            "told_tokens": told.tokens,
            "explanation": told.explanation,
            "budget": budget,
            "bar": _bar(told, budget),
            "chosen": chosen,
            "left": _left(asked, task, chosen),
        }
    return ShowPage("context.html", "Context", values)


def _bar(told: Briefing, budget: int) -> Markup:
    return share_bar("Tokens", [("told", float(told.tokens))], budget)


def _left(asked: PageRequest, task: str, chosen: list[MemoryRow]) -> list[MemoryRow]:
    """What the search finds for the task, and the text does not tell: it did not fit, or another one says as much."""
    known = {one.id for one in chosen}
    found = asked.memory.recall(task[:2000], _FOUND, as_of=asked.until("as_of"))
    return [one for one in map(of_hit, found) if one.id not in known][:10]


PLACES = (PagePlace("/context", show, "context"),)
