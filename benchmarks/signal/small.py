"""Plain questions to small memories: is the answer first, is its certainty honest, and is nothing else shown?

    python -m benchmarks.signal.small [--half dev|check] [-v]

Each memory of `data/small_*.toml` is made anew: facts of a project, or what a person said in a conversation. Measured:

    first     the right answer is first
    sure      it is first, with a certainty of at least .5
    emptied   nothing is shown, though there is an answer
    useless   lines that don't answer, among all lines shown
    nothing   unanswerable questions without any hit
"""

import argparse
import os
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.eval_adapter import keep_vectors

from waypost import Memory, config
from waypost.model.recall import Hit

DATA = Path(__file__).with_name("data")
K = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("dev", "check"), default="dev")
    parser.add_argument("-v", "--verbose", action="store_true", help="print questions that went wrong")
    given = parser.parse_args()
    if os.environ.get("EVAL_VECTORS"):
        keep_vectors(os.environ["EVAL_VECTORS"])
    print(
        "| memory | questions | first | sure | emptied | lines | useless | nothing |\n|---|---|---|---|---|---|---|---|"
    )
    totals = [0] * 8
    for name, rows in asked(given.half, K):
        counts = _counts(rows)
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        print(_line(name, counts))
        if given.verbose:
            print("\n".join(_complaints(rows)))
    print(_line("all", totals))


def asked(
    half: str, k: int, others: Sequence[str] = (), *, models: bool = True
) -> Iterator[tuple[str, list[tuple[str, list[tuple[Hit, bool]], bool]]]]:
    """Each memory with its questions: the hits, whether each is right, and whether there is an answer.

    `others` are more questions that none of them answers. Without `models`, only words are compared.
    """
    for data in tomllib.loads((DATA / f"small_{half}.toml").read_text("utf-8"))["memories"]:
        with _made(data, models) as (memory, keys):
            rows = []
            for text, *places in [*data["questions"], *([text] for text in (*data["unanswerable"], *others))]:
                hits = memory.recall(text, k).hits
                rows.append((text, [(hit, keys.get(hit.id) in places) for hit in hits], bool(places)))
        yield data["name"], rows


@contextmanager
def _made(data: dict[str, Any], models: bool = True) -> Iterator[tuple[Memory, dict[str, int]]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = config.load({**os.environ, "WAYPOST_HOME": f"{folder}/home", "WAYPOST_BACKGROUND": "0"})
        settings = settings if models else replace(settings, models=(Path(folder),))
        tree = Path(folder) / "tree"
        tree.mkdir()
        is_person = data.get("person", False)
        memory = Memory.open(person="ada", settings=settings) if is_person else Memory.open(tree, settings=settings)
        said = {"kind": "conversation", "session": "talk", "speaker": "user"} if is_person else {}
        results = memory.remember_many([{"text": text, **said} for text in data["texts"]])
        memory.admin.embed_pending()
        yield memory, {result.id: at for at, result in enumerate(results)}
        memory.close()


def _counts(rows: list[tuple[str, list[tuple[Hit, bool]], bool]]) -> list[int]:
    answerable = [hits for _, hits, has_answer in rows if has_answer]
    rest = [hits for _, hits, has_answer in rows if not has_answer]
    first = [hits[0][0] for hits in answerable if hits and hits[0][1]]
    return [
        len(answerable),
        len(first),
        sum((hit.certainty or 0.0) >= 0.5 for hit in first),
        sum(not hits for hits in answerable),
        sum(len(hits) for hits in answerable),
        sum(not is_right for hits in answerable for _, is_right in hits),
        sum(not hits for hits in rest),
        len(rest),
    ]


def _line(name: str, counts: list[int]) -> str:
    questions, first, sure, emptied, lines, useless, nothing, rest = counts
    return (
        f"| {name} | {questions} | {first / questions:.3f} | {sure / questions:.3f} | {emptied} | {lines / questions:.1f} |"
        f" {useless / max(1, lines):.3f} | {nothing}/{rest} |"
    )


def _complaints(rows: list[tuple[str, list[tuple[Hit, bool]], bool]]) -> Iterator[str]:
    for text, hits, has_answer in rows:
        texts = ", ".join(f"{'*' * is_right}{hit.text[:40]} ({hit.certainty:.2f})" for hit, is_right in hits[:3])
        is_sure = bool(hits) and hits[0][1] and (hits[0][0].certainty or 0.0) >= 0.5
        if (hits and not has_answer) or (has_answer and not (is_sure and len(hits) == 1)):
            yield f"  {'' if has_answer else 'shown '}{text} → {texts}"


if __name__ == "__main__":
    main()
