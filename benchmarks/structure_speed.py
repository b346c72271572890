"""Times of structural answers on an indexed checkout, in the library, warm.

    python -m benchmarks.structure_speed TREE [COUNT]

Asks about COUNT random symbols of the checkout TREE, which must be indexed in the data directory (`WAYPOST_HOME`): `symbols` by last and whole name, by
path and by id, `uses` in every direction, and `impact --diff HEAD~1`. Every question is asked once before the round that counts.
"""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from waypost import Memory
from waypost.flows.structure.answers import DIRECTIONS

SEED, MOST, ROUNDS = 23, 10_000, 20


def main() -> None:
    tree, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 500
    with Memory.open(tree) as memory:
        code = memory.code
        names = sorted(code.symbol_names("", 10**9))
        every = [
            symbol for name in random.Random(SEED).sample(names, count) for symbol in code.symbols(name).symbols[:1]
        ]
        _show("symbols NAME", lambda symbol: code.symbols(symbol.qualified.rpartition(".")[2]), every)
        _show("symbols QUALIFIED", lambda symbol: code.symbols(symbol.qualified), every)
        _show("symbols ID", lambda symbol: code.symbols(symbol.id), every)
        _show("symbols --path", lambda symbol: code.symbols(path=symbol.path), every)
        _show("symbols --members", lambda symbol: code.symbols(symbol.id, members=True), every)
        for direction in DIRECTIONS:
            _show(f"uses {direction}", lambda symbol, d=direction: code.uses(symbol.id, d), every)
        _show("impact SYMBOL", lambda symbol: code.impact(symbol.id), every)
        _show("impact --diff HEAD~1", lambda _: code.impact(diff="HEAD~1"), [None] * ROUNDS)


def _show(name: str, ask: Callable[[object], object], items: list[object]) -> None:
    for item in items:
        ask(item)
    wall, cpu = [], []
    for item in items:
        started, used = time.perf_counter(), time.process_time()
        ask(item)
        cpu.append(1000 * (time.process_time() - used))
        wall.append(1000 * (time.perf_counter() - started))
    shares = [f"{_share(times, 0.5):.2f} / {_share(times, 0.99):.2f}" for times in (wall, cpu)]
    print(f"{name}: {len(items)} answers, p50 / p99 {shares[0]} ms, CPU {shares[1]} ms")


def _share(times: list[float], share: float) -> float:
    return sorted(times)[int(share * (len(times) - 1))]


if __name__ == "__main__":
    main()
