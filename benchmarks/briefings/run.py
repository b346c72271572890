"""How much of what a task needs is in its briefing, and how many lines are useless.

    python -m benchmarks.briefings.run flask=CLONE click=CLONE [--tokens 500 1000 2000] [--work DIR] [--show] [--out FILE.json]

CLONE is a git clone with history; a copy is made, so it stays as it is. For each task, the tree of the commit's parent is
indexed, and `brief` is called with the commit's message as a task. Labels come from the commit: `tasks.py`. A file or
symbol counts as inside if the text has its path or name; a memory if it has nine tenths of its text. A line is useful if it
has a needed file, symbol or memory, or a rule for every task. A decision counts as needed together with its reason.

`--work DIR` keeps the indexed trees, so that the next run with it takes a tenth of the time. The first run takes some
minutes for each repository.

For prompts, it counts how often the needed memory is injected, and what is injected for prompts that need nothing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.briefings.tasks import Task, data_of, git, tasks_of

if TYPE_CHECKING:
    from waypost import Memory

ENOUGH = 0.9  # of a memory's characters
PERSON_RULES = frozenset({"constraint", "preference"})
_FRAME = re.compile(r"^(<|#|Recalled from memory|\d{4}-\d\d-\d\d$|$)")


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def has_memory(memory: Mapping[str, Any], text: str) -> bool:
    words = plain(memory["text"])
    return words[: int(len(words) * ENOUGH)] in text


def has_reason(memory: Mapping[str, Any], text: str) -> bool:
    return all(plain(reason)[:40] in text for reason in memory.get("because", ()))


def has_name(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def plant(clone: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    from waypost import Memory
    from waypost.model.memory import Caller

    callers = {"person": Caller("person", "ada"), "agent": Caller("agent", "claude")}
    for row in rows:
        memory = Memory.open(clone, caller=callers[row["by"]])
        options = {name: row[name] for name in ("kind", "refs", "level") if name in row}
        if row.get("decide"):
            memory.decide(row["text"], because=row["because"], **options)
        else:
            memory.remember(row["text"], **options)


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not _FRAME.match(line)]


def judge(task: Task, text: str, tokens: int, memories: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What a briefing has of what its task needs, and the lines that have nothing of it."""
    folded = plain(text)
    needed = [memories[key] for key in task.needs]
    always = [row for row in memories.values() if row.get("always")]
    lines = lines_of(text)
    code = code_of(lines, task)
    useful = [line for place, line in enumerate(lines) if _helps(line, place in code, task, [*needed, *always])]
    inside = [row for row in needed if has_memory(row, folded)]
    decided = [row for row in needed if row.get("decide")]
    return {
        "files": (sum(path in text for path in task.files), len(task.files)),
        "symbols": (sum(any(has_name(name, lines[n]) for n in code) for name in task.symbols), len(task.symbols)),
        "tests": (sum(path in text for path in task.tests), len(task.tests)),
        "memories": (len(inside), len(needed)),
        "reasons": (sum(has_memory(row, folded) and has_reason(row, folded) for row in decided), len(decided)),
        "rules": (sum(has_memory(row, folded) for row in always), len(always)),
        "useful": (len(useful), len(lines)),
        "tokens": tokens,
        "useless": [line for line in lines if line not in useful],
    }


def code_of(lines: Sequence[str], task: Task) -> set[int]:
    """The lines about needed files: those with their path, and indented lines below."""
    inside, current = set(), False
    for place, line in enumerate(lines):
        if not line.startswith("  "):
            current = any(path in line for path in task.files)
        if current:
            inside.add(place)
    return inside


def _helps(line: str, is_code: bool, task: Task, memories: Sequence[Mapping[str, Any]]) -> bool:
    folded = plain(line)
    return (
        any(path in line for path in (*task.files, *task.tests))
        or (is_code and any(has_name(name, line) for name in task.symbols))
        or any(has_memory(row, folded) for row in memories)
        or any(plain(reason)[:40] in folded for row in memories for reason in row.get("because", ()))
    )


def prompts(clone: Path, data: Mapping[str, Any], quiet: Sequence[str], show: bool) -> dict[str, Any]:
    from waypost.config.reading import load
    from waypost.faces.hooks.agent.answer import answer_here
    from waypost.faces.hooks.agent.formats import HookInput

    memories = {row["key"]: row for row in data["memory"]}
    settings, counts = load(), Counter[str]()

    def injected(prompt: str) -> str:
        given = HookInput("prompt", "claude-code", cwd=str(clone), prompt=prompt)
        return answer_here(given, (), settings).text

    for row in data["prompt"]:
        text = injected(row["text"])
        needed = [memories[key] for key in row["needs"]]
        counts["needed"] += len(needed)
        inside = sum(has_memory(memory, plain(text)) for memory in needed)
        counts["injected"] += inside
        lines = [line for line in lines_of(text) if line.startswith("- ")]
        counts["other lines"] += len(lines) - inside
        if show:
            print(f"  {'+' if inside else 'MISSED'} {row['text']}\n    " + "\n    ".join(lines))
    for prompt in quiet:
        lines = [line for line in lines_of(injected(prompt)) if line.startswith("- ")]
        counts["small talk"] += 1
        counts["false injections"] += bool(lines)
        if show and lines:
            print(f"  FALSE {prompt}\n    " + "\n    ".join(lines))
    return dict(counts)


def greeting(clone: Path, data: Mapping[str, Any], show: bool) -> dict[str, Any]:
    from waypost.config.reading import load
    from waypost.faces.hooks.agent.answer import answer_here
    from waypost.faces.hooks.agent.formats import HookInput

    given = HookInput("session-start", "claude-code", cwd=str(clone))
    text = answer_here(given, (), load()).text
    if show:
        print(text)
    folded = plain(text)
    stated = [row for row in data["memory"] if row["by"] == "person"]
    rules = [row for row in stated if row.get("kind") in PERSON_RULES]
    decisions = [row for row in stated if row.get("decide")]
    lines = [line for line in lines_of(text) if line.startswith("- ")]
    mine = [line for line in lines if any(has_memory(row, plain(line)) for row in stated)]
    return {
        "personal": [sum(has_memory(row, folded) for row in stated), len(stated)],
        "rules": [sum(has_memory(row, folded) for row in rules), len(rules)],
        "with reason": [sum(has_memory(r, folded) and has_reason(r, folded) for r in decisions), len(decisions)],
        "other lines": len(lines) - len(mine),
        "lines": len(lines),
    }


class Trees:
    """A clone and its memory at each task, in a folder that keeps what was indexed."""

    def __init__(self, folder: Path, source: str) -> None:
        self._folder = folder
        self._live = folder / "live"
        self.clone = self._live / "clone"
        os.environ |= {"WAYPOST_HOME": str(self._live / "home"), "WAYPOST_BACKGROUND": "0"}
        if not self.clone.exists():
            self._live.mkdir(parents=True)
            subprocess.run(["git", "clone", "-q", "-s", "--no-checkout", source, str(self.clone)], check=True)

    def at(self, task: Task, planted: Sequence[Mapping[str, Any]]) -> "Memory":
        """The memory with the tree of a task; the first one also gets first facts and `planted`."""
        from waypost import Memory

        stored = self._folder / task.commit
        if stored.exists():
            shutil.rmtree(self._live)
            shutil.copytree(stored, self._live, symlinks=True)
            return Memory.open(self.clone)
        git(self.clone, "checkout", "-q", "-f", f"{task.commit}^")
        memory = Memory.open(self.clone)
        memory.index(facts=bool(planted))
        plant(self.clone, planted)
        memory.admin.embed_pending()
        memory.close()
        shutil.copytree(self._live, stored, symlinks=True)
        return memory


def measure(name: str, trees: Trees, budgets: Sequence[int], show: bool, limit: int | None) -> dict[str, Any]:
    data = data_of(name)
    memories = {row["key"]: row for row in data["memory"]}
    tasks = tasks_of(trees.clone, data)[:limit]
    rows: dict[str, list[dict[str, Any]]] = {}
    for place, task in enumerate(tasks):
        memory = trees.at(task, data["memory"] if place == 0 else ())
        for preset, tokens in [*((None, tokens) for tokens in budgets), ("scope", 500)]:
            made = memory.brief(task.text, tokens, preset=preset)
            judged = judge(task, made.text, made.tokens, memories)
            rows.setdefault(preset or str(tokens), []).append(judged)
            if show:
                print(f"\n=== {task.commit} {task.text} [{preset or tokens}] needs {task.needs}")
                print(f"    files {set(task.files)} symbols {set(task.symbols)} tests {set(task.tests)}\n{made.text}")
        memory.close()
    quiet = data_of("small_talk")["prompts"]
    return {
        "briefings": {label: summed(of_label) for label, of_label in rows.items()},
        "prompts": prompts(trees.clone, data, quiet, show),
        "greeting": greeting(trees.clone, data, show),
    }


def summed(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Mean shares over tasks; lines and tokens over all."""
    shares: dict[str, float] = {}
    for part in ("files", "symbols", "tests", "memories", "reasons", "rules"):
        parts = [row[part][0] / row[part][1] for row in rows if row[part][1]]
        shares[part] = sum(parts) / len(parts) if parts else 0.0
    useful, lines = sum(row["useful"][0] for row in rows), sum(row["useful"][1] for row in rows)
    tokens = sum(row["tokens"] for row in rows)
    return shares | {
        "useless": (lines - useful) / max(1, lines),
        "lines": lines / len(rows),
        "tokens": tokens / len(rows),
        "tokens per useful line": tokens / max(1, useful),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("clones", nargs="+", metavar="NAME=CLONE")
    parser.add_argument("--tokens", type=int, nargs="+", default=[500, 1000, 2000])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--work", type=Path, help="keep indexed trees here")
    parser.add_argument("--show", action="store_true", help="print every briefing and injection")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    results = {}
    for argument in chosen.clones:
        name, _, source = argument.partition("=")
        with tempfile.TemporaryDirectory() as folder:
            trees = Trees((chosen.work or Path(folder)) / name, source)
            results[name] = measure(name, trees, chosen.tokens, chosen.show, chosen.limit)
        print(f"\n{name}")
        for label, row in results[name]["briefings"].items():
            parts = (f"{part} {value:.2f}" if value < 1.5 else f"{part} {value:.0f}" for part, value in row.items())
            print(f"  {label:>6} " + "  ".join(parts))
        print(f"  prompts {results[name]['prompts']}\n  greeting {results[name]['greeting']}", flush=True)
    if chosen.out:
        chosen.out.write_text(json.dumps(results, indent=1), "utf-8")


if __name__ == "__main__":
    main()
