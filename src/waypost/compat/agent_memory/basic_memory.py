"""basic-memory: Markdown files with observations `- [category] text #tag (context)` and relations `- type [[Target]]`."""

import re
from collections.abc import Iterator
from pathlib import Path

from waypost.compat.agent_memory.markdown import blocks, read_markdown
from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes, files_below, tag_text, tags_of, time_text
from waypost.errors import InvalidInput

_OBSERVATION = re.compile(r"\[([^\[\]()\n]{1,60})\][ \t]+(\S.*)", re.DOTALL)
_RELATION = re.compile(
    r"(\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|[^\s\[\]]{1,80})?[ \t]*\[\[([^\[\]\n]{1,300})\]\](.*)", re.DOTALL
)
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,60})[ \t]?")
_KINDS = {"decision": "decision", "fix": "fix", "bug": "fix", "lesson": "learning", "learning": "learning"}


def read_basic_memory(path: Path) -> ForeignNotes:
    """The notes of a project folder, or of one file."""
    result = ForeignNotes()
    if not path.is_dir():
        result.notes += _notes(path, path.name)
        return result
    files = list(files_below(path, ".md", result.skipped))
    if not files:
        raise InvalidInput(f"{path} has no Markdown files.", "Name the project folder of basic-memory.")
    for file in files:
        name = file.relative_to(path).as_posix()
        try:
            notes = list(_notes(file, name))
        except InvalidInput as error:
            result.skipped.append(f"{name}: {error.what}")
            continue
        result.notes += notes
        if not notes:
            result.skipped.append(f"{name}: it has no text")
    return result


def _notes(file: Path, name: str) -> Iterator[ForeignNote]:
    front, text = read_markdown(file)
    title = tag_text(front.get("title")) or file.stem
    time = time_text(front.get("created"), front.get("modified"))
    own = tag_text(front.get("tags"))
    for block in blocks(text):
        tags = ", ".join(dict.fromkeys([*_TAG.findall(block.text), *filter(None, [own])]))
        observation = _OBSERVATION.fullmatch(block.text) if block.is_item else None
        relation = _RELATION.fullmatch(block.text) if block.is_item else None
        kind, category, content = "fact", "", block.in_context(title)
        if relation:
            verb = (relation[1] or "links to").strip("\"'").replace("_", " ")
            content = f"{title} {verb} {relation[2]}{relation[3]}"
        elif observation:
            category = observation[1].strip()
            kind = _KINDS.get(category.casefold(), "fact")
            content = f"{title}: {_TAG.sub('', observation[2]).strip()}"
        yield ForeignNote(
            content,
            tag_text(front.get("permalink")) or name,
            kind,
            time=time,
            tags=tags_of(category=category, tags=tags),
        )
