"""Explains a rank: the named parts of a score, largest first."""

from collections.abc import Mapping
from dataclasses import dataclass

_TEXTS: Mapping[str, tuple[str, str]] = {  # title and explanation of each part
    "keywords": ("Words", "rare words it shares with the query"),
    "meaning": ("Meaning", "how close it is in meaning, compared with everything else"),
    "answer": ("Answer", "what was said just before it matches the query"),
    "session": ("Around it", "the best match of its conversation"),
    "speaker": ("Speaker", "it was said by the person the query names"),
    "role": ("Role", "whether this kind of text answers such queries"),
    "telling": ("Content", "how much it says"),
    "type": ("Kind of answer", "the query asks for a time or a number, and it has one"),
    "time": ("Time", "it is from the time the query names"),
    "recency": ("Recency", "how new it is"),
    "freshness": ("Freshness", "whether its code is unchanged"),
    "others": ("Compared", "compared with memories and code of all kinds"),
    "reach": ("Among projects", "how many of the words its project has, compared with the others"),
    "name": ("Name", "the query names it"),
    "file": ("File", "its file matches too"),
    "place": ("Place", "the query names its path"),
    "weight": ("Weight", "how much code uses it"),
    "repeat": ("Repetition", "better places in the same file rank before it"),
    "near": ("Domain", "how near its domain is to the task"),
    "beside": ("Next to a hit", "it was said next to a match"),
}

_USUAL = frozenset({"telling", "session", "role", "weight", "recency", "others"})


@dataclass(frozen=True, slots=True)
class RankPart:
    """A part of a score. `share` is its size relative to the largest part, 0 to 1. It counts for or against."""

    name: str
    says: str
    value: float
    share: float
    is_usual: bool = False  # common to most memories, so it says little about this one

    @property
    def speaks_for(self) -> bool:
        return self.value >= 0


def rank_parts(why: Mapping[str, float]) -> tuple[RankPart, ...]:
    largest = max((abs(value) for value in why.values()), default=0.0) or 1.0
    ordered = sorted(why.items(), key=lambda part: -abs(part[1]))
    return tuple(RankPart(*_texts(name), value, abs(value) / largest, name in _USUAL) for name, value in ordered)


def main_reasons(parts: tuple[RankPart, ...]) -> str:
    """The parts that distinguish this memory, in a few words."""
    distinctive = [part for part in parts if not part.is_usual] or list(parts)
    return ", ".join(part.name.lower() if part.speaks_for else f"not {part.name.lower()}" for part in distinctive[:2])


def _texts(name: str) -> tuple[str, str]:
    return _TEXTS.get(name, (name.replace("_", " ").capitalize(), ""))
