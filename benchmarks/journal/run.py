"""Do the journal's pages tell what happened, and does importance agree with readers?

    python -m benchmarks.journal.run pages [--set year|half|fresh] [--language de] [--engine fake] [--llm] [--keep DIR]
    python -m benchmarks.journal.run importance [--half seen|unseen] [--list]
    python -m benchmarks.journal.run claims [--half seen|unseen] [--list]

`pages` writes a year of conversations (`year_*.txt`; `SETS` names the others) day by day into a journal of its own, with
maintenance each Monday, and reads the pages of weeks, months and the year. An event counts as told if one line of the page
of its time contains all its words. `--llm` uses a scripted model that copies the important entries into its answer, and
adds sentences that no entry supports.

Two checks look for false sentences. A line is "unsupported" if one of its words, names or numbers is neither in the
entries that it names as its sources nor in the phrases of pages. It is "cut" if it retells what did not happen (`!` in a
set's text) without the words that say so. Neither replaces a reader.

`importance` scores each graded utterance on the evening of the day it was said.
"""

import argparse
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.journal.claims import claims, problem
from benchmarks.journal.data import (
    LANGUAGES,
    SETS,
    YEAR,
    GradedUtterance,
    YearEvent,
    days_of_year,
    graded,
    passing,
    said,
    traps,
)

import waypost
from waypost.llm.protocol import Completion, Prompt, Usage

_TITLES = {"w": "week", "m": "month", "y": "year"}
_MAINTAINED_UNTIL = date(YEAR + 2, 1, 2)
_COMMENT = re.compile(r"\s*<!--.*?-->")
_LINKS = re.compile(r"\(\[\d{4}-\d\d-\d\d\]\([^)]*\)[^)]*\)|\[\d{4}-\d\d-\d\d\]\([^)]*\)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_TOKEN = re.compile(r"[^\W\d_]{3,}|\d+(?:[.,:]\d+)*")
_SOURCES = re.compile(r"<!-- from (.*?) -->")
_LABEL = re.compile(r"\*\*.*?\*\*")


class ScriptedModel:
    """Answers requests as a careful model would, but always the same: it repeats what matters of what it gets."""

    name = "scripted"
    _ENTRY = re.compile(r"^\[(\d+)\] \S+ (\S+) \(importance \d+[^)]*\): (.+)$", re.MULTILINE)
    _POINT = re.compile(r"^\[(\d+)\] (\w+): (.+)$", re.MULTILINE)

    def complete(self, prompt: Prompt, *, max_tokens: int, as_json: bool = False) -> Completion:  # noqa: ARG002
        text = "\n".join(part if isinstance(part, str) else part.text for part in prompt.parts)
        if '"explicit_points"' in text:
            answer: dict[str, object] = {"answers": [self._points(json.loads(line)) for line in _json_lines(text)]}
        elif entries := self._ENTRY.findall(text):
            events = [{"text": said, "from": [int(number)]} for number, who, said in entries if who != "assistant"]
            answer = {"events": [*events, *self._made_up(entries)]}
        elif points := self._POINT.findall(text):
            answer = {section: [] for _, section, _ in points}
            for number, section, said in points:
                answer[section].append({"text": said, "from": [int(number)]})  # type: ignore[attr-defined]
        else:
            answer = {"core": ""}
        return Completion(json.dumps(answer, ensure_ascii=False), Usage())

    @staticmethod
    def _made_up(entries: list[tuple[str, str, str]]) -> list[dict[str, object]]:
        """What a careless model would add: it denies an entry, or claims something else from it."""
        number, _, said = entries[0]
        denied = {"de": "Es stimmt nicht: ", "en": "It is not true that ", "ru": "Неправда, что "}
        claims = {"de": "Der Umzug nach Lissabon ist gebucht.", "en": "The move to Lisbon is booked."}
        from waypost.text.language import language_of

        language = language_of(said) or "en"
        claim = claims.get(language, "Переезд в Лиссабон оплачен.")
        return [{"text": text, "from": [int(number)]} for text in (denied.get(language, denied["en"]) + said, claim)]

    @staticmethod
    def _points(row: dict[str, Any]) -> dict[str, object]:
        from waypost.journal.importance.utterance import read_utterance
        from waypost.text.language import language_of

        reading = read_utterance(row["words"], language_of(row["words"]) or "en")
        return {
            "n": row["n"],
            "frequency_points": 0,
            "recency_points": 0,
            "explicit_points": reading.explicit,
            "relevance_points": reading.relevance,
            "reasoning": "scripted",
        }


def _json_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith('{"n":')]


def pages(chosen: argparse.Namespace) -> None:
    totals: dict[str, list[bool]] = {"w": [], "m": [], "y": []}
    for language in chosen.language or LANGUAGES:
        place = nullcontext(str(Path(chosen.keep) / language)) if chosen.keep else tempfile.TemporaryDirectory()
        with place as folder:
            texts, journal = live(language, Path(folder), chosen.engine, llm=chosen.llm, chosen=chosen.set)
            told = told_events(said(language, chosen.set)[1], texts)
            for level, rows in told.items():
                totals[level] += [hit for _, hit in rows]
                for event, hit in rows:
                    if not hit and chosen.list:
                        print(f"  not on its {_TITLES[level]} page: {event.day} {event.level} {event.text}")
            if chosen.docs:
                write_examples(Path(chosen.docs), language, texts, Path(folder))
            idle = unwanted_lines(language, texts, chosen.set)
            for line in idle[: 40 if chosen.list else 0]:
                print(f"  should not be there: {line}")
            other = unsupported_lines(language, journal)
            cut = cut_lines(language, texts, chosen.set)
            for line in [*other, *cut][: 40 if chosen.list else 0]:
                print(f"  false: {line}")
            empty = sum("- " not in text for text in texts["m"].values())
            print(
                f"{language}: "
                + ", ".join(f"{_TITLES[level]} {_share(rows)}" for level, rows in told.items())
                + f"; months without a line {empty} of {len(texts['m'])}; passing lines {len(idle)};"
                f" lines {sum(1 for _ in _bullets(texts))}, unsupported {len(other)}, cut {len(cut)}"
            )
    print(
        "all: "
        + ", ".join(
            f"{_TITLES[level]} {sum(hits)}/{len(hits)} = {sum(hits) / len(hits):.3f}" for level, hits in totals.items()
        )
    )


def live(
    language: str, folder: Path, engine: str, *, llm: bool = False, chosen: str = "year"
) -> tuple[dict[str, dict[Any, str]], Any]:
    """Live the year in a new journal. Returns the texts of its pages by level and period, and the journal."""
    os.environ.update({"WAYPOST_HOME": str(folder / "home"), "WAYPOST_BACKGROUND": "0", "TZ": "UTC"})
    from waypost.embed.fake import FakeEngine
    from waypost.memory import Memory, spaces

    if engine == "fake":
        fake = FakeEngine()
        setattr(spaces, "open_engine", lambda _name, _settings: fake)  # noqa: B010
    if llm:
        from waypost.flows.journal.condense import texts

        setattr(texts, "open_llm", lambda _settings: ScriptedModel())  # noqa: B010
    now = [datetime(YEAR, 1, 1, 6, tzinfo=UTC)]
    memory = Memory.open(person="somebody", clock=lambda: now[0])
    days = days_of_year(language, chosen)
    day = date(YEAR, 1, 1)
    while day <= _MAINTAINED_UNTIL:
        if day in days:
            now[0] = datetime(day.year, day.month, day.day, 23, tzinfo=UTC)
            memory.remember_many(days[day])
        if day.weekday() == 0 or day.day == 1 or day == date(YEAR, 12, 31):
            now[0] = datetime(day.year, day.month, day.day, 23, 30, tzinfo=UTC)
            memory.admin.maintain()
        if day == date(YEAR, 12, 31):
            index = memory.space.journal.read("MEMORY.md")
            (folder / "MEMORY-31-december.md").write_text(index, "utf-8")
        day += timedelta(days=1 if day < date(YEAR + 1, 1, 31) else 30 if day < date(YEAR + 1, 12, 1) else 1)
    return read_pages(memory.space.journal), memory.space.journal


def read_pages(journal: Any) -> dict[str, dict[Any, str]]:
    from waypost.journal import layout

    texts: dict[str, dict[Any, str]] = {"w": {}, "m": {}, "y": {}}
    for path in journal.scan():
        for level, read in (("w", layout.week_of), ("m", layout.month_of), ("y", layout.year_of)):
            stage = layout.stage_of(path).rpartition("/")[2]
            if stage == {"w": "weekly", "m": "monthly", "y": "yearly"}[level] and (span := read(path)) is not None:
                texts[level][span] = _COMMENT.sub("", journal.read(path))
    return texts


EXAMPLES = {  # pages that the docs show
    "de": (("w", "2025-W21"), ("w", "2025-W27"), ("m", "2025-04"), ("y", "2025")),
    "en": (("w", "2025-W38"), ("m", "2025-08"), ("y", "2025")),
    "ru": (("w", "2025-W17"), ("m", "2025-10")),
}


def write_examples(place: Path, language: str, texts: dict[str, dict[Any, str]], folder: Path) -> None:
    """Write the pages that the docs show, without links and comments."""
    for level, name in EXAMPLES[language]:
        text = next(text for span, text in texts[level].items() if str(span) == name)
        (place / f"{language}-{name}.md").write_text(_plain(text), "utf-8")
    if language == "de":
        index = (folder / "MEMORY-31-december.md").read_text("utf-8")
        (place / "de-MEMORY.md").write_text(_plain(_COMMENT.sub("", index)), "utf-8")


def _plain(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"\[([^\]\n]+)\]\([^)\n]+\)", r"\1", text)).strip() + "\n"


def told_events(
    events: Sequence[YearEvent], texts: dict[str, dict[Any, str]]
) -> dict[str, list[tuple[YearEvent, bool]]]:
    from waypost.journal.layout import Month, Week

    told: dict[str, list[tuple[YearEvent, bool]]] = {"w": [], "m": [], "y": []}
    for event in events:
        spans = {"w": Week.of(event.day), "m": Month.of(event.day), "y": event.day.year}
        for level in "wmy"[: "wmy".index(event.level) + 1]:
            lines = texts[level].get(spans[level], "").casefold().splitlines()
            told[level].append((event, any(all(word.casefold() in line for word in event.words) for line in lines)))
    return told


def unwanted_lines(language: str, texts: dict[str, dict[Any, str]], chosen: str = "year") -> list[str]:
    """Lines that repeat passing questions, small talk or an assistant's acknowledgement."""
    turns, _ = said(language, chosen)
    idle = {turn.text for turn in passing(language, chosen)}
    idle |= {turn.answer for turn in [*passing(language, chosen), *turns]}
    idle |= {turn.text for turn in turns if turn.text.endswith("?")}
    lines = [line for level in texts.values() for text in level.values() for line in text.splitlines()]
    return [line for line in lines if any(text.rstrip(".!") in line for text in idle if len(text) > 3)]


def unsupported_lines(language: str, journal: Any) -> list[str]:
    """Lines with a word or number that their sources do not have. Counts and dates of phrases need none."""
    from waypost.journal import layout
    from waypost.journal.markdown import parse_page

    phrases = (Path(waypost.__file__).parent / "journal" / "data" / f"summary_{language}.toml").read_text("utf-8")
    own = set(_WORD.findall(phrases.casefold()))
    said_words: dict[str, set[str]] = {}
    pages_: list[str] = []
    for path in journal.scan():
        stage = layout.stage_of(path).rpartition("/")[2]
        if stage == "daily":
            page = parse_page(journal.read(path), layout.day_of(path), None)
            for entry in page.entries:
                words = _TOKEN.findall(f"{entry.text} {entry.speaker}".casefold())
                said_words.setdefault(entry.id or "", set()).update(words)
        elif stage in ("weekly", "monthly", "yearly"):
            pages_.append(journal.read(path))
    rows = [line for page in pages_ for line in page.splitlines() if line.lstrip().startswith("- ")]
    return [_LINKS.sub("", _COMMENT.sub("", line)) for line in rows if _is_unsupported(line, said_words, own)]


def _is_unsupported(line: str, said_words: dict[str, set[str]], own: set[str]) -> bool:
    sources = {word for ids in _SOURCES.findall(line) for ident in ids.split() for word in said_words.get(ident, ())}
    text = _LINKS.sub("", _COMMENT.sub("", line)).casefold()
    other = set(_TOKEN.findall(text)) - sources - own
    is_count = set(_WORD.findall(_LABEL.sub("", text))) <= own  # "8 entries on 4 days"
    return any(not (is_count and token[0].isdigit()) for token in other)


def cut_lines(language: str, texts: dict[str, dict[Any, str]], chosen: str) -> list[str]:
    """Lines that contain four words in a row of what did not happen, but not all of it."""
    found: list[str] = []
    for trap in traps(language, chosen):
        words = _WORD.findall(trap.turn.text.casefold())
        rows = [" ".join(words[at : at + 4]) for at in range(max(1, len(words) - 3))]
        for _, _, line in _bullets(texts):
            text = " ".join(_WORD.findall(line.casefold()))
            if any(row in text for row in rows) and " ".join(words) not in text:
                found.append(line)
    return found


def _bullets(texts: dict[str, dict[Any, str]]) -> Iterator[tuple[str, Any, str]]:
    """Each line of a list, without its links, with the level and period of its page."""
    for level, pages_ in texts.items():
        for span, text in pages_.items():
            for line in text.splitlines():
                if line.lstrip().startswith("- "):
                    yield level, span, _LINKS.sub("", line)


def _share(rows: Sequence[tuple[YearEvent, bool]]) -> str:
    return f"{sum(hit for _, hit in rows)}/{len(rows)}"


# -- importance


def importance(chosen: argparse.Namespace) -> None:
    rows = graded(chosen.half)
    scores = [score_of(row) for row in rows]
    for language in (*LANGUAGES, "all"):
        own = [(row.grade, score) for row, score in zip(rows, scores, strict=True) if language in (row.language, "all")]
        near = sum(abs(grade - score) <= 1 for grade, score in own) / len(own)
        print(f"{language}: n {len(own)}, within 1: {near:.3f}, rank correlation {_spearman(own):.3f}")
    if chosen.list:
        for row, score in zip(rows, scores, strict=True):
            if abs(row.grade - score) > 1:
                print(f"  {row.language} reader {row.grade} rules {score}: {row.text}")


def score_of(row: GradedUtterance) -> int:
    from waypost.journal.importance.history import JudgedTurn, TopicMentions, in_order, judge_turns
    from waypost.journal.topics.groups import find_topics

    at = datetime(2025, 6, 28, 18, tzinfo=UTC)
    turns = [
        JudgedTurn(f"t{number}", row.text, day, day.date(), "person", session=f"s{number}", language=row.language)
        for number, day in enumerate([*(at - timedelta(days=4 * (back + 1)) for back in range(row.earlier)), at])
    ]
    topics = TopicMentions(
        in_order(turns), dict.fromkeys([turn.ident for turn in turns], 1), find_topics([], [], set())
    )
    return judge_turns(in_order(turns), {turns[-1].ident}, topics, at + timedelta(hours=10))[
        turns[-1].ident
    ].score.score


def _spearman(pairs: Sequence[tuple[int, int]]) -> float:
    first, second = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    means = sum(first) / len(first), sum(second) / len(second)
    together = sum((a - means[0]) * (b - means[1]) for a, b in zip(first, second, strict=True))
    apart = sum((a - means[0]) ** 2 for a in first) * sum((b - means[1]) ** 2 for b in second)
    return float(together / apart**0.5) if apart else 0.0


def _ranks(values: Sequence[int]) -> list[float]:
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


def judge_claims(chosen: argparse.Namespace) -> None:
    """Of the lines of `claims.txt`, how many are taken for what they are not, and how many are missed."""
    for language in chosen.language or LANGUAGES:
        of_half = [
            claim for claim in claims() if claim.language == language and claim.is_unseen == (chosen.half == "unseen")
        ]
        found = [(claim, wrong) for claim in of_half if (wrong := problem(claim))]
        counts = {name: sum(wrong.startswith(name) for _, wrong in found) for name in ("false", "missed")}
        print(f"{language}: {len(of_half)} lines, false {counts['false']}, missed {counts['missed']}")
        for claim, wrong in found if chosen.list else []:
            print(f"  {claim.kind} | {' || '.join(claim.texts)}\n      {wrong}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["pages", "importance", "claims"])
    parser.add_argument("--set", default="year", choices=SETS)
    parser.add_argument("--language", nargs="*", choices=LANGUAGES)
    parser.add_argument("--engine", default="installed", choices=["installed", "fake"])
    parser.add_argument("--half", default="seen", choices=["seen", "unseen"])
    parser.add_argument("--list", action="store_true", help="also list what is wrong")
    parser.add_argument("--keep", help="a folder for the journals")
    parser.add_argument("--docs", help="a folder for the example pages of the docs")
    parser.add_argument("--llm", action="store_true")
    chosen = parser.parse_args()
    {"pages": pages, "importance": importance, "claims": judge_claims}[chosen.part](chosen)


if __name__ == "__main__":
    main()
