"""Adds the pages outside `docs/` that the site links to, and leads the links there. A hook of MkDocs."""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OUTSIDE = ("benchmarks/*.md", "benchmarks/images/*", "benchmarks/*/*.md", "plugin/*.md", "*.md")
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)]*)?\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            uri = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, uri.replace("README", "about"), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """In the repository the pages are in `docs/`, on the site they are at its root."""
    source = Path(page.file.abs_src_path or page.file.src_uri)
    here = source.relative_to(ROOT).parent.as_posix() if source.is_absolute() else "docs"
    on_site = posixpath.dirname(page.file.src_uri)

    def lead(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(here, link[2]))
        uri = path.removeprefix("docs/") if path.startswith("docs/") else path.replace("README", "about")
        target = posixpath.relpath(uri, on_site or ".")
        return f"{link[1]}{target}{link[3]}" if files.get_file_from_path(uri) else link[0]

    return LINK.sub(lead, markdown)
