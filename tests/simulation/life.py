"""A made-up life in conversations: some projects for months, decisions, preferences, family, and much that passes.

Everything comes from a seed: the same seed gives the same words. The life knows the truth about itself: which facts were
stated when and how one asks for them, and which lines were only passing. No two facts are about the same subject.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent
_FAITHFUL = 0.85  # how much of a day is in the language that it began with
LANGUAGES = {"en": 0.4, "de": 0.35, "ru": 0.25}  # how much of a life is in which
Sort = Literal["topic", "goal", "decision", "preference", "event", "remembered", "passing", "answer", "output"]
FACTS: dict[Sort, float] = {"decision": 0.5, "preference": 0.3, "event": 0.4, "remembered": 0.25}  # chances a day
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Line:
    """One turn of a conversation."""

    key: str
    text: str
    speaker: str  # user | assistant | tool
    at: datetime
    session: str
    sort: Sort
    language: str

    def draft(self) -> dict[str, str]:
        """As `memory.remember_many` takes it."""
        return {
            "text": self.text,
            "kind": "conversation",
            "session": self.session,
            "speaker": self.speaker,
            "time": self.at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Fact:
    """What was stated once: whoever finds a text with all of `proof` has found it."""

    line: Line
    question: str
    proof: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        folded = text.casefold()
        return all(word.casefold() in folded for word in self.proof)


@dataclass(frozen=True, slots=True)
class Day:
    date: date
    lines: tuple[Line, ...]
    facts: tuple[Fact, ...]


@dataclass(slots=True)
class Project:
    """What a person keeps coming back to."""

    topic: str
    terms: list[str]
    language: str
    until: date


@dataclass(slots=True)
class Life:
    seed: int
    start: date
    conversations: int = 10  # a day
    characters: int = 2000  # of a conversation, about
    projects: list[Project] = field(default_factory=list)
    subjects: set[str] = field(default_factory=set)
    dice: random.Random = field(default_factory=random.Random)

    def days(self, count: int) -> Iterator[Day]:
        self.dice.seed(self.seed)
        for number in range(count):
            yield self._day(self.start + timedelta(days=number))

    def _day(self, today: date) -> Day:
        self._renew_projects(today)
        main = self.language()
        sorts: list[Sort] = [sort for sort, chance in FACTS.items() if self.dice.random() < chance]
        sorts += ["topic"] * max(0, min(4, self.conversations - len(sorts)))
        sorts += ["passing"] * (self.conversations - len(sorts))
        sorts = sorts[: self.conversations]
        self.dice.shuffle(sorts)
        starts = sorted(self.dice.sample(range(7 * 60, 21 * 60), len(sorts)))
        lines: list[Line] = []
        facts: list[Fact] = []
        for number, (sort, minute) in enumerate(zip(sorts, starts, strict=True)):
            at = datetime.combine(today, time(minute // 60, minute % 60), UTC)
            language = main if self.dice.random() < _FAITHFUL else self.language()
            talk = _Talk(self, sort, f"{today:%Y%m%d}-{number}", at, language)
            lines += talk.lines
            facts += talk.facts
        return Day(today, tuple(lines), tuple(facts))

    def _renew_projects(self, today: date) -> None:
        """Four at a time, each for two months to a year; what has ended can come back."""
        self.projects = [one for one in self.projects if one.until > today]
        busy = {one.topic for one in self.projects}
        while len(self.projects) < 4:
            language = self.language()
            topic = self.dice.choice([name for name in words(language)["topics"] if name not in busy] or ["?"])
            if topic != "?":
                terms = words(language)["topics"][topic]
                ends = today + timedelta(days=self.dice.randint(60, 360))
                self.projects.append(Project(topic, terms, language, ends))
                busy.add(topic)

    def language(self) -> str:
        return self.dice.choices(list(LANGUAGES), list(LANGUAGES.values()))[0]


class _Talk:
    """One conversation, built line by line."""

    def __init__(self, life: Life, sort: Sort, session: str, at: datetime, language: str) -> None:
        self._life, self._dice, self._session, self._at = life, life.dice, session, at
        self._wanted = round(life.characters * life.dice.uniform(0.6, 1.4))
        self.lines: list[Line] = []
        self.facts: list[Fact] = []
        spoken = [one for one in life.projects if one.language == language] or life.projects
        self._project = self._dice.choice(spoken) if sort in {"topic", "decision"} else None
        self._language = self._project.language if self._project else language
        self._words = words(self._language)
        if sort == "passing":
            self._pass_by()
        else:
            if sort == "topic":
                self._say_topic()
            else:
                self._state(sort)
            while self._left > 250:
                self._go_on()

    @property
    def _left(self) -> int:
        """How many characters this conversation still wants."""
        return self._wanted - sum(len(line.text) for line in self.lines)

    def _pass_by(self) -> None:
        """Questions of the moment; nothing of it is worth a thought tomorrow."""
        while self._left > 250 or not self.lines:
            question, _, answer = self._dice.choice(self._words["passing"]).partition("|")
            question, first = self._filled(question, answer)
            self._add(question, "user", "passing")
            if self._dice.random() < 0.25:
                self._add(self._output(), "tool", "output")
            more = [
                one.partition("|")[2] for one in self._dice.sample(self._words["passing"], len(self._words["passing"]))
            ]
            self._add(self._long([first, *self._filled(*more)]), "assistant", "answer")

    def _say_topic(self) -> None:
        goal = self._dice.random() < 0.05
        text = self._filled(self._dice.choice(self._words["goals" if goal else "questions"]))[0]
        self._add(text, "user", "goal" if goal else "topic")
        self._answer()

    def _go_on(self) -> None:
        if self._project is None:
            question = self._dice.choice(self._words["passing"]).partition("|")[0]
            self._add(self._filled(question)[0], "user", "passing")
        else:
            self._add(self._filled(self._dice.choice(self._words["progress"]))[0], "user", "topic")
        self._answer()

    def _answer(self) -> None:
        if self._dice.random() < 0.25:
            self._add(self._output(), "tool", "output")
        chosen = self._dice.sample(self._words["answers"], len(self._words["answers"]))
        self._add(self._long(self._filled(*chosen)), "assistant", "answer")

    def _long(self, sentences: Sequence[str]) -> str:
        """As many of them as an answer has: some are short, some take all that is left."""
        wanted = min(self._left, self._dice.randint(300, 1500))
        text = sentences[0]
        for sentence in sentences[1:]:
            if len(text) + len(sentence) / 2 > wanted:
                break
            text += (" ", " ", "\n")[self._dice.randrange(3)] + sentence
        return text

    def _state(self, sort: Sort) -> None:
        """Something that may be asked for in a thousand days."""
        plural = {"decision": "decisions", "preference": "preferences", "event": "events", "remembered": "remembered"}
        held = self._held(sort)
        text = self._filled(self._dice.choice(self._words[plural[sort]]), **held)[0]
        line = self._add(text, "user", sort)
        proofs = {
            "decision": ("subject", "choice"),
            "preference": ("subject", "like"),
            "event": ("person", "proof"),
            "remembered": ("person", "code"),
        }
        question = self._filled(self._words[f"{sort}_question"], **held)[0]
        self.facts.append(Fact(line, question, tuple(held[name] for name in proofs[sort])))
        self._answer()

    def _held(self, sort: Sort) -> dict[str, str]:
        while True:
            held = {"place": self._pick("places")}
            happening = self._dice.choice(self._words["happenings"])
            named = self._pick("names") if "{name}" in happening else held["place"]
            held["happening"] = self._filled(happening, name=named, place=held["place"])[0]
            held["proof"] = named
            held["choice"], held["other"] = self._dice.sample(self._words["choices"], 2)
            held["reason"] = self._filled(self._dice.choice(self._words["reasons"]))[0]
            held["like"], held["dislike"] = self._pick("liked"), self._pick("disliked")
            held["relative"], held["object"] = self._pick("relatives"), self._pick("objects")
            held["person"] = f"{self._pick('names')} {self._pick('surnames')}"
            held["code"] = f"{self._dice.randint(1000, 9999)}-{self._dice.choice('ABCDEFGHJKLMNPQRSTUVWXYZ')}"
            held["subject"] = self._subject(held["place"])
            key = f"{sort}:{held['person'] if sort in {'event', 'remembered'} else held['subject']}"
            if key not in self._life.subjects and not ("{name}" in happening and named in held["person"]):
                self._life.subjects.add(key)
                return held

    def _subject(self, place: str) -> str:
        joined = {
            "en": "{adjective} {noun} for {place}",
            "de": "{noun} für {place}",
            "ru": "{adjective} {noun}, {place}",
        }
        return self._filled(joined[self._language], place=place)[0]

    def _output(self) -> str:
        """What a tool says: a log, or a table of results."""
        dice = self._dice
        if dice.random() < 0.5:
            rows = [
                f"{self._at:%H:%M}:{dice.randint(0, 59):02}.{dice.randint(0, 999):03} "
                f"{dice.choice(('INFO', 'INFO', 'WARN', 'DEBUG'))} {dice.choice(_PARTS)}[{dice.getrandbits(24):06x}] "
                f"{dice.choice(_DEEDS)} {dice.randint(1, 9999)} {dice.choice(('rows', 'ms', 'bytes', 'items'))}"
                for _ in range(dice.randint(6, 16))
            ]
        else:
            rows = [
                f"{place}. {self._filled('{adjective} {noun}, {place}')[0]} "
                f"<https://example.org/{dice.getrandbits(32):08x}/{dice.choice(_PARTS)}> "
                f"{self._filled(dice.choice(self._words['answers']))[0]}"
                for place in range(1, dice.randint(4, 7))
            ]
        return "\n".join(rows)

    def _add(self, text: str, speaker: str, sort: Sort) -> Line:
        text = text[:1].upper() + text[1:]
        key = f"{self._session}-{len(self.lines)}"
        line = Line(key, text, speaker, self._at, self._session, sort, self._language)
        self._at += timedelta(seconds=self._dice.randint(15, 90))
        self.lines.append(line)
        return line

    def _filled(self, *templates: str, **held: str) -> list[str]:
        return [
            _PLACE.sub(lambda place: held.get(place[1]) or self._slot(place[1]), template) for template in templates
        ]

    def _slot(self, name: str) -> str:
        dice = self._dice
        if name in {"topic", "term"}:
            project = self._project or dice.choice(self._life.projects)
            if project.language != self._language:
                return self._pick("nouns")
            return project.topic if name == "topic" else dice.choice(project.terms)
        if name in {"number", "amount", "year", "time", "date"}:
            return {
                "number": str(dice.randint(2, 48)),
                "amount": f"{dice.randint(3, 900)}.{dice.choice('05')}0 €",
                "year": str(dice.randint(1950, 2030)),
                "time": f"{dice.randint(6, 22):02}:{dice.choice(('00', '05', '15', '20', '30', '45', '50'))}",
                "date": f"{dice.randint(1, 28)}.{dice.randint(1, 12)}.",
            }[name]
        plural = {"adjective": "adjectives", "noun": "nouns", "verb": "verbs", "adverb": "adverbs", "name": "names"}
        plural |= {"place": "places", "month": "months", "surname": "surnames"}
        return self._pick(plural[name])

    def _pick(self, name: str) -> str:
        return str(self._dice.choice(self._words[name]))


_PARTS = ("worker", "queue", "ledger", "mailer", "indexer", "router", "cache", "import", "export", "scheduler", "auth")
_DEEDS = ("done with", "retrying", "skipped", "wrote", "read", "waiting for", "dropped", "merged", "sent", "found")


@cache
def words(language: str) -> dict[str, Any]:
    """The material of a language: every list as a list."""
    table = tomllib.loads((FOLDER / f"words_{language}.toml").read_text("utf-8"))
    found: dict[str, Any] = {
        name: value.split("|") if isinstance(value, str) and not name.endswith("_question") else value
        for name, value in table.items()
    }
    found["topics"] = {topic: terms.split("|") for topic, terms in table["topics"].items()}
    return found


def characters(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)
