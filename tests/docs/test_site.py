"""The site and the list for language models have every page."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_navigation_has_every_page_once() -> None:
    named = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))


def test_the_list_for_language_models_is_current() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "llms.py"))
    assert script["TARGET"].read_text(encoding="utf-8") == script["listing"](), "python scripts/llms.py"


def test_the_first_page_leads_to_every_page_for_users() -> None:
    first = (ROOT / "docs" / "index.md").read_text()
    for folder in ("tutorials", "how-to", "reference", "explanation"):
        for path in (ROOT / "docs" / folder).glob("*.md"):
            assert f"]({folder}/{path.name})" in first
