"""The picture of the README shows what the commands print."""

import re
import runpy
from html import unescape
from pathlib import Path

import pytest
from tests.docs.console import ROOT, comparable

SCRIPT = ROOT / "scripts" / "picture.py"


def shown(svg: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


@pytest.mark.slow  # four commands, each a process
def test_the_picture_shows_what_the_commands_print_today() -> None:
    script = runpy.run_path(str(SCRIPT))
    lines = [line.text for line in script["played"]()]
    drawn = shown(Path(script["PICTURE"]).read_text(encoding="utf-8"))
    assert [_without_ids(line) for line in drawn] == [_without_ids(line) for line in lines], "python scripts/picture.py"


def test_the_picture_tells_the_story_in_order() -> None:
    script = runpy.run_path(str(SCRIPT))
    text = Path(script["PICTURE"]).read_text(encoding="utf-8")
    lines = shown(text)
    story = [
        next(n for n, line in enumerate(lines) if word in line)
        for word in ("Remembered", "sed -i", "STALE", "Corrected")
    ]
    assert story == sorted(story)
    assert "prefers-reduced-motion" in text
    assert len(text) < 20_000


def _without_ids(line: str) -> str:
    return re.sub(r"\b01[0-9a-z]{8}\b", "ID", comparable(line))
