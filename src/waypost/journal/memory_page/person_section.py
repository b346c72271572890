"""What MEMORY.md says about the person: who they are, what they like, milestones, projects, and what is going on."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from waypost.journal.layout import PREFERENCES
from waypost.journal.memory_page.content import IndexContent, PersonLine
from waypost.journal.memory_page.lines import Phrases, bold, with_sources

MOST_PREFERENCES, MOST_MILESTONES, MOST_PROJECTS, MOST_ONGOING = 30, 12, 10, 8


def personal_section(sheet: IndexContent, words: Phrases) -> Iterator[str]:
    if not (sheet.person or sheet.preferences or sheet.milestones or sheet.projects or sheet.has_preferences):
        return
    yield from (f"## {words['personal']}", "")
    yield from _person(sheet.person, words)
    if sheet.preferences or sheet.has_preferences:
        yield from (f"### {words['preferences']}", "")
        yield from (_person_line("- ", line, words) for line in sheet.preferences[:MOST_PREFERENCES])
        if sheet.has_preferences:
            yield f"- [{words['all_preferences']}]({PREFERENCES})"
        yield ""
    if sheet.milestones:
        yield from (f"### {words['milestones']}", "")
        yield from (_person_line("- ", line, words) for line in sheet.milestones[:MOST_MILESTONES])
        yield ""
    if sheet.projects:
        yield from (f"### {words['projects']}", "")
        for project in sheet.projects[:MOST_PROJECTS]:
            when = words.fill("project", since=project.since, last=project.last)
            yield _with_latest(f"- **{bold(project.label)}**: {when}", project.ids, project.latest, words)
        yield ""


def _person(lines: Sequence[PersonLine], words: Phrases) -> Iterator[str]:
    """One line for each fact; several of one sort are listed below its name."""
    for slot, group in groupby(lines, key=lambda line: line.slot):
        of_slot = list(group)
        if len(of_slot) == 1:
            yield _person_line(f"- **{words[f'person_{slot}']}:** ", of_slot[0], words)
            continue
        yield f"- **{words[f'person_{slot}']}:**"
        yield from (_person_line("  - ", line, words) for line in of_slot)
    if lines:
        yield ""


def _person_line(lead: str, line: PersonLine, words: Phrases) -> str:
    is_open = line.slot == "goal" and line.latest is None
    text = f"{lead}{_dated(line)}" + (f" {words['open']}" if is_open else "")
    return _with_latest(text, line.line.ids, line.latest, words)


def _with_latest(text: str, ids: Sequence[str], latest: PersonLine | None, words: Phrases) -> str:
    if latest is None:
        return with_sources(text, ids)
    how = words["reached" if latest.slot == "reached" else "latest"]
    return with_sources(f"{text.rstrip()} {how}: {_dated(latest)}", [*ids, *latest.line.ids])


def _dated(line: PersonLine) -> str:
    if line.day is None:
        return line.line.text
    day = f"[{line.day.isoformat()}]({line.path})" if line.path else line.day.isoformat()
    return f"{line.line.text} ({day})"


def ongoing_section(sheet: IndexContent, words: Phrases) -> Iterator[str]:
    if sheet.ongoing:
        yield from (f"## {words['ongoing']}", "")
        yield from (_person_line("- ", line, words) for line in sheet.ongoing[:MOST_ONGOING])
        yield ""
