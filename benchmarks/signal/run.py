"""How much of an answer is worth reading, in spaces where code, facts and a journal are mixed.

    python -m benchmarks.signal.run --repositories DIR [--half dev|check] [--work DIR] [--json FILE]

DIR has a git directory or clone for each repository (`flask`, `gin`, `starlette`, `cobra`). `--work` keeps the spaces, so
that another run only asks. Half of the questions are in the journal already, beside small talk. Measured in the first five:

    first, five     the right answer is first, or among the five; in the default scope, and in the best single one
    useless         lines that are no answer: facts of `init`, small talk, earlier questions, memories about something else
    above           earlier questions that rank above their answer
    emptied         answerable questions without any hit
    nothing         unanswerable questions without any hit
    current         changed memories: the current value is first
"""

import argparse
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.eval_adapter import keep_vectors
from benchmarks.signal.spaces import HALVES, SignalQuestion, open_space, questions_of

from waypost import Memory
from waypost.model.recall import Hit

K = 5
_NOISE = ("asked-", "chatter-")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--half", choices=sorted(HALVES), default="dev")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--json", type=Path, help="write every hit here, for `fit.py`")
    parser.add_argument("-v", "--verbose", action="store_true", help="print questions that went wrong")
    given = parser.parse_args()
    if os.environ.get("EVAL_VECTORS"):
        keep_vectors(os.environ["EVAL_VECTORS"])
    with tempfile.TemporaryDirectory() as scratch:
        work = given.work or Path(scratch)
        rows = []
        for repository in HALVES[given.half]:
            memory = open_space(work, given.half, repository, given.repositories / repository)
            rows += [ask(memory, repository, question) for question in questions_of(given.half, repository)]
            memory.close()
    print(table(rows))
    if given.verbose:
        print("\n".join(complaints(rows)))
    if given.json:
        given.json.write_text(json.dumps(rows))


def ask(memory: Memory, repository: str, question: SignalQuestion) -> dict[str, Any]:
    """One row of figures, with the hits that they are about."""
    hits = memory.recall(question.text, K).hits
    row: dict[str, Any] = {
        "repository": repository,
        "question": question.text,
        "topic": question.topic,
        "hits": [_hit(hit, question) for hit in hits],
    }
    if question.is_answerable:
        row["place"] = place(hits, question)
        row["alone"] = place(memory.recall(question.text, K, scope=question.topic).hits, question)
        row["is_current"] = bool(hits) and hits[0].key == question.current if question.current else None
    return row


def place(hits: Iterable[Hit], question: SignalQuestion) -> int | None:
    """Where the first right hit is, from 1."""
    return next((number for number, hit in enumerate(hits, 1) if is_right(hit, question)), None)


def is_right(hit: Hit, question: SignalQuestion) -> bool:
    if hit.key is not None and hit.key in question.keys:
        return True
    if question.paths and (hit.path or "").startswith(question.paths):
        return True
    if hit.kind == "symbol":
        return (hit.name or "").rpartition(".")[2] in question.names
    return hit.text.startswith(tuple(name for name in question.names if " " in name))


def _hit(hit: Hit, question: SignalQuestion) -> dict[str, Any]:
    right = is_right(hit, question)
    return {
        "text": (hit.name or hit.text)[:100],
        "key": hit.key,
        "collection": hit.collection,
        "source": hit.source,
        "score": hit.score,
        "right": right,
        "earlier": (hit.key or "").startswith(_NOISE) or (hit.collection == "journal" and not right),
        "useless": not right and (hit.collection in ("facts", "journal") or question.topic != "code"),
        **{name: getattr(hit, name) for name in ("certainty", "evidence") if hasattr(hit, name)},
    }


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| topic | questions | first | five | alone: first | alone: five | lines | useless | init facts | above | emptied |"
        " current |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    answerable = [row for row in rows if row["topic"]]
    by_topic = defaultdict(list)
    for row in answerable:
        by_topic[row["topic"]].append(row)
    for topic, some in [*sorted(by_topic.items()), ("all", answerable)]:
        hits = [hit for row in some for hit in row["hits"]]
        changed = [row["is_current"] for row in some if row["is_current"] is not None]
        cells = (
            topic,
            len(some),
            _share(row["place"] == 1 for row in some),
            _share(row["place"] is not None for row in some),
            _share(row["alone"] == 1 for row in some),
            _share(row["alone"] is not None for row in some),
            f"{len(hits) / len(some):.1f}",
            _share(hit["useless"] for hit in hits),
            sum(hit["source"] == "extractor" and hit["useless"] for hit in hits),
            sum(_above(row) for row in some),
            sum(not row["hits"] for row in some),
            f"{sum(changed)}/{len(changed)}" if changed else "",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    rest = [row for row in rows if not row["topic"]]
    lines.append(f"\nunanswerable: nothing shown for {_share(not row['hits'] for row in rest)} of {len(rest)}")
    return "\n".join(lines)


def complaints(rows: list[dict[str, Any]]) -> Iterable[str]:
    for row in rows:
        if not row["topic"] and row["hits"]:
            best = row["hits"][0]
            yield f"shown   {row['question']} → {best['text']} ({best.get('certainty', best['score']):.2f})"
        elif row["topic"] and not row["hits"]:
            yield f"emptied {row['question']}"
        elif row["topic"] and row["place"] != 1:
            hits = ", ".join(
                f"{hit['text'][:40]} ({hit.get('certainty', hit['score']):.2f})" for hit in row["hits"][:3]
            )
            yield f"not first ({row['place']}, alone {row['alone']}) {row['question']} → {hits}"


def _above(row: dict[str, Any]) -> int:
    first = row["place"] or K + 1
    return sum(hit["earlier"] for hit in row["hits"][: first - 1])


def _share(values: Iterable[bool]) -> str:
    listed = list(values)
    return f"{sum(listed) / len(listed):.3f}" if listed else "–"


if __name__ == "__main__":
    main()
