"""Build cases of staleness from the histories of public repositories.

python -m benchmarks.staleness.build go --git DIR --out FILE.json --scratch DIR --reader COMMAND…

DIR holds bare git directories (`histories.py`). The command is a program of `readers/`, see README.md.
"""

import argparse
import hashlib
import json
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.staleness import histories, labels, reading
from benchmarks.staleness.labels import Label, Placed

QUOTA = {
    "unchanged": 40,  # in a file that changed elsewhere
    "unchanged file": 20,
    "shifted": 80,
    "cosmetic": 60,
    "doc_only": 40,
    "edited": 130,
    "moved": 80,
    "renamed": 50,
    "deleted": 80,
    "moved_edited": 40,
}
PER_FILE = 3  # cases of one class from one file of a pair
TYPES = 0.15  # at most that part of a class are types
WITH_DOC = 4  # one in so many takes the comment above along
LONGEST = 300  # lines
SHORTEST = 3
WORD = re.compile(r"[\w$]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    pair: str
    was: Placed
    label: str
    why: str
    now: Placed | None
    doc: bool  # the comment above belongs to the range

    @property
    def rank(self) -> str:
        """A fixed random order."""
        return _hash(self.pair, *self.was.key)

    def row(self) -> dict[str, object]:
        start = self.was.of.start - (len(self.was.doc) if self.doc else 0)
        row: dict[str, object] = {
            "id": _hash(self.pair, *self.was.key)[:12],
            "pair": self.pair,
            "path": self.was.path,
            "qualname": self.was.of.qualname,
            "kind": self.was.of.kind,
            "start": start,
            "end": self.was.of.end,
            "label": self.label,
            "why": self.why,
            "doc": self.doc,
        }
        if self.now is not None:
            first = self.now.of.start - (len(self.now.doc) if self.doc else 0)
            row["new"] = {"path": self.now.path, "start": first, "end": self.now.of.end}
        return row


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def candidate(pair: str, one: Placed, found: Label) -> tuple[str, Candidate]:
    """The case and the quota it counts for."""
    label = found.label
    now = found.now
    same_code = now is not None and label in {"unchanged", "shifted"}
    if same_code and now is not None and one.doc and now.doc and now.doc != one.doc:
        return "doc_only", Candidate(pair, one, "doc_only", "", now, doc=True)
    doc = bool(one.doc) and int(_hash("doc", pair, *one.key)[:8], 16) % WITH_DOC == 0
    if doc and now is not None:
        doc = bool(now.doc)
        if label == "unchanged" and len(one.doc) != len(now.doc):
            doc = False
    quota = "unchanged file" if label == "unchanged" and one.same_file else label
    return quota, Candidate(pair, one, label, found.why, now, doc)


def sample(found: Iterable[tuple[str, Candidate]]) -> list[Candidate]:
    """Up to the quota of each class, taken in turn from the pairs."""
    queues: dict[str, dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for quota, one in found:
        queues[quota][one.pair].append(one)
    out: list[Candidate] = []
    for quota, most in QUOTA.items():
        lists = {pair: sorted(rows, key=lambda one: one.rank) for pair, rows in sorted(queues[quota].items())}
        taken: list[Candidate] = []
        files: Counter[tuple[str, str]] = Counter()
        types = 0
        while len(taken) < most and any(lists.values()):
            for rows in lists.values():
                while rows:
                    one = rows.pop(0)
                    is_type = one.was.of.kind == "type"
                    if files[one.pair, one.was.path] >= PER_FILE or (is_type and types >= TYPES * most):
                        continue
                    files[one.pair, one.was.path] += 1
                    types += is_type
                    taken.append(one)
                    break
                if len(taken) == most:
                    break
        out += taken
    return out


def build(language: str, root: Path, scratch: Path, command: list[str]) -> dict[str, object]:
    pairs, texts = histories.pairs(root, histories.languages()[language])
    suffixes = {
        blob: Path(path).suffix for pair in pairs for tree in (pair.tree_a, pair.tree_b) for path, blob in tree.items()
    }
    read = reading.read(command, language, {blob: (suffixes[blob], texts[blob]) for blob in suffixes}, scratch)
    words = {blob: frozenset(WORD.findall(text)) for blob, text in texts.items()}

    def said(tree: Mapping[str, str]) -> dict[str, frozenset[str]]:
        return {path: words[blob] for path, blob in tree.items()}

    found: list[tuple[str, Candidate]] = []
    left_out: Counter[str] = Counter()
    natural: Counter[str] = Counter()
    for pair in pairs:
        kept = {path for tree in (pair.tree_a, pair.tree_b) for path, blob in tree.items() if read[blob] is None}
        before = labels.place(pair.tree_a, pair.tree_b, read, texts)
        after = labels.place(pair.tree_b, pair.tree_a, read, texts)
        labeller = labels.Labeller(before, after, said(pair.tree_a), said(pair.tree_b))
        for one in before:
            if one.path in kept or not SHORTEST <= len(one.lines) <= LONGEST:
                continue
            label = labeller.label(one)
            if label.label == "out":
                left_out[label.why] += 1
                continue
            quota, case = candidate(pair.id, one, label)
            natural[case.label] += 1
            found.append((quota, case))
    cases = sample(found)
    used = {case.pair for case in cases}
    rows = [
        {"id": p.id, "repo": p.repo, "a": p.a, "b": p.b, "tree_a": p.tree_a, "tree_b": p.tree_b}
        for p in pairs
        if p.id in used
    ]
    needed = {blob for p in pairs if p.id in used for tree in (p.tree_a, p.tree_b) for blob in tree.values()}
    unread = sum(value is None for value in read.values())
    return {
        "language": language,
        "pairs": rows,
        "cases": [case.row() for case in cases],
        "blobs": {blob: texts[blob] for blob in sorted(needed)},
        "natural": dict(natural),
        "left_out": dict(left_out),
        "files": {"read": len(read) - unread, "refused": unread},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(reading.SUFFIX))
    parser.add_argument("--git", type=Path, required=True, help="folder of bare git directories")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True, help="folder for the files that the reader reads")
    parser.add_argument("--reader", required=True, help="command of the reader, as one argument")
    options = parser.parse_args()
    made = build(options.language, options.git, options.scratch, shlex.split(options.reader))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(made, ensure_ascii=False), "utf-8")
    cases = made["cases"]
    assert isinstance(cases, list)
    counts = Counter(case["label"] for case in cases)
    print(options.language, len(cases), "cases", dict(counts), "files", made["files"])
    print("  of all definitions:", made["natural"])
    print("  left out:", made["left_out"])


if __name__ == "__main__":
    main()
