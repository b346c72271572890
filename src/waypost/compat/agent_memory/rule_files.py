"""Rules that agents read (CLAUDE.md, AGENTS.md, Cursor rules and others), and the memory folder of Claude Code."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from waypost.compat.agent_memory.markdown import blocks, read_markdown
from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes, files_below, tag_text, tags_of
from waypost.errors import InvalidInput

RULE_FILES = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules",
    ".github/copilot-instructions.md",
)  # fmt: skip
_RULE_FOLDERS = {".claude/rules": ".md", ".cursor/rules": ".mdc"}
_INDEX = "MEMORY.md"  # of Claude Code: one line for each of the other files
_INCLUDED = re.compile(r"@[\w~./-]+")  # a line that reads another file
_POINTER = re.compile(r"\[[^\]\n]{1,200}\]\([^)\n]{1,300}\.md\)")
_FEWEST_WORDS = 2  # "Use tabs."
_NO_TOPIC = {  # words of headings that say only what the file is: "Agents", "Rules for this repository"
    "a", "ai", "agent", "agents", "agents.md", "and", "assistant", "assistants", "claude", "claude.md", "code",
    "codex", "coding", "copilot", "cursor", "for", "gemini", "gemini.md", "general", "guidance", "guide",
    "guidelines", "guideline", "in", "instruction", "instructions", "note", "notes", "of", "project", "repo",
    "repository", "rule", "rules", "the", "this", "to", "with", "working", "allgemein", "allgemeine", "anweisungen",
    "das", "dieses", "für", "hinweise", "projekt", "regeln", "агентов", "агенты", "для", "инструкции", "общие",
    "правила", "проекта",
}  # fmt: skip
_LONGEST_MEMORY = 8_000  # characters; a longer file is split
_MEMORY_KINDS = {"feedback": "constraint"}


def is_rule_file(path: Path) -> bool:
    """Whether a file has the name of rules, or the path is a folder of them."""
    place = path.as_posix()
    names = (name for name in RULE_FILES if not name.startswith(".claude/"))
    return any(place == name or place.endswith(f"/{name}") for name in names) or any(
        f"/{folder}/" in f"/{place}/" and (path.is_dir() or path.suffix == suffix)
        for folder, suffix in _RULE_FOLDERS.items()
    )


def read_rules(path: Path) -> ForeignNotes:
    """The rules of a project folder, or of one file."""
    result = ForeignNotes()
    if not path.is_dir():
        result.notes += _rules(path, path.name, result.skipped)
        return result
    files = [path / name for name in RULE_FILES if (path / name).is_file()]
    for folder, suffix in _RULE_FOLDERS.items():
        files += files_below(path / folder, suffix, result.skipped)
    if not files:
        raise InvalidInput(f"{path} has no rule files.", f"Waypost looks for {', '.join(RULE_FILES)} and Cursor rules.")
    for file in _own_files(files, path, result.skipped):
        name = file.relative_to(path.resolve()).as_posix()
        try:
            result.notes += _rules(file, name, result.skipped)
        except InvalidInput as error:
            result.skipped.append(f"{name}: {error.what}")
    return result


def _own_files(files: Iterable[Path], folder: Path, skipped: list[str]) -> Iterator[Path]:
    """Each file once, with links followed as long as they stay in the folder: CLAUDE.md is often a link to AGENTS.md."""
    root, read = folder.resolve(), set()
    for file in files:
        target = file.resolve()
        if not target.is_relative_to(root):
            skipped.append(f"{file.relative_to(folder).as_posix()}: it is a link to a file outside this folder")
        elif target not in read:
            read.add(target)
            yield target


def _rules(file: Path, name: str, skipped: list[str]) -> Iterator[ForeignNote]:
    front, text = read_markdown(file)
    title, tags = tag_text(front.get("description")), tags_of(file=name, globs=front.get("globs"))
    for block in blocks(text):
        start = " ".join(block.text[:80].split())
        if _INCLUDED.fullmatch(block.text):
            skipped.append(f"{name}: {start!r} reads another file; import that file too")
        elif len(block.text.split()) < _FEWEST_WORDS:
            skipped.append(f"{name}: {start!r} is too short to mean something alone")
        else:
            about = replace(block, headings=tuple("" if _has_no_topic(each) else each for each in block.headings))
            yield ForeignNote(about.in_context(title), " > ".join((name, *block.headings[-1:])), tags=tags)


def _has_no_topic(heading: str) -> bool:
    return _NO_TOPIC.issuperset(re.findall(r"[\w.]+", heading.casefold()))


def read_claude_code(path: Path, root: Path | None) -> ForeignNotes:
    """The memory folder of Claude Code. `path` is that folder, or `~/.claude`, which has one for each project."""
    folder = path
    if (path / "projects").is_dir():
        if root is None:
            raise InvalidInput("This memory belongs to no folder.", "Name ~/.claude/projects/NAME/memory.")
        folder = path / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root)) / "memory"  # as Claude Code names it
    result = ForeignNotes()
    files = list(files_below(folder, ".md", result.skipped)) if folder.is_dir() else []
    if not files:
        raise InvalidInput(f"{folder} has no memory files.", "Name the folder: ~/.claude/projects/NAME/memory.")
    for file in _own_files(files, folder, result.skipped):
        name = file.relative_to(folder.resolve()).as_posix()
        try:
            result.notes += _claude_notes(file, name, result.skipped)
        except InvalidInput as error:
            result.skipped.append(f"{name}: {error.what}")
    return result


def _claude_notes(file: Path, name: str, skipped: list[str]) -> Iterator[ForeignNote]:
    front, text = read_markdown(file)
    title, more = tag_text(front.get("description")) or tag_text(front.get("name")), front.get("metadata")
    sort = tag_text(front.get("type") or (more.get("type") if isinstance(more, dict) else None))
    tags = tags_of(file=name, type=sort)
    kind = _MEMORY_KINDS.get(sort, "fact")
    if sort and text.strip() and len(text) <= _LONGEST_MEMORY:  # one memory, often with reasons below it
        yield ForeignNote(f"{title}\n{text.strip()}" if title else text.strip(), name, kind, tags=tags)
        return
    for block in blocks(text):
        if name == _INDEX and _POINTER.match(block.text):
            skipped.append(f"{name}: {' '.join(block.text[:80].split())!r} only points at a file that is read itself")
        else:
            yield ForeignNote(block.in_context(title), " > ".join((name, *block.headings[-1:])), kind, tags=tags)
