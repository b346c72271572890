"""Does memory keep one current value? Facts that change without ids, in three languages, through the library.

    python benchmarks/current_values.py [--half seen|unseen] [--show]

`values/` has pairs of statements. Updates: agents state facts, then the changed ones, in eight sessions with other
facts between. A question is answered right if the current value is first and the former one is absent or marked.
Paraphrases say the same or add something: none may be called a contradiction. Distinct pairs have the same form and
another subject: both stay. The sets of `ann`, `bob`, `cem`, `dee`, `eve` and `oda` are by authors who saw neither the rules nor other sets.
`beside` has two facts each about one thing that both hold: neither may be marked as earlier, nor be in a conflict.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_PAIRS = Path(__file__).with_name("values")
_SESSIONS = 8
_SETS = (
    "seen",
    "unseen",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ann",
    "bob",
    "cem",
    "dee",
    "eve",
    "oda",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=_SETS, action="append", help="by default all")
    parser.add_argument("--show", action="store_true", help="print the pairs that were judged wrongly")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"WAYPOST_HOME": str(Path(folder) / "home"), "WAYPOST_BACKGROUND": "0"}
        for half in options.half or _SETS:
            _updates(Path(folder), half, options.show)
            _pairs(Path(folder), "paraphrases", half, options.show)
            _pairs(Path(folder), "distinct", half, options.show)
        for half in () if options.half else ("fit", "unseen"):
            _beside(Path(folder), half, options.show)


def _rows(name: str, half: str) -> list[list[str]]:
    lines = (_PAIRS / f"{name}-{half}.txt").read_text("utf-8").splitlines()
    return [[field.strip() for field in line.split(" | ")] for line in lines if line and not line.startswith("#")]


def _updates(folder: Path, half: str, show: bool) -> None:
    from waypost import Memory

    rows = _rows("updates", half)
    memories = {}
    for language in ("en", "de", "ru"):
        project = folder / f"updates-{half}-{language}"
        project.mkdir()
        memories[language] = memory = Memory.open(project)
        for text, session in _told([row for row in rows if row[0] == language], half, language):
            memory.remember(text, session=session)
        memory.admin.embed_pending()
    first, right, languages = 0, Counter[str](), Counter[str]()
    for language, _, _, question, current, former in rows:
        memory = memories[language]
        hits = memory.recall(question, 5, scope="facts").hits
        is_first = bool(hits) and current in hits[0].text
        unmarked = [hit for hit in hits if former in hit.text and current not in hit.text and hit.newer_id is None]
        first += is_first
        languages[language] += 1
        right[language] += is_first and not unmarked
        if show and (not is_first or unmarked):
            print(f"  {question} {current}: {[hit.text for hit in hits[:3]]}")
    by_language = ", ".join(f"{name} {right[name]}/{count}" for name, count in languages.items())
    print(
        f"{half} updates: current first {first}/{len(rows)}, and former absent or marked {right.total()} ({by_language})"
    )


def _told(rows: list[list[str]], half: str, language: str) -> Iterator[tuple[str, str]]:
    """Every statement with its session: the later ones four sessions after the first, other facts between."""
    others = [text for row in _rows("distinct", _SETS[half == "seen"]) if row[0] == language for text in row[1:]]
    sessions: list[list[str]] = [[] for _ in range(_SESSIONS)]
    for place, row in enumerate(rows):
        sessions[place % 4].append(row[1])
        sessions[4 + place % 4].append(row[2])
    for place, text in enumerate(others):
        sessions[place % _SESSIONS].insert(place // _SESSIONS, text)
    for number, texts in enumerate(sessions):
        yield from ((text, f"session-{number}") for text in texts)


def _pairs(folder: Path, name: str, half: str, show: bool) -> None:
    """Each pair in a memory of its own: is the second statement called a contradiction, or one of the two lost?"""
    from waypost import Memory

    rows, wrong, merged = _rows(name, half), 0, 0
    for place, (_, before, after) in enumerate(rows):
        project = folder / f"{name}-{half}-{place}"
        project.mkdir()
        memory = Memory.open(project)
        kept = memory.remember(before)
        memory.admin.embed_pending()
        added = memory.remember(after)
        contradicts = added.conflicts_with is not None or added.replaces is not None
        lost = added.id == kept.id or added.replaces is not None
        wrong, merged = wrong + contradicts, merged + lost
        if show and (contradicts or (lost and name == "distinct")):
            print(f"  {before!r} / {after!r}: {added.status} {added.reason or ''}")
        memory.close()
    merged_part = f", merged {merged}" if name == "distinct" else ""
    print(f"{half} {name}: called contradictions {wrong}/{len(rows)}{merged_part}")


def _beside(folder: Path, half: str, show: bool) -> None:
    """Facts that both hold, each two in a memory of their own, and all of a language in one memory with others."""
    from waypost import Memory

    rows, marked = _rows("beside", half), Counter[str]()
    for language in ("en", "de", "ru"):
        own = [row for row in rows if row[0] == language]
        others = [text for row in _rows("distinct", "ann") if row[0] == language for text in row[1:]]
        together = [*(row[2] for row in own), *others, *(row[3] for row in own)]
        memories = {"together": (together, own)} | {f"alone-{place}": (row[2:], [row]) for place, row in enumerate(own)}
        for name, (texts, asked) in memories.items():
            project = folder / f"beside-{half}-{language}-{name}"
            project.mkdir()
            memory = Memory.open(project)
            for text in texts:
                memory.remember(text)
            memory.admin.embed_pending()
            for _, question, *both in asked:
                hits = memory.recall(question, 5, scope="facts").hits
                wrong = [hit for hit in hits if hit.text in both and (hit.newer_id or hit.conflict)]
                marked[name.partition("-")[0]] += bool(wrong)
                if show and wrong:
                    print(f"  {name}: {question} {[hit.text for hit in wrong]}")
            memory.close()
    print(f"{half} beside: marked together {marked['together']}/{len(rows)}, alone {marked['alone']}/{len(rows)}")


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"{time.perf_counter() - started:.0f} s")
