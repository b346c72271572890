"""The context an agent gets for a task: its text, its token cost, and why each memory is in it."""

from waypost.faces.dashboard.memory_rows import MemoryRow, of_hit
from waypost.faces.dashboard.plots import share_bar
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage
from waypost.memory.facade import BRIEF_TOKENS, PRESETS, SCOPE_TOKENS

_PRESETS = {  # descriptions
    "": "everything, for the start of a task",
    "scope": "only code for the task",
    "route": "facts by level and domain",
    "inject": "what the prompt hook adds",
    "journal": "journal files, for a conversation",
}
_MOST_TOKENS = 100_000
_FOUND = 40  # hits to search for memories that were left out


def show(request: PageRequest) -> ShowPage:
    task = request.text("task", limit=10_000)
    preset = request.one_of("preset", ("", *PRESETS), "")
    tokens = request.whole("tokens", 0, 1, _MOST_TOKENS)
    as_of = request.until("as_of")
    values = {"task": task, "preset": preset, "presets": _PRESETS, "tokens": tokens, "as_of": as_of, "told_text": None}
    if task:
        briefing = request.memory.brief(task, tokens or None, preset=preset or None, as_of=as_of)
        budget = tokens or (SCOPE_TOKENS if preset == "scope" else BRIEF_TOKENS if preset != "journal" else 0)
        used = [of_hit(hit) for hit in briefing.memories]
        values |= {
            "told_text": briefing.text,
            "told_tokens": briefing.tokens,
            "explanation": briefing.explanation,
            "budget": budget,
            "bar": share_bar("Tokens", [("used", float(briefing.tokens))], budget),
            "chosen": used,
            "left": _left(request, task, used),
        }
    return ShowPage("context.html", "Context", values)


def _left(request: PageRequest, task: str, used: list[MemoryRow]) -> list[MemoryRow]:
    """Search hits for the task that are not in the text: no room, or another memory says the same."""
    used_ids = {row.id for row in used}
    answer = request.memory.recall(task[:2000], _FOUND, as_of=request.until("as_of"))
    return [row for row in map(of_hit, answer) if row.id not in used_ids][:10]


PAGES = (PageRoute("/context", show, "context"),)
