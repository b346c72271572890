"""How often the evidence for an answer stands inside the tokens of `context`, beside the same tokens filled otherwise.

    python -m benchmarks.evidence --eval DIR [--data locomo lme_o50] [--tokens 2000] [--limit N] [--out FILE.json]

DIR is an evaluation of conversation memory: its `data.py` gives the conversations, the questions and which turns hold the
evidence; its `adapters.py` the two others, BM25 and plain MiniLM vectors. Waypost is used as a library: `remember_many`, then
`brief(question, tokens)`. The others' budget is filled in the order of their ranks, with lines "- speaker (date): text" and
no fence; a turn that does not fit is passed over. All are counted by the same estimate of tokens.

A turn counts as inside when its words, apart from case and white space, stand in the text whole or up to nine tenths.
Printed are the shares of questions of which all, and of which any evidence is inside, and the mean share of the evidence.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.eval_adapter import Conversation, Item

from waypost.context.budget import count_tokens

ENOUGH = 0.9  # of a turn's characters, from its beginning
DEEPEST = 400  # ranks that may fill a budget; turns have more than five tokens


class Waypost(Conversation):
    def brief(self, question: str, tokens: int, date: str | None) -> str:
        assert self._memory is not None, "reset() first"
        made = self._memory.brief(question, tokens, now=date)
        if "Answered without" in made.explanation:
            raise SystemExit(made.explanation)
        assert count_tokens(made.text) <= tokens
        return made.text


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def is_inside(turn: str, told: str) -> bool:
    """Whether a text (made plain before) tells a turn."""
    words = plain(turn)
    return words[: max(1, int(len(words) * ENOUGH))] in told


def filled(items: Iterable[Item], tokens: int) -> str:
    """As many turns as fit, in the order given."""
    lines, spent = list[str](), 0
    for item in items:
        line = f"- {item.meta.get('speaker') or item.meta.get('role')} ({item.meta['date'] or ''}): {item.text}"
        cost = count_tokens(line) + 1
        if spent + cost <= tokens:
            lines.append(line)
            spent += cost
    return "\n".join(lines)


def measure(
    stores: Mapping[str, Sequence[Item]],
    queries: Sequence[Mapping[str, Any]],
    tokens: int,
    others: Mapping[str, Any],
) -> dict[str, list[dict[str, Any]]]:
    """By system, one row for each question."""
    by_store = defaultdict(list)
    for query in queries:
        by_store[query["store"]].append(query)
    ours = Waypost()
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("waypost", *others)}
    for store, asked in by_store.items():
        items = stores[store]
        by_id = {item.id: item for item in items}
        for system in (ours, *others.values()):
            system.reset(store)
            system.ingest(items)
        for query in asked:
            for name, system in (("waypost", ours), *others.items()):
                started = time.perf_counter()
                if name == "waypost":
                    text = ours.brief(query["query"], tokens, query["date"])
                else:
                    text = filled(
                        (by_id[i] for i in system.search(query["query"], DEEPEST, date=query["date"])), tokens
                    )
                took = (time.perf_counter() - started) * 1000
                told = plain(text)
                inside = [is_inside(by_id[turn].text, told) for turn in query["gold"] if turn in by_id]
                rows[name].append(
                    {
                        "qid": query["qid"],
                        "category": query["category"],
                        "inside": sum(inside),
                        "gold": len(inside),
                        "tokens": count_tokens(text),
                        "ms": round(took, 2),
                    }
                )
    return rows


def shares(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    count = max(1, len(rows))
    times = sorted(row["ms"] for row in rows)
    return {
        "all": sum(row["inside"] == row["gold"] for row in rows) / count,
        "any": sum(row["inside"] > 0 for row in rows) / count,
        "share": sum(row["inside"] / row["gold"] for row in rows) / count,
        "tokens": sum(row["tokens"] for row in rows) / count,
        "ms": times[len(times) // 2] if times else 0.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--data", nargs="+", default=["locomo", "lme_o50"])
    parser.add_argument("--split", default="dev")
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--alone", action="store_true", help="Waypost only")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    sys.path.insert(0, str(chosen.eval))
    data = import_module("data")
    results: dict[str, Any] = {}
    print(f"{'data':8} {'system':8} {'n':>5} {'all':>6} {'any':>6} {'share':>6} {'tokens':>6} {'ms':>6}")
    for name in chosen.data:
        stores, queries = data.conv(name, chosen.split)
        asked = [query for query in queries if query["gold"] and not query["category"].endswith(("abstention", "_abs"))]
        make = import_module("adapters").make
        others = {} if chosen.alone else {system: make(system) for system in ("bm25", "minilm")}
        rows = measure(stores, asked[: chosen.limit], chosen.tokens, others)
        results[name] = rows
        for system, of_system in rows.items():
            got = shares(of_system)
            print(
                f"{name:8} {system:8} {len(of_system):5} {got['all']:6.3f} {got['any']:6.3f} {got['share']:6.3f}"
                f" {got['tokens']:6.0f} {got['ms']:6.1f}",
                flush=True,
            )
    if chosen.out:
        chosen.out.write_text(json.dumps(results), "utf-8")


if __name__ == "__main__":
    main()
