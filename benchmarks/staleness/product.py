"""Waypost in the evaluation: as a library in a tree on disk, with and without git; and its method alone."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from benchmarks.staleness.baselines import Case, Files
from benchmarks.staleness.scores import CHANGED, FRESH, GONE, MOVED, Answer
from tests.refs.other_shapes import OtherShapes

from waypost import Memory, config
from waypost.code.files.languages import language_of_path
from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.model import code_verdict
from waypost.model.code_verdict import CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import pin

STATUS = {
    code_verdict.UNCHANGED: FRESH,
    code_verdict.MOVED: MOVED,
    code_verdict.CHANGED: CHANGED,
    code_verdict.DELETED: GONE,
}  # what is ambiguous or unchecked counts as flagged, and as wrong


def answer(found: CodeVerdict) -> Answer:
    return Answer(STATUS.get(found.state, found.state), found.path, found.lines.start if found.lines else None)


class Product:
    """A memory for each case in a tree; the tree is written over, and the memories are looked at again."""

    def __init__(self, *, git: bool = False, again: bool = False) -> None:
        """`git`: both trees are commits. `again`: the tree is indexed once more before the memories are looked at."""
        self._git, self._again = git, again

    def answers(self, before: Files, after: Files, cases: Iterable[Case]) -> dict[str, Answer]:
        rows = list(cases)
        with tempfile.TemporaryDirectory(prefix="waypost-stale-") as folder:
            home, tree = Path(folder, "home"), Path(folder, "tree")
            settings = config.load({**os.environ, "WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"})
            self._write(tree, before)
            with Memory.open(tree, settings=replace(settings, models=(Path(folder),))) as memory:  # without vectors
                memory.index(wait=False)
                drafts = [{"text": f"About {row['id']}", "key": row["id"], "refs": [_place(row)]} for row in rows]
                ids = [receipt.id for receipt in memory.remember_many(drafts)]
                self._write(tree, after)
                if self._again:
                    memory.index(wait=False)
                memory.code.stale(check=True)
                out = {}
                for row, memory_id in zip(rows, ids, strict=True):
                    assert memory_id is not None
                    out[row["id"]] = answer(memory.show(memory_id).links[0].finding)
                return out

    def _write(self, tree: Path, files: Files) -> None:
        tree.mkdir(exist_ok=True)
        for child in tree.iterdir():
            if child.name != ".git" and child.is_dir():
                shutil.rmtree(child)
            elif child.name != ".git":
                child.unlink()
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(text.encode())
        if self._git:
            for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "--no-verify", "-m", "State")):
                who = ("-c", "user.name=Case", "-c", "user.email=case@example.org", "-c", "core.autocrlf=false")
                subprocess.run(["git", "-C", str(tree), *who, *command], check=True)


class Pure:
    """The method on shapes in memory: everything that changed is looked through."""

    def answers(self, before: Files, after: Files, cases: Iterable[Case]) -> dict[str, Answer]:
        changed = [path for path, text in after.items() if before.get(path) != text]
        rows = list(cases)
        now = [_shape(path, after[path]) for path in {*changed, *(row["path"] for row in rows)} if path in after]
        by_path = {shape.path: shape for shape in now}
        out = {}
        for row in rows:
            was = _shape(row["path"], before[row["path"]])
            pinned = pin(was, LineRange(row["start"], row["end"]), None)
            if pinned is None:
                out[row["id"]] = Answer(code_verdict.UNCHECKED)
                continue
            elsewhere = OtherShapes(was, now, changed)
            place = FollowedPlace(row["path"], pinned.lines)
            out[row["id"]] = answer(follow(pinned.anchor, place, by_path.get(row["path"]), elsewhere))
        return out


def _place(row: Case) -> str:
    return f"{row['path']}#L{row['start']}-L{row['end']}"


@cache
def _shape(path: str, text: str) -> FileShape:
    source = SourceFile(path, language_of_path(path), text)
    return shape_of(source, parse(source))
