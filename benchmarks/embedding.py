"""How fast the engines embed: `python benchmarks/embedding.py [ENGINE …]` (default: minilm multilingual).

Texts a second at 30, 100 and 254 tokens (of MiniLM's vocabulary) and for a mixture of lengths; one question in a warm
process; a new process from its start to its first vector, beside one that only imports numpy. Each figure is the best
of several runs, because others use the machine too.
"""

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable

from waypost import config
from waypost.config import Settings
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine

WORDS = """\
    the of and to in is for that with on as was are by this be from or an at which not have it has will can
    memory server file index time line test code user path query store write read change error value name class
    function module project branch commit token cache search result thread process question answer"""
LENGTHS = (30, 100, 254)
QUESTION = "Where did we decide how the retry budget is shared between workers?"
COLD = """
from waypost import config
from waypost.embed.registry import open_engine
open_engine({engine!r}, config.load()).embed_question({question!r})
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["minilm", "multilingual"])
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    settings = config.load()
    columns = [*(f"{length} tokens" for length in LENGTHS), "mixed", "question warm", "cold start"]
    print("| engine | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in given.engines:
        print(f"| {name} | " + " | ".join(measure(name, settings, given.runs)) + " |", flush=True)
    numpy_alone = best(lambda: run_python("import numpy"), given.runs)
    print(f"\nA new process that only imports numpy: {numpy_alone * 1000:.0f} ms")


def measure(name: str, settings: Settings, runs: int) -> list[str]:
    engine = open_engine(name, settings)
    engine.warm()
    chance = random.Random(1)
    sets = [[text(chance, length) for _ in range(max(8, 2000 // length))] for length in LENGTHS]
    sets.append([text(chance, chance.choice((10, 20, 40, 80, 160, 254))) for _ in range(64)])
    figures = [f"{rate(engine, texts, runs):.0f}/s" for texts in sets]
    questions = [f"{QUESTION} {number}" for number in range(20)]
    warm = best(lambda: [engine.embed_question(question) for question in questions], runs) / len(questions)
    program = COLD.format(engine=name, question=QUESTION)
    cold = best(lambda: run_python(program), runs)
    return [*figures, f"{warm * 1000:.1f} ms", f"{cold * 1000:.0f} ms"]


def text(chance: random.Random, tokens: int) -> str:
    """Common words, each one token to MiniLM; two more tokens frame the text."""
    return " ".join(chance.choices(WORDS.split(), k=tokens - 2))


def rate(engine: Engine, texts: list[str], runs: int) -> float:
    return len(texts) / best(lambda: engine.embed(texts), runs)


def run_python(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)


def best(work: Callable[[], object], runs: int) -> float:
    def seconds() -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    return min(seconds() for _ in range(runs))


if __name__ == "__main__":
    main()
