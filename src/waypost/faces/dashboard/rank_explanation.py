"""Why a memory has its rank, in plain words: the named parts of a score, the largest first."""

from collections.abc import Mapping
from dataclasses import dataclass

_WORDS: Mapping[str, tuple[str, str]] = {  # what a part is called, and what it says
    "keywords": ("Words", "how many rare words it shares with the question"),
    "meaning": ("Meaning", "how close it is in meaning, compared with everything else"),
    "answer": ("Answer", "what was said just before it fits the question"),
    "session": ("Around it", "the best of its conversation; of a memory by itself, that one"),
    "speaker": ("Speaker", "it was said by whom the question names"),
    "role": ("Role", "whether this sort of thing answers such questions"),
    "telling": ("Telling", "how much it says"),
    "type": ("Kind of answer", "a time was asked for, or a number, and it has one"),
    "time": ("Time", "it is from the time that the question names"),
    "recency": ("Recency", "how new it is"),
    "freshness": ("Freshness", "whether the code that it points at is as it was"),
    "others": ("Compared", "set against memories and code of all sorts"),
    "reach": ("Among projects", "how much of the words its project has, beside the others that were asked"),
    "name": ("Name", "the question names it"),
    "file": ("File", "the file that it stands in fits too"),
    "place": ("Place", "the question names its path"),
    "weight": ("Weight", "how much of the code uses it"),
    "repeat": ("Repetition", "better places of the same file come before it"),
    "near": ("Domain", "how near its domain is to the task"),
    "beside": ("Beside a hit", "it was said next to something that fits"),
}

_USUAL = frozenset({"telling", "session", "role", "weight", "recency", "others"})


@dataclass(frozen=True, slots=True)
class RankPart:
    """A part of a score. `share` is its size beside the largest part, 0 to 1; it speaks for or against."""

    name: str
    says: str
    value: float
    share: float
    is_usual: bool = False  # most memories have much of it: it says little about this one

    @property
    def speaks_for(self) -> bool:
        return self.value >= 0


def rank_parts(why: Mapping[str, float]) -> tuple[RankPart, ...]:
    largest = max((abs(value) for value in why.values()), default=0.0) or 1.0
    ordered = sorted(why.items(), key=lambda part: -abs(part[1]))
    return tuple(RankPart(*_words(name), value, abs(value) / largest, name in _USUAL) for name, value in ordered)


def told_by(parts: tuple[RankPart, ...]) -> str:
    """The parts that tell this memory from others, in a few words."""
    telling = [part for part in parts if not part.is_usual] or list(parts)
    return ", ".join(part.name.lower() if part.speaks_for else f"not {part.name.lower()}" for part in telling[:2])


def _words(name: str) -> tuple[str, str]:
    return _WORDS.get(name, (name.replace("_", " ").capitalize(), ""))
