"""Writes `docs/llms.txt`, the list of pages for language models: `python scripts/llms.py`."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "llms.txt"
FOLDERS = {"tutorials": "Tutorials", "how-to": "Guides", "reference": "Reference", "explanation": "Explanation"}


def listing() -> str:
    title, summary = _head(ROOT / "docs" / "index.md")
    sections = [
        f"## {heading}\n\n" + "".join(_line(path) for path in sorted((ROOT / "docs" / folder).glob("*.md")))
        for folder, heading in FOLDERS.items()
    ]
    return f"# {title}\n\n> {summary}\n\n" + "\n".join(sections)


def _line(path: Path) -> str:
    title, summary = _head(path)
    return f"- [{title}]({path.relative_to(ROOT / 'docs').as_posix()}): {summary}".rstrip(": ") + "\n"


def _head(path: Path) -> tuple[str, str]:
    """The title of a page and the first sentence of its text."""
    title, _, rest = path.read_text(encoding="utf-8").partition("\n")
    text = re.sub(r"(?ms)^(?:```.*?^```|#[^\n]*)$", "", rest).strip().partition("\n\n")[0]
    sentence = "" if text.startswith("|") else re.split(r"(?<=[.!?])\s", " ".join(text.split()))[0]
    return title.removeprefix("# "), re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", sentence)


if __name__ == "__main__":
    TARGET.write_text(listing(), encoding="utf-8")
