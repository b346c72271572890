"""Rules that agents read: CLAUDE.md, AGENTS.md, Cursor rules and others; and the memory folder of Claude Code."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from waypost.compat.agent_memory.markdown import blocks, split_front, with_headings
from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes, read_text
from waypost.errors import InvalidInput

RULE_FILES = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules",
    ".github/copilot-instructions.md",
)  # fmt: skip
RULE_FOLDERS = {".claude/rules": "*.md", ".cursor/rules": "*.mdc"}
_MOST_FILES = 500
_INCLUDED = re.compile(r"(?:[-*+][ \t]+)?@[\w~./-]+")  # a line that reads another file
_POINTER = re.compile(r"\[[^\]]+\]\([^)]+\.md\)")  # of an index to a file that is read itself
_SHORTEST = 3  # words that say something


def read_rules(path: Path) -> ForeignNotes:
    """The rules of a project folder, or of one file."""
    if path.is_file():
        return _read([path], path.parent)
    files = [path / name for name in RULE_FILES if (path / name).is_file()]
    for folder, pattern in RULE_FOLDERS.items():
        files += sorted(file for file in (path / folder).rglob(pattern) if file.is_file())[:_MOST_FILES]
    if not files:
        raise InvalidInput(f"{path} has no rule files.", f"Waypost looks for {', '.join(RULE_FILES)} and Cursor rules.")
    return _read(files, path)


def read_claude_code(path: Path, root: Path | None) -> ForeignNotes:
    """The memory folder of Claude Code. `path` is that folder, or `~/.claude`, which has one for each project."""
    folder: Path | None = path
    if (path / "projects").is_dir():
        names = _project_names(root) if root is not None else []
        folder = next(
            (path / "projects" / name / "memory" for name in names if (path / "projects" / name).is_dir()), path
        )
    files = (
        sorted(folder.glob("*.md"))[:_MOST_FILES]
        if (folder.is_dir() and folder != path) or folder.name == "memory"
        else []
    )
    if not files:
        raise InvalidInput(f"{path} has no memory of this project.", "Name its folder: ~/.claude/projects/NAME/memory.")
    return _read(files, folder)


def _project_names(root: Path) -> list[str]:
    """How Claude Code names the folder of a project: its path with other characters as hyphens."""
    return [re.sub(r"[^A-Za-z0-9]", "-", str(root)), re.sub(r"[/\\:.]", "-", str(root))]


def _read(files: Iterable[Path], base: Path) -> ForeignNotes:
    result = ForeignNotes()
    for file in files:
        name = file.relative_to(base).as_posix()
        try:
            result.notes += _notes(file, name, result.skipped)
        except InvalidInput as error:
            result.skipped.append(f"{name}: {error.what}")
    return result


def _notes(file: Path, name: str, skipped: list[str]) -> Iterator[ForeignNote]:
    front, text = split_front(read_text(file))
    title = str(front.get("description") or front.get("name") or "")[:200]
    tags = {"file": name} | ({"globs": _joined(front["globs"])[:200]} if front.get("globs") else {})
    for block in blocks(text):
        if _INCLUDED.fullmatch(block.text) or _INCLUDED.fullmatch(block.text.splitlines()[0]):
            skipped.append(f"{name}: {block.text[:80]!r} reads another file; import that file too")
        elif _POINTER.match(block.text):
            skipped.append(f"{name}: {block.text[:80]!r} only points at a file, which is read itself")
        elif len(block.text.split()) < _SHORTEST:
            skipped.append(f"{name}: {block.text[:80]!r} is too short to say something")
        else:
            origin = " › ".join((name, *block.headings[-1:]))
            yield ForeignNote(with_headings(block, title), origin, tags=tags)


def _joined(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
