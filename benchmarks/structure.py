"""Structural questions of LongMemCode, answered by Waypost's commands.

    python -m benchmarks.structure EVALUATION CORPUS [library|mcp|cli] [--wrong]

`EVALUATION` is a folder with the scenarios, the table of ids and the scorer (`ids.py`, `graph.py`, `run.py`, `data/`).
The corpus must be indexed in the data directory (`WAYPOST_HOME`), from the checkout `$STRUCTURE_TREES/CORPUS`. `--wrong` prints wrong answers.
Ids of the benchmark are translated by its own table; every answer comes from `symbols`, `uses` or `unused`: of the library,
of an MCP server with its default tools and an in-memory client, or of the command line with `--json`. For the command line, one
process runs its `run` function for each command, with the same arguments and output as `waypost` has.
"""

import asyncio
import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

MOST = 10_000


def main() -> None:
    evaluation, corpus = Path(sys.argv[1]), sys.argv[2]
    tree = f"{os.environ['STRUCTURE_TREES']}/{corpus}"
    home = os.environ["WAYPOST_HOME"]
    sys.path.insert(0, str(evaluation))
    import graph as tables  # type: ignore[import-not-found]
    from scorer import aggregate, percentile  # type: ignore[import-not-found]
    from universe import universe  # type: ignore[import-not-found]

    from run import run, set_quality, table  # type: ignore[import-not-found]

    tables.Graph._outlines = lambda _: None  # only its table of ids is needed
    ids = tables.Graph(tables.find_space(home, tree), corpus).translate(universe(corpus)[0])
    faces = {"mcp": McpCommands, "cli": TerminalCommands}
    face = next((name for name in sys.argv[3:] if name in faces), "library")
    answers = faces.get(face, Commands)(tree, ids)
    rows, fair_rows, kept = run(corpus, answers.answer)
    every, mappable = aggregate(rows), aggregate(fair_rows)
    print(
        f"{corpus}, {face}: weighted {100 * every['weighted']:.1f}, mappable ids only {100 * mappable['weighted']:.1f}"
    )
    print("  all     ", table(every))
    print("  mappable", table(mappable))
    for question, cell in set_quality(corpus, kept).items():
        print(
            f"  vs whole answer: {question}: precision {cell['precision']}, recall {cell['recall']} of {cell['wanted']}"
        )
    if "--wrong" in sys.argv:
        wrong = {row["id"] for row in fair_rows if row["score"] < 1}
        for row in kept:
            if row["id"] in wrong:
                print(f"  wrong: {row['op']} {row['query']}: wants {row['expected']}, has {row['returned'][:8]}")
    for name, seconds in answers.took.items():
        shares = ", ".join(f"p{round(100 * share)} {1000 * percentile(seconds, share):.2f}" for share in (0.5, 0.99))
        print(f"  {name}: {len(seconds)} calls, {shares} ms")


class Commands:
    """Answers questions of the benchmark by Waypost's library."""

    def __init__(self, tree: str, ids: Any) -> None:
        self.ids, self.tree = ids, tree
        self.start()
        self.took: dict[str, list[float]] = {}

    def start(self) -> None:
        from waypost import Memory

        self.memory = Memory.open(self.tree)

    def ask(self, name: str, arguments: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = getattr(self.memory.code, name)(*arguments, limit=MOST, **options).to_json()
        return answer

    def call(self, name: str, *arguments: str, **options: Any) -> dict[str, Any]:
        started = time.perf_counter()
        answer = self.ask(name, arguments, options)
        self.took.setdefault(name, []).append(time.perf_counter() - started)
        return answer

    def answer(self, query: dict[str, Any]) -> list[str]:
        match query["op"]:
            case "lookup" if not query.get("bare_name"):
                return [query["name"]] if self.symbols(query["name"]) else []
            case "lookup":
                return self.named([self.call("symbols", query["name"])["found"]])
            case "orphans":
                return self.named([self.call("unused")["rows"]])
            case "file_symbols":
                path = self.ids.corpus.path(query["file_path"])
                return self.named([self.call("symbols", path=path)["found"], self.file(path)])
        rows: list[list[dict[str, Any]]] = []
        for symbol in self.symbols(query["sym_stable_id"]):
            rows += self.related(symbol, query["op"])
        return self.named(rows)

    def related(self, symbol: dict[str, Any], question: str) -> list[list[dict[str, Any]]]:
        match question:
            case "contained_by":
                return [self.call("symbols", symbol["id"], members=True)["found"]]
            case "callers" if symbol["kind"] == "file":  # there: what the file defines, and who uses any of it
                outline = self.call("symbols", path=symbol["path"])["found"]
                importers = [self.call("uses", row["id"], "importers")["rows"] for row in (symbol, *outline)]
                return [[symbol], outline, *importers]
            case "callers":  # there: every use, and what contains it
                path, outer = symbol["path"], symbol["parent"]
                parents = self.call("symbols", f"{path}#{outer}")["found"] if outer else self.file(path)
                return [self.call("uses", symbol["id"], "references")["rows"], parents[:1]]
            case _:
                return [self.call("uses", symbol["id"], question)["rows"]]

    def symbols(self, ident: str) -> list[dict[str, Any]]:
        """What an id of the benchmark stands for, looked up by path and name."""
        try:
            places, _ = self.ids.find(ident)
        except (IndexError, KeyError, ValueError):
            return []
        found = []
        for place in places:
            is_file = place.kind == "file"
            rows = (
                self.file(place.path) if is_file else self.call("symbols", f"{place.path}#{place.qualified}")["found"]
            )
            found += [row for row in rows if row["id"] == place.id]
        return found

    def file(self, path: str) -> list[dict[str, Any]]:
        return [row for row in self.call("symbols", path)["found"] if row["kind"] == "file"]

    def named(self, rows: list[list[dict[str, Any]]]) -> list[str]:
        """The benchmark's ids of these rows."""
        by_id = self.ids.by_id
        named: list[str] = self.ids.ids([by_id[row["id"]] for part in rows for row in part if row["id"] in by_id])
        return named


class McpCommands(Commands):
    """Answers by the default tools of an MCP server. They have no `unused`."""

    def start(self) -> None:
        from mcp import Client

        from waypost.faces.mcp.compat import tools_of
        from waypost.faces.mcp.server import build_server
        from waypost.faces.mcp.session import ServedProject

        server = build_server(tools_of("default", structured=True), ServedProject(Path(self.tree)))
        self.loop = asyncio.new_event_loop()
        self.client = self.loop.run_until_complete(Client(server, mode="legacy").__aenter__())

    def ask(self, name: str, arguments: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
        if name == "unused":
            return {"rows": []}
        named = dict(zip(("name",) if name == "symbols" else ("symbol", "direction"), arguments, strict=False))
        asked = self.client.call_tool(name, {**named, **options, "limit": MOST})
        return self.loop.run_until_complete(asked).structured_content or {}


class TerminalCommands(Commands):
    """Answers by the command line."""

    def start(self) -> None:
        os.chdir(self.tree)

    def file(self, path: str) -> list[dict[str, Any]]:
        """`symbols FILE` prints the outline of a file there."""
        symbol = self.call("uses", path)["symbol"]
        return [symbol] if symbol is not None and symbol["kind"] == "file" else []

    def ask(self, name: str, arguments: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
        from waypost.faces.cli.entry import run

        first, *direction = arguments or ("",)
        words = [name, *([first] if first else []), *(("--direction", *direction) if direction else ())]
        for option, value in options.items():
            words += [f"--{option}"] if value is True else [f"--{option}", value]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            run([*words, "--limit", str(MOST), "--json"])
        answer: dict[str, Any] = json.loads(printed.getvalue())
        return answer


if __name__ == "__main__":
    main()
