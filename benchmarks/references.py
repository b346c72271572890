"""What references to code cost, in time and on disk: `python -m benchmarks.references TREE [--work DIR] [--rounds N]`.

TREE is a git repository; it is cloned, indexed without vectors, and 5,000 of its functions get a memory that points at
them: 1,000 in 100 files, ten in each, the others elsewhere. Then files are edited and committed in the clone: a comment
at the top and a line in the middle of each. Everything runs in one process that has been in use for a moment: no start
of Python, no first load of a grammar. `--work` keeps the clone and the memory, so that a second run only measures.

Single operations are given as median, 95th percentile and worst; a round over many references as the quickest of several.
The processor's seconds stand beside, and the load of the machine: others use it too.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import apsw
from benchmarks.clock import seconds
from benchmarks.meter import cpu_seconds
from benchmarks.speed import table

from waypost import Memory, config
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links.draft_links import find_links
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.prepare import Embedded
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.model.reference import LineRange
from waypost.model.time import Moment
from waypost.refs.anchor import code_hash
from waypost.refs.links.mentions import mentions
from waypost.refs.pin import pin
from waypost.space.place import DATABASE_FILE
from waypost.store.protocol import CodeSketch

RESULTS = Path(__file__).parent / "results"
MEMORIES, CROWDED, IN_EACH = 5_000, 100, 10
SINGLE = 200  # how often a single operation is done
_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
_TABLES = ("code_refs", "code_refs_by_path", "code_refs_by_symbol", "verdicts", "verdicts_by_path")
_RUN = time.time_ns()  # content that was judged in an earlier run would not be judged again
Figures = dict[str, Any]


def git(tree: Path, *arguments: str) -> str:
    done = subprocess.run([*_GIT, *arguments], cwd=tree, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace")


# -- a memory to measure ----------------------------------------------------------------------------------


def prepare(source: Path, work: Path) -> tuple[Memory, Figures]:
    """The clone, its index, and the memories; only what is not there yet is made."""
    tree, kept = work / "tree", work / "prepared.json"
    if not tree.exists():
        git(work, "clone", "-q", "--shared", str(source), str(tree))
        git(tree, "tag", "-f", "measured")
    memory = Memory.open(tree, settings=_settings(work / "home"))
    if kept.exists():
        git(tree, "reset", "-q", "--hard", "measured")
        return memory, json.loads(kept.read_text("utf-8"))
    memory.index(wait=False)
    drafts = choose(memory)
    owing = lambda space, _: Embedded((space.engines.main.name,))  # noqa: E731  vectors play no part in this
    with mock.patch("waypost.flows.write.remember.embed_items", owing):
        receipts = memory.remember_many(drafts)
    ids = [(one.id, draft["refs"][0]) for one, draft in zip(receipts, drafts, strict=True) if one.id]
    figures = {"ids": ids, "indexed": sizes(memory), **on_disk(tree, drafts[::IN_EACH], work / "small")}
    kept.write_text(json.dumps(figures), "utf-8")
    return memory, figures


def _settings(home: Path) -> config.Settings:
    return config.load({**os.environ, "WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"})


def on_disk(tree: Path, drafts: Sequence[Mapping[str, Any]], home: Path) -> Figures:
    """What some of the memories take in a space that has nothing else, with their vectors and their first verdicts."""
    with Memory.open(tree, settings=_settings(home)) as memory:
        empty = sizes(memory)
        memory.remember_many(drafts)
        memory.code.stale()
        full = sizes(memory)
        return {"sizes": {name: full[name] - empty.get(name, 0) for name in full}, "largest": largest(memory)}


def choose(memory: Memory) -> list[dict[str, Any]]:
    """Functions of the tree, those in crowded files first."""
    space, chance, by_path = memory.space, random.Random(5), defaultdict[str, list[CodeSketch]](list)
    with space.store.read() as reader:
        numbers = [row.number for row in reader.code.derived_of_kind(space.identity.checkout_id, "symbol")]
        for one in reader.code.sketches(numbers).values():
            if one.type in ("function", "method") and "test" not in one.path:
                by_path[one.path].append(one)
        paths = sorted(by_path)
        chance.shuffle(paths)
        crowded = [path for path in paths if len(by_path[path]) >= IN_EACH][:CROWDED]
        rows = [row for path in crowded for row in chance.sample(by_path[path], IN_EACH)]
        rest = [row for path in paths if path not in set(crowded) for row in by_path[path]]
        rows += chance.sample(rest, min(MEMORIES - len(rows), len(rest)))
        versions = reader.memories.by_number([row.number for row in rows])
    return [
        {"text": " ".join(versions[row.number].text.split())[:200], "refs": [f"{row.path}#{row.name}"]} for row in rows
    ]


def database(memory: Memory) -> apsw.Connection:
    return apsw.Connection(str(memory.space.folder / DATABASE_FILE), flags=apsw.SQLITE_OPEN_READONLY)


def sizes(memory: Memory) -> dict[str, int]:
    """Bytes of pages by table and index, of the vectors beside them, and rows of the tables of references."""
    connection = database(memory)
    found = {
        str(name): int(size) for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
    }
    found["vectors"] = sum(path.stat().st_size for path in memory.space.folder.glob("vectors-*"))
    for name in ("code_refs", "verdicts"):
        found[f"rows of {name}"] = int(next(connection.execute(f"SELECT count(*) FROM {name}"))[0])
    connection.close()
    return found


def largest(memory: Memory) -> int:
    """Bytes of the longest reference with its verdict, as rows hold them."""
    columns = {
        table: " + ".join(
            f"ifnull(length(CAST({row[1]} AS BLOB)), 0)"
            for row in database(memory).execute(f"PRAGMA table_info({table})")
        )
        for table in ("code_refs", "verdicts")
    }
    return sum(
        int(
            next(
                database(memory).execute(
                    f"SELECT max({sum_}) FROM {table}{' WHERE anchor IS NOT NULL' if table == 'code_refs' else ''}"
                )
            )[0]
        )
        for table, sum_ in columns.items()
    )


# -- single operations ------------------------------------------------------------------------------------


def spread(work: Callable[[Any], Any], items: Sequence[Any]) -> Figures:
    """Milliseconds on the clock and of the processor."""
    work(items[0])  # what is loaded once
    timings = [timed(partial(work, item)) for item in items]
    found: Figures = {}
    for part in ("wall", "cpu"):
        times = sorted(one[part] * 1000 for one in timings)
        found |= {f"{part} p50": times[len(times) // 2], f"{part} p95": times[int(len(times) * 0.95)]}
        found[f"{part} worst"] = times[-1]
    return found


def blocks(memory: Memory, references: Sequence[str]) -> dict[str, Figures]:
    """The hash of a function's lines, and its anchor, in files that are read and parsed already."""
    tree = TreeNow(memory.space)
    found = []
    for reference in references:
        path, _, name = reference.rpartition("#")
        shape = tree.shape(path)
        pinned = pin(shape, None, name) if shape is not None else None
        if shape is not None and pinned is not None and pinned.lines is not None:
            found.append((shape, name, tree.lines(path)[pinned.lines.start - 1 : pinned.lines.end]))
    largest_file = max((tree.lines(path) for path, _ in _largest_files(memory, 1)), key=len)
    return {
        "hash of a function's lines": spread(lambda one: code_hash(one[2]), found),
        f"hash of {len(largest_file):,} lines": spread(code_hash, [largest_file] * 20),
        "anchor of a function": spread(lambda one: pin(one[0], None, one[1]), found),
        "anchor of 100 lines": spread(lambda one: pin(one[0], LineRange(1, 100), None), found),
    }


def _largest_files(memory: Memory, count: int) -> list[tuple[str, int]]:
    space = memory.space
    with space.store.read() as reader:
        rows = reader.code.files(space.identity.checkout_id)
    python = [(path, row.size) for path, row in rows.items() if path.endswith(".py")]
    return sorted(python, key=lambda one: -one[1])[:count]


def texts(memory: Memory, messages: Sequence[str]) -> dict[str, Figures]:
    space = memory.space
    long = "\n\n".join(messages)[:10_000]
    return {
        "symbols of a text": spread(mentions, messages),
        "symbols of 10,000 letters": spread(mentions, [long] * 20),
        "symbols of a text, found in the index": spread(lambda one: find_links(space, one), messages),
        "symbols of 10,000 letters, found in the index": spread(lambda one: find_links(space, one), [long] * 10),
    }


def lookups(memory: Memory, references: Sequence[str]) -> dict[str, Figures]:
    space = memory.space
    names = [reference.rpartition("#")[2].rpartition(".")[2] for reference in references]
    places = [reference.rpartition("#")[0] for reference in references]
    return {
        "symbol in the index": spread(lambda name: _look_up(space, name), names),
        "memories about a line": spread(lambda path: memory.code.about(path, 20), places),
    }


def _look_up(space: OpenSpace, name: str) -> object:
    view = View(Moment(space.clock()), CODE_COLLECTIONS, space.identity.checkout_id)
    with space.store.read() as reader:
        return reader.code.sketches(reader.code.symbols_named([name], 50, view))


def single(memory: Memory, ids: Sequence[tuple[str, str]], tree: Path) -> dict[str, Figures]:
    """One memory after another, each of another file: unchanged, then with its file changed, then with it gone."""
    by_path = {reference.rpartition("#")[0]: (memory_id, reference) for memory_id, reference in ids}
    chosen = random.Random(7).sample(sorted(by_path), min(SINGLE, len(by_path)))
    show = lambda path: memory.show(by_path[path][0])  # noqa: E731
    found = {"a memory whose file is as it was": spread(show, chosen)}
    for path in chosen:
        edit(tree / path, f"changed_{_RUN}")
    found["a memory whose file has changed"] = spread(show, chosen)
    found["the same, asked again"] = spread(show, chosen)
    for path in chosen[:20]:
        (tree / path).unlink()
    found["a memory whose file is gone"] = spread(show, chosen[:20])
    git(tree, "checkout", "-q", "-f", ".")
    return found


def edit(path: Path, word: str) -> None:
    """Another line at the beginning, which shifts everything, and one in the middle, where the file stays correct."""
    lines = [f"# {word}", *path.read_text("utf-8").split("\n")]
    for middle in range(len(lines) // 2, len(lines)):
        line = lines[middle]
        if path.suffix == ".py" and line.startswith("    ") and line.endswith(")"):
            indent = line[: len(line) - len(line.lstrip())]
            changed = "\n".join([*lines[: middle + 1], f"{indent}{word} = {len(lines)}", *lines[middle + 1 :]])
            if _is_correct(changed):
                path.write_text(changed, "utf-8")
                return
    path.write_text("\n".join(lines), "utf-8")


def _is_correct(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


# -- many at once -----------------------------------------------------------------------------------------


def many(memory: Memory, ids: Sequence[tuple[str, str]], tree: Path, rounds: int) -> dict[str, Figures]:
    """After commits, each to a hundred files: those that are pointed at most, and others as they come."""
    pointed = Counter(reference.rpartition("#")[0] for _, reference in ids)
    crowded = sorted({reference.rpartition("#")[0] for _, reference in ids[: CROWDED * IN_EACH]})
    drawn = random.Random(11).sample(sorted(pointed), min(CROWDED, len(pointed)))
    found: dict[str, list[Figures]] = defaultdict(list)
    for number in range(rounds):
        for label, paths in (("crowded", crowded), ("drawn", drawn)):
            for path in paths:
                edit(tree / path, f"{label}_{number}_{_RUN}")
            git(tree, "commit", "-qam", f"{label} {number}")
            kilobytes = sum((tree / path).stat().st_size for path in paths) / len(paths) / 1000
            touched = sum(pointed[path] for path in paths)
            what = f"{touched:,} references in {len(paths)} changed files of {kilobytes:.0f} kB"
            found[what].append(timed(partial(memory.code.stale, paths)))
        found[f"{len(ids):,} references, nothing changed"].append(timed(memory.code.stale))
    git(tree, "reset", "-q", "--hard", "measured")
    return {what: min(some, key=lambda one: float(one["wall"])) for what, some in found.items()}


def timed(work: Callable[[], Any]) -> Figures:
    busy = cpu_seconds()
    wall = seconds(work)
    return {"wall": wall, "cpu": cpu_seconds() - busy}


# -- report -----------------------------------------------------------------------------------------------


def report(figures: Figures) -> str:
    one = [
        [name, *(f"{row[f'{clock} {part}']:.2f}" for clock in ("wall", "cpu") for part in ("p50", "p95", "worst"))]
        for name, row in figures["single"].items()
    ]
    bulk = [[name, f"{row['wall']:.2f}", f"{row['cpu']:.2f}"] for name, row in figures["many"].items()]
    size = figures["sizes"]
    rows, own = size["rows of code_refs"], sum(size.get(name, 0) for name in _TABLES)
    whole = _bytes(size)
    parts = [[name, f"{size.get(name, 0) / rows:.0f}"] for name in _TABLES]
    parts += [["together", f"{own / rows:.0f}"], ["longest row with its verdict", str(figures["largest"])]]
    parts += [
        ["the whole memory, with text, keywords and vectors", f"{whole / rows:.0f}"],
        ["share of it", f"{own / whole:.1%}"],
        [
            f"share of the space with the index of the tree and {figures['memories']:,} memories, without vectors",
            f"{own / rows * figures['memories'] / _bytes(figures['indexed']):.1%}",
        ],
    ]
    loads = " ".join(f"{load:.1f}" for load in figures["load"])
    return "\n".join(
        (
            f"Load of the machine before and after: {loads}, processors: {os.cpu_count()}.\n",
            table(["milliseconds", "median", "95 %", "worst", "processor: median", "95 %", "worst"], one),
            table(["seconds", "quickest", "processor"], bulk),
            table([f"bytes a reference ({rows:,})", ""], parts),
        )
    )


def _bytes(size: Mapping[str, int]) -> int:
    return sum(value for name, value in size.items() if not name.startswith("rows of"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="a git repository")
    parser.add_argument("--work", type=Path, help="keep the clone and the memory here")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    os.environ["WAYPOST_BACKGROUND"] = "0"
    with tempfile.TemporaryDirectory(prefix="waypost-references-") as folder:
        work = chosen.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        load = [os.getloadavg()[0]]
        memory, made = prepare(chosen.tree.absolute(), work.absolute())
        ids, tree = made["ids"], work.absolute() / "tree"
        references = [reference for _, reference in random.Random(3).sample(ids, min(SINGLE, len(ids)))]
        messages = [one.strip() for one in git(tree, "log", "-n400", "--no-merges", "--format=%B%x1e").split("\x1e")]
        messages = [one for one in messages if one]
        memory.code.stale()
        figures: Figures = {name: made[name] for name in ("sizes", "largest", "indexed")} | {"memories": len(ids)}
        figures["single"] = {
            **blocks(memory, references),
            **texts(memory, messages),
            **lookups(memory, references),
            **single(memory, ids, tree),
        }
        figures["many"] = many(memory, ids, tree, chosen.rounds)
        figures["load"] = [*load, os.getloadavg()[0]]
        memory.close()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "references.json").write_text(json.dumps(figures, indent=1), "utf-8")
    print(report(figures))


if __name__ == "__main__":
    main()
