"""Does what people stated come with the prompt, or at the latest with the tool that it concerns?

    python -m benchmarks.signal.around_tools FLASK GIN [--set blind_third] [-v]     (git directories of pallets/flask, gin-gonic/gin)

Tasks are those of `tests/agents`. `data/tool_calls.jsonl` has the tools that an agent would use for each prompt, written by an author
who knew the repositories and the prompts, and nothing of what was stated. Hooks are called in this process. Useless is the share of
characters in lines that neither have the needed text nor help with the task.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from waypost.faces.hooks.agent.tool_input import tool_command, tool_files

_HERE = Path(__file__).parent
_TASKS = _HERE.parents[1] / "tests" / "agents"
_SETS = ("blind", "blind_second", "blind_third", "blind_fourth", "blind_fifth", "threads", "threads_second")
_OTHERS = (
    "Please fix the typo in the second paragraph of the README.",
    "Thanks, that looks good. Go on with the next one.",
    "Die Besprechung am Freitag ist um drei, und danach gibt es Kuchen.",
    "Как лучше назвать ветку для этой работы?",
    "The printer on the second floor is out of paper again.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flask", type=Path)
    parser.add_argument("gin", type=Path)
    parser.add_argument("--set", action="append", choices=_SETS, help="by default all")
    parser.add_argument("-v", action="store_true", help="print each line that came with a tool")
    given = parser.parse_args()
    calls = {
        (row["set"], row["number"]): row["tools"]
        for row in map(json.loads, (_HERE / "data" / "tool_calls.jsonl").read_text("utf-8").splitlines())
    }
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"WAYPOST_HOME": str(Path(folder) / "home"), "WAYPOST_BACKGROUND": "0"}
        for name in given.set or _SETS:
            tasks = tomllib.loads((_TASKS / f"tasks_{name}.toml").read_text("utf-8"))["task"]
            rows = [
                row
                for project in ("flask", "gin")
                for row in _run(
                    Path(folder) / name / project,
                    getattr(given, project),
                    [(task, calls[name, number]) for number, task in enumerate(tasks) if task["project"] == project],
                    given.v,
                )
            ]
            print(name, _summary(rows))


def _run(
    root: Path, source: Path, tasks: list[tuple[dict[str, Any], list[dict[str, str]]]], show: bool
) -> list[dict[str, Any]]:
    from waypost import Memory
    from waypost.faces.hooks.agent.context import HookMemory
    from waypost.memory.handle import open_handle
    from waypost.model.memory import Caller

    subprocess.run(["git", "clone", "-q", str(source), str(root)], check=True)
    memory = Memory.open(root)
    memory.index()
    stated = [text for task, _ in tasks for text in task["stated"]]
    memory.remember_many(
        {"text": text, "kind": "conversation", "speaker": "user", "session": f"{text[:9]}{place}"}
        for pair in zip(stated, [*_OTHERS, *[""] * len(stated)], strict=False)
        for place, text in enumerate(pair)
        if text
    )
    memory.admin.embed_pending()
    hooks = HookMemory(open_handle(str(root), caller=Caller("agent", "claude-code")))
    return [_result(hooks, task, calls, show) for task, calls in tasks]


def _result(hooks: Any, task: dict[str, Any], calls: list[dict[str, str]], show: bool) -> dict[str, Any]:
    answer = hooks.relevant(task["prompt"], (), "now")
    known, at_tools = {*answer.keys}, list[str]()
    for call in calls:
        given = {"tool_input": {"file_path": call["path"]} if "path" in call else {"command": call["command"]}}
        notes = hooks.about(tool_files(given), tool_command(given), known, "now")
        known |= {*notes.keys}
        at_tools += _lines(notes.text)
        if show:
            print(
                *(f"  {call.get('path') or call['command'][:60]!r}: {line[:160]}" for line in _lines(notes.text)),
                sep="\n",
            )
    return {"task": task, "prompt": _lines(answer.text), "tools": at_tools}


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def _summary(rows: list[dict[str, Any]]) -> str:
    at_prompt = sum(_has(row["task"], row["prompt"]) for row in rows)
    anywhere = sum(_has(row["task"], row["prompt"] + row["tools"]) for row in rows)
    return (
        f"{at_prompt} with the prompt, {anywhere} with the prompt or a tool, of {len(rows)};"
        f" useless: {_useless(rows, 'prompt'):.0%} of {_count(rows, 'prompt')} lines with prompts,"
        f" {_useless(rows, 'tools'):.0%} of {_count(rows, 'tools')} with tools"
    )


def _has(task: dict[str, Any], lines: list[str]) -> bool:
    return any(task["needed"] in line for line in lines)


def _count(rows: list[dict[str, Any]], where: str) -> int:
    return sum(len(row[where]) for row in rows)


def _useless(rows: list[dict[str, Any]], where: str) -> float:
    total = sum(len(line) for row in rows for line in row[where])
    return sum(len(line) for row in rows for line in row[where] if not _helps(row["task"], line)) / max(1, total)


def _helps(task: dict[str, Any], line: str) -> bool:
    if task.get("outdated") and task["outdated"] in line and task["needed"] not in line:
        return False
    return task["needed"] in line or re.search(task["helps"], line) is not None


if __name__ == "__main__":
    main()
