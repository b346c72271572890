"""Tasks over several sessions of a real agent: is what a person stated earlier in the model's input when it is needed?

    python -m tests.agents.tasks FLASK GIN [--agent NAME] [--tasks FILE]     (git directories of pallets/flask, gin-gonic/gin)

Every statement is a session of its own, among sessions about other things. The model calls no tool and stores nothing.
A line is useless if it neither has the needed text nor matches the task's `helps`, or if it has its `outdated` text. Shares are
of characters in lines that begin with "- ", without the fence: of what came with the prompt, and with the greeting.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from tests.agents.packages import real_agents
from tests.agents.sandbox import Sandbox
from tests.agents.scenarios import conversation, fenced_texts
from tests.agents.scripted_model import ScriptedModel

_OTHERS = (
    "Please fix the typo in the second paragraph of the README.",
    "Thanks, that looks good. Go on with the next one.",
    "Die Besprechung am Freitag ist um drei, und danach gibt es Kuchen.",
    "Как лучше назвать ветку для этой работы?",
    "The printer on the second floor is out of paper again.",
)
_GREETING = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True)
class Task:
    project: str
    kind: str
    stated: list[str]
    prompt: str
    needed: str
    helps: str
    outdated: str = ""

    def is_useful(self, line: str) -> bool:
        if self.outdated and self.outdated in line and self.needed not in line:
            return False
        return self.needed in line or re.search(self.helps, line) is not None


@dataclass(frozen=True)
class TaskResult:
    task: Task
    at_prompt: list[str]
    at_start: list[str]

    @property
    def is_there(self) -> bool:
        return any(self.task.needed in line for line in (*self.at_prompt, *self.at_start))

    def useless(self, lines: list[str]) -> int:
        return sum(len(line) for line in lines if not self.task.is_useful(line))


def read_tasks(path: Path) -> list[Task]:
    return [Task(**given) for given in tomllib.loads(path.read_text("utf-8"))["task"]]


def run_project(box: Sandbox, source: Path, tasks: list[Task]) -> list[TaskResult]:
    """State everything in sessions of their own, then give each later prompt to a new session."""
    subprocess.run(["git", "clone", "-q", str(source), str(box.project)], env=box.environment(), check=True)
    box.waypost("init")
    box.set_up()
    stated = [statement for task in tasks for statement in task.stated]
    for place, statement in enumerate(stated):
        box.run(statement)
        if place < len(_OTHERS):
            box.run(_OTHERS[place])
    return [_result(box, task) for task in tasks]


def _result(box: Sandbox, task: Task) -> TaskResult:
    requests = conversation(box.run(task.prompt))
    texts = fenced_texts(requests[0]) if requests else []
    lines: dict[bool, list[str]] = {True: [], False: []}
    for text in texts:
        lines[_GREETING.search(text) is not None] += [line for line in text.splitlines() if line.startswith("- ")]
    return TaskResult(task, lines[False], lines[True])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flask", type=Path)
    parser.add_argument("gin", type=Path)
    parser.add_argument("--agent", default="claude-code")
    parser.add_argument("--tasks", type=Path, default=Path(__file__).with_name("tasks.toml"))
    given = parser.parse_args()
    tasks, results = read_tasks(given.tasks), list[TaskResult]()
    with ScriptedModel() as model:
        for name in ("flask", "gin"):
            box = Sandbox(Path(mkdtemp(prefix=f"waypost-tasks-{name}-")), real_agents()[given.agent], model)
            results += run_project(box, getattr(given, name), [task for task in tasks if task.project == name])
    for result in results:
        print(
            f"{'there  ' if result.is_there else 'MISSING'} {result.task.project} {result.task.kind}: {result.task.prompt}"
        )
        for line in (*result.at_prompt, *result.at_start):
            print(f"    {' ' if result.task.is_useful(line) else 'x'} {line[:200]}")
    there = sum(result.is_there for result in results)
    prompt = _share([(result, result.at_prompt) for result in results])
    everything = _share([(result, [*result.at_prompt, *result.at_start]) for result in results])
    print(
        f"{there} of {len(results)} there; useless: {prompt:.0%} of what came with the prompt, {everything:.0%} with the greeting"
    )
    return 0


def _share(parts: list[tuple[TaskResult, list[str]]]) -> float:
    total = sum(len(line) for _, lines in parts for line in lines)
    return sum(result.useless(lines) for result, lines in parts) / total if total else 0.0


if __name__ == "__main__":
    sys.exit(main())
