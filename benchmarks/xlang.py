"""Recall across languages, on parallel paragraphs with questions in English, German and Russian.

    python -m benchmarks.xlang PARALLEL.json

The file: {"stores": [{"id": "en", "turns": [{"id": "en/…", "text": …}]}, …], "queries": [{"store": "en", "query": …,
"gold": ["en/…"]}, …]} with the same paragraphs in each language, under the same id but for the language in front
(XQuAD, packed). Three arrangements, R@5 each:

    own      each language in a space of its own, asked in that language
    english  the English paragraphs only, asked in German and Russian
    mixed    paragraph i only in language i mod 3, asked in all three
"""

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.eval_adapter import Conversation

LANGUAGES = ("en", "de", "ru")
K = 5


@dataclass(frozen=True, slots=True)
class Paragraph:
    id: str
    text: str
    meta: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    language: str
    text: str
    paragraph: str  # its id without the language


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    paragraphs, questions = _read(parser.parse_args().file)
    names = list(paragraphs["en"])
    print("| arrangement | question → text | questions | R@5 |\n|---|---|---|---|")
    for language in LANGUAGES:
        _measure("own", dict.fromkeys(names, language), paragraphs, [q for q in questions if q.language == language])
    _measure("english", dict.fromkeys(names, "en"), paragraphs, [q for q in questions if q.language != "en"])
    _measure("mixed", {name: LANGUAGES[i % 3] for i, name in enumerate(names)}, paragraphs, questions)


def _read(path: Path) -> tuple[dict[str, dict[str, str]], list[Asked]]:
    import lzma

    raw = path.read_bytes()
    data = json.loads(lzma.decompress(raw) if path.suffix == ".xz" else raw)
    sessions = data.get("sessions") or {}
    paragraphs: dict[str, dict[str, str]] = {}
    for store in data["stores"]:
        turns = store.get("turns") or [turn for sid, _ in store["sessions"] for turn in sessions[sid]["turns"]]
        paragraphs[store["id"]] = {turn["id"].partition("/")[2]: turn["text"] for turn in turns}
    asked = [Asked(q["store"], q["query"], q["gold"][0].partition("/")[2]) for q in data["queries"]]
    return paragraphs, asked


def _measure(name: str, home: dict[str, str], paragraphs: dict[str, dict[str, str]], questions: list[Asked]) -> None:
    """Store each paragraph in its home language, ask, and print how often it is among the first five."""
    waypost = Conversation()
    waypost.reset(name)
    waypost.ingest(
        [
            Paragraph(paragraph, paragraphs[language][paragraph], {"session": paragraph})
            for paragraph, language in home.items()
        ]
    )
    found: dict[str, list[bool]] = defaultdict(list)
    for asked in questions:
        pair = f"{asked.language} → {home[asked.paragraph]}"
        found[pair].append(asked.paragraph in waypost.search(asked.text, K))
    for pair, hits in sorted(found.items()):
        print(f"| {name} | {pair} | {len(hits)} | {sum(hits) / len(hits):.3f} |", flush=True)
    for label, same in (("within a language", True), ("across languages", False)):
        hits = [hit for pair, all_hits in found.items() if (pair[:2] == pair[-2:]) is same for hit in all_hits]
        if hits and name == "mixed":
            print(f"| {name} | {label} | {len(hits)} | {sum(hits) / len(hits):.3f} |", flush=True)


if __name__ == "__main__":
    main()
