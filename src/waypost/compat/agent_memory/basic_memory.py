"""basic-memory: Markdown files with observations `- [category] text #tag (context)` and relations `- type [[Target]]`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.compat.agent_memory.markdown import blocks, split_front, with_headings
from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes, read_text, time_text
from waypost.errors import InvalidInput

_MOST_FILES = 20_000
_OBSERVATION = re.compile(r"\[(?P<category>[^\[\]()]{1,60})\][ \t]+(?P<text>.+)", re.DOTALL)
_RELATION = re.compile(r"(?P<kind>[^\[\]]{1,80}?)[ \t]*\[\[(?P<target>[^\[\]]{1,300})\]\]")
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,60})")
_KINDS = {"decision": "decision", "fix": "fix", "bug": "fix", "lesson": "learning", "learning": "learning"}


def read_basic_memory(path: Path) -> ForeignNotes:
    """The notes of a folder, or of one file."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*.md") if file.is_file())[:_MOST_FILES]
    if not files:
        raise InvalidInput(f"{path} has no Markdown files.", "Name the project folder of basic-memory.")
    result = ForeignNotes()
    base = path.parent if path.is_file() else path
    for file in files:
        name = file.relative_to(base).as_posix()
        try:
            result.notes += _notes(file, name)
        except InvalidInput as error:
            result.skipped.append(f"{name}: {error.what}")
    return result


def _notes(file: Path, name: str) -> Iterator[ForeignNote]:
    front, text = split_front(read_text(file))
    title = str(front.get("title") or file.stem)[:200]
    time = time_text(str(front.get("created") or front.get("modified") or ""))
    link = str(front.get("permalink") or name)[:200]
    for block in blocks(text):
        observation = _OBSERVATION.fullmatch(block.text) if block.is_item else None
        relation = _RELATION.fullmatch(block.text) if block.is_item else None
        if relation:
            said, kind, tags = f"{title} {relation['kind'].strip()} {relation['target']}", "fact", {}
        elif observation:
            said = f"{title}: {_TAG.sub('', observation['text']).strip()}"
            kind, tags = _KINDS.get(observation["category"].casefold(), "fact"), _tags(observation, front)
        else:
            said, kind, tags = with_headings(block, title), "fact", {}
        if said.strip(" :") != title:
            yield ForeignNote(said, link, kind, time=time, tags=tags)


def _tags(observation: re.Match[str], front: dict[str, Any]) -> dict[str, str]:
    own = front.get("tags") or []
    names = [*_TAG.findall(observation["text"]), *(map(str, own) if isinstance(own, list) else [str(own)])]
    return {"category": observation["category"]} | ({"tags": ", ".join(dict.fromkeys(names))[:200]} if names else {})
