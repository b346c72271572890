"""Is what was said in the context of a question asked much later?

    python -m benchmarks.journal_context [--fresh] [--work FOLDER] [--conversations 2] [--presets journal default inject]

60 questions (`journal_questions.txt`, or with `--fresh` 60 others and another life) in three languages ask about a week, two months, eleven months and two years ago.
Their evidence was said in a life of more than two years (`tests/simulation/life.py`) that is condensed as it ages. A
question counts if all of its evidence is in the context, word for word. `--work` keeps the memory for another run.
"""

import argparse
import json
import os
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.simulation.life import Life
from tests.simulation.world import Clock

QUESTIONS = Path(__file__).with_name("journal_questions.txt")
FRESH = Path(__file__).with_name("journal_questions_fresh.txt")
SEED, FRESH_SEED = 7, 23  # of the life around the evidence
TODAY = date(2026, 3, 18)
DAYS = 800
START = TODAY - timedelta(days=DAYS)
AGES = {"a week": 30, "two months": 120, "eleven months": 400, "two years": 1000}


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    language: str
    days_ago: int
    text: str
    turns: tuple[tuple[str, str], ...]  # what a person said, and the answer, which may be empty
    evidence: tuple[str, ...]

    @property
    def age(self) -> str:
        return next(name for name, days in AGES.items() if self.days_ago <= days)


def read_questions(path: Path = QUESTIONS) -> list[EvidenceQuestion]:
    questions = []
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        language, days, text, said = (part.strip() for part in line.split("|", 3))
        pairs = [tuple(part.strip() for part in turn.split("=>")) for turn in said.split("||")]
        turns = tuple((person, "" if answer == "-" else answer) for person, answer in pairs)
        evidence = tuple(part for turn in turns for part in turn if part)
        questions.append(EvidenceQuestion(language, int(days), text, turns, evidence))
    return questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder in which the memory stays")
    parser.add_argument("--fresh", action="store_true", help="the second set of questions, in another life")
    parser.add_argument("--conversations", type=int, default=2, help="a day, besides the evidence")
    parser.add_argument("--presets", nargs="*", default=["journal", "default", "inject"])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = chosen.work or Path(temporary)
        print(json.dumps(measure(place, chosen.conversations, chosen.presets, fresh=chosen.fresh), indent=1))


def measure(folder: Path, conversations: int, presets: list[str], *, fresh: bool = False) -> dict[str, Any]:
    os.environ.update({"WAYPOST_HOME": str(folder / "home"), "WAYPOST_BACKGROUND": "0"})
    from waypost.memory import Memory

    clock = Clock(datetime.combine(TODAY, datetime.min.time(), UTC) + timedelta(hours=9))
    questions = read_questions(FRESH if fresh else QUESTIONS)
    is_new = not folder.joinpath("home").exists()
    with Memory.open(person="somebody", clock=clock) as memory:
        if is_new:
            _live(memory, questions, Life(FRESH_SEED if fresh else SEED, START, conversations, 900))
        return {preset: _ask(memory, questions, None if preset == "default" else preset) for preset in presets}


def _live(memory: Any, questions: list[EvidenceQuestion], life: Life) -> None:
    rows = [line.draft() for day in life.days(DAYS) for line in day.lines]
    rows += [row for number, question in enumerate(questions) for row in _turns(number, question)]
    rows.sort(key=lambda row: row["time"])
    memory.remember_many(rows)
    memory.admin.embed_pending()
    memory.admin.maintain(force=True)


def _turns(number: int, question: EvidenceQuestion) -> list[dict[str, str]]:
    at = datetime.combine(TODAY - timedelta(days=question.days_ago), datetime.min.time(), UTC) + timedelta(hours=17)
    rows = []
    for said, answered in question.turns:
        at += timedelta(minutes=1)
        turn = {"kind": "conversation", "session": f"q{number}", "time": at.isoformat()}
        rows.append(turn | {"text": said, "speaker": "user"})
        rows.append(
            turn | {"text": answered or "OK.", "speaker": "assistant", "time": (at + timedelta(seconds=5)).isoformat()}
        )
    return rows


def _ask(memory: Any, questions: list[EvidenceQuestion], preset: str | None) -> dict[str, Any]:
    by_age: dict[str, list[bool]] = defaultdict(list)
    missed, tokens, started = [], [], time.process_time()
    for question in questions:
        made = memory.brief(question.text, preset=preset)
        text = " ".join(made.text.split())
        hit = all(" ".join(part.split()) in text for part in question.evidence)
        by_age[question.age].append(hit)
        by_age["all"].append(hit)
        tokens.append(made.tokens)
        if not hit:
            missed.append(question.text)
    shares = {age: f"{sum(hits)}/{len(hits)}" for age, hits in by_age.items()}
    cpu = (time.process_time() - started) / len(questions)
    return {**shares, "tokens": sum(tokens) // len(tokens), "cpu_ms": round(cpu * 1000), "missed": missed}


if __name__ == "__main__":
    main()
