"""The relations between symbols of a checkout, without a database. For the benchmarks of relations."""

import subprocess
from pathlib import Path

from waypost.code.files.reading import Unread
from waypost.code.outline import Outline
from waypost.flows.index.digest_pool import digest_files
from waypost.flows.index.file_digest import DigestJob


def read_outlines(tree: Path) -> tuple[dict[str, Outline], dict[str, str], dict[str, str]]:
    """Outlines, manifests and texts of all files that git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, capture_output=True, check=True).stdout
    paths = [path for path in listed.decode().split("\0") if path and (tree / path).is_file()]
    jobs = [DigestJob(path, (tree / path).stat().st_size, False) for path in paths]
    outlines, manifests = {}, {}
    for path, digest in digest_files(tree, jobs):
        if not isinstance(digest, Unread):
            outlines[path] = Outline.from_json(digest.facts["outline"])
            if "manifest" in digest.facts:
                manifests[path] = digest.facts["manifest"]
    return outlines, manifests, {path: (tree / path).read_text(errors="replace") for path in outlines}
