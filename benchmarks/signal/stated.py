"""Which of the things that people stated matters to a prompt that does not repeat their words?

    python -m benchmarks.signal.stated [--fit] [-v]

Statements and prompts are those of `data/prompts_dev.toml`, of `tests/agents` and of `benchmarks/briefings`. Every prompt also counts
without the statements that matter to it: what is left is near, and does not. `--fit` prints the table `stated` of
src/waypost/retrieve/data/certainty.toml. Otherwise each set is judged by a model that was fitted to the other sets. No model is fitted to
the sets of tasks by authors who did not see the product (`_KEPT_BACK`). Measured, for floors:

    best     the statement that is most likely matters, and is above the floor
    wrong    it is above the floor and does not matter
    shown    prompts that need nothing, but something is above the floor
"""

import argparse
import json
import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.eval_adapter import keep_vectors
from benchmarks.signal.fit import Judged, fitted

import waypost.memory.spaces
from waypost import config
from waypost.context.small_talk import is_small_talk
from waypost.context.stated import statement_cues
from waypost.flows.context.nearest import is_only_question, names_in
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.certainty import STATED, StatedText, stated_evidence
from waypost.text.language import language_of

FEATURES = ("meaning", "standing", "lead", "ahead", "matters", "names", "cues", "abroad", "english")
FLOORS = (0.04, 0.06, 0.1, 0.3)
_DATA = Path(__file__).with_name("data")
_ROOT = Path(__file__).parents[2]
_TASKS = ("tasks", "tasks_kept", "tasks_last", "tasks_blind")  # that the fit may see
_KEPT_BACK = (
    "tasks_blind_second",
    "tasks_blind_third",
    "tasks_blind_fourth",
    "tasks_blind_fifth",
    "tasks_threads",
    "tasks_threads_second",
)
# Prompts by four authors for 90 projects. Fitted to these, the model is no better for others, and worse for the tasks.
_MORE_PROMPTS = ("prompts_more", "prompts_unseen")
_BRIEFINGS = ("flask", "click", "gin", "express", "starlette")


class PromptSet(NamedTuple):
    name: str
    texts: list[str]
    prompts: list[tuple[str, set[int], set[int]]]  # with the places of texts that matter, and of those that may


def prompt_sets() -> Iterator[PromptSet]:
    for memory in tomllib.loads((_DATA / "prompts_dev.toml").read_text("utf-8"))["memories"]:
        prompts = [(text, set(places), set[int]()) for text, *places in memory["prompts"]]
        yield PromptSet(f"prompts {memory['name']}", memory["texts"], prompts)
    for name in (*_TASKS, *_KEPT_BACK):
        tasks = tomllib.loads((_ROOT / "tests" / "agents" / f"{name}.toml").read_text("utf-8"))["task"]
        for project in ("flask", "gin"):
            some = [task for task in tasks if task["project"] == project]
            texts = [text for task in some for text in task["stated"]]
            yield PromptSet(name, texts, [_task(task, texts) for task in some])
    for name in _BRIEFINGS:
        stored = tomllib.loads((_ROOT / "benchmarks" / "briefings" / f"{name}.toml").read_text("utf-8"))
        keys = [memory["key"] for memory in stored["memory"]]
        prompts = [(row["text"], {keys.index(key) for key in row["needs"]}, set[int]()) for row in stored["prompt"]]
        yield PromptSet(f"briefings {name}", [memory["text"] for memory in stored["memory"]], prompts)

    for name in _MORE_PROMPTS:
        for number, line in enumerate((_DATA / f"{name}.jsonl").read_text("utf-8").splitlines()):
            project = json.loads(line)
            prompts = [(row["text"], set(row["needs"]), set(row["may"])) for row in project["prompts"]]
            yield PromptSet(f"{name} {number}", project["statements"], prompts)


def _task(task: dict[str, str], texts: Sequence[str]) -> tuple[str, set[int], set[int]]:
    right = {place for place, text in enumerate(texts) if task["needed"] in text}
    may = re.compile(f"{task['helps']}|{re.escape(task.get('outdated') or task['needed'])}")
    return task["prompt"], right, {place for place, text in enumerate(texts) if may.search(text)} - right


def judged_prompts() -> Iterator[Judged]:
    settings = config.load({**os.environ, "WAYPOST_BACKGROUND": "0"})
    engines = [waypost.memory.spaces.open_engine(name, settings) for name in ("minilm", "multilingual")]
    roles = ServingEngines(*(engine.name for engine in engines))

    def vectors(texts: Sequence[str]) -> dict[str, np.ndarray]:
        made = {engine.name: np.array(engine.embed(texts), np.float32) for engine in engines}
        return {name: rows / np.linalg.norm(rows, axis=1, keepdims=True) for name, rows in made.items()}

    for each in prompt_sets():
        is_stored = each.name.startswith("briefings")
        stated = [
            place
            for place, text in enumerate(each.texts)
            if not is_only_question(text) and (is_stored or statement_cues(text))
        ]
        by_text = vectors(each.texts)
        prompts = [prompt for prompt in each.prompts if not is_small_talk(prompt[0])]
        by_prompt = vectors([text for text, _, _ in prompts])
        for at, (prompt, right, may) in enumerate(prompts):
            language = language_of(prompt)
            for missing in (set[int](), right) if right else (set[int](),):
                kept = [place for place in stated if place not in missing]
                texts = [
                    StatedText(
                        each.texts[place],
                        language_of(each.texts[place]),
                        {name: float(rows[at] @ by_text[name][place]) for name, rows in by_prompt.items()},
                        frozenset(names_in(each.texts[place])),
                        statement_cues(each.texts[place]),
                    )
                    for place in kept
                ]
                evidences = stated_evidence(prompt, language, frozenset(names_in(prompt)), texts, roles)
                for place, evidence in zip(kept, evidences, strict=True):
                    if place not in may:
                        label = f"{each.name}|{prompt}|{'without' if missing else ''}"
                        yield Judged(STATED, dict(evidence), place in right, 0.0, label)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print prompts that went wrong at the second floor"
    )
    given = parser.parse_args()
    if os.environ.get("EVAL_VECTORS"):
        keep_vectors(os.environ["EVAL_VECTORS"])
    judged = list(judged_prompts())
    may_be_seen = [one for one in judged if not one.question.startswith((*_KEPT_BACK, *_MORE_PROMPTS))]
    if given.fit:
        constant, coefficients = fitted(may_be_seen, FEATURES)
        print(f"[{STATED}]\nconstant = {constant:.2f}")
        print("\n".join(f"{name} = {value:.2f}" for name, value in zip(FEATURES, coefficients, strict=True)))
        return
    print("| set | floor | best | wrong | shown |\n|---|---|---|---|---|")
    for name in dict.fromkeys(one.question.split("|")[0].split(" ")[0] for one in judged):
        own = [one for one in judged if one.question.split("|")[0].split(" ")[0] == name]
        constant, coefficients = fitted([one for one in may_be_seen if one not in own], FEATURES)
        by_prompt = defaultdict[str, list[tuple[float, bool]]](list)
        for one in own:
            total = constant + sum(c * one.evidence.get(f, 0.0) for f, c in zip(FEATURES, coefficients, strict=True))
            by_prompt[one.question].append((float(1 / (1 + np.exp(-total))), one.right))
        for floor in FLOORS:
            print(_line(name, floor, by_prompt))
        if given.verbose:
            for question, some in by_prompt.items():
                best, is_right = max(some)
                if any(right for _, right in some) and not (is_right and best >= FLOORS[1]):
                    print(f"  {best:.2f} {'low' if is_right else 'wrong'} {question}")


def _line(name: str, floor: float, by_prompt: dict[str, list[tuple[float, bool]]]) -> str:
    answerable = [max(some) for some in by_prompt.values() if any(right for _, right in some)]
    quiet = [
        max(some) for question, some in by_prompt.items() if question.endswith("|") and not any(r for _, r in some)
    ]
    best = sum(right and likely >= floor for likely, right in answerable)
    wrong = sum(not right and likely >= floor for likely, right in answerable)
    shown_for = sum(likely >= floor for likely, _ in quiet)
    return f"| {name} | {floor} | {best}/{len(answerable)} | {wrong} | {shown_for}/{len(quiet)} |"


if __name__ == "__main__":
    main()
