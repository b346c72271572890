"""Whether the command line and MCP answer questions about structure as the library does.

    python -m benchmarks.structure_faces TREE [COUNT]

Asks about COUNT random symbols of the checkout TREE, which must be indexed in the data directory (`WAYPOST_HOME`).
"""

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp import Client

from waypost import Memory
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject

SEED, MOST = 23, 5000
COMMAND = Path(sys.executable).with_name("waypost")


def main() -> None:
    tree, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30
    with Memory.open(tree) as memory:
        every = memory.code.symbols(path=".", limit=MOST).symbols
        chosen = random.Random(SEED).sample(every, min(count, len(every)))
        asked = [
            (name, arguments)
            for symbol in chosen
            for name, arguments in (
                ("symbols", {"name": symbol.id}),
                *(
                    ("uses", {"symbol": symbol.id, "direction": direction})
                    for direction in ("callers", "callees", "references", "implementors")
                ),
            )
        ]
        library = [_library(memory, name, arguments) for name, arguments in asked]
    command = [_command(tree, name, arguments) for name, arguments in asked]
    served = asyncio.run(_served(tree, asked))
    for face, answers in (("command line", command), ("MCP", served)):
        same = sum(_rows(answer) == _rows(own) for answer, own in zip(answers, library, strict=True))
        print(f"{tree.name}: {face}: {same} of {len(asked)} answers are those of the library")


def _library(memory: Memory, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = getattr(memory.code, name)(*arguments.values(), limit=MOST).to_json()
    return answer


def _command(tree: Path, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    first, *rest = arguments.values()
    options = ["--direction", *rest] if rest else []
    done = subprocess.run(
        [COMMAND, name, first, *options, "--limit", str(MOST), "--json"], cwd=tree, capture_output=True, check=False
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


async def _served(tree: Path, asked: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    server = build_server(tools_of("default", structured=True), ServedProject(tree))
    async with Client(server, mode="legacy") as client:
        return [(await client.call_tool(name, {**a, "limit": MOST})).structured_content or {} for name, a in asked]


def _rows(answer: dict[str, Any]) -> object:
    return answer.get("found", answer.get("rows")), answer.get("total")


if __name__ == "__main__":
    main()
