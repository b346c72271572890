"""Questions about the structure of code: who calls it, what implements it, where a key is read, which test covers it."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

LONGEST = 300  # characters of a question that is read
_DATA = Path(__file__).with_name("data") / "structure_questions.toml"
_NAME = r"[`'\"„“«]?(?P<name>[\w$.:/#@~<>-]{1,200}?)(?:\(\))?[`'\"“”»]?"
_KIND = r"(?:(?:the|die|der|das|den|function|method|class|type|interface|trait|funktion|methode|klasse|функцию|функция|метод|класс|интерфейс) ){0,2}"
_SPACE = re.compile(r"\s+")


class StructureQuestion(NamedTuple):
    relation: str  # a direction of `uses`, or "tests", "key", "table"
    name: str


def read_structure_question(text: str) -> StructureQuestion | None:
    """What a question asks about the structure of code. None for other questions."""
    if len(text) > LONGEST:
        return None
    question = _SPACE.sub(" ", text).strip().rstrip(" ?.!")
    for relation, patterns in _forms().items():
        for pattern in patterns:
            if match := pattern.fullmatch(question):
                return StructureQuestion(relation, match["name"])
    return None


def statement(key: str, language: str, **values: object) -> str:
    """A sentence about the answer in the language of the question."""
    said = _data()["said"]
    text: str = said.get(language, said["en"])[key]
    return text.format(**values)


@cache
def _forms() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Longer forms come first in the file: tables and keys before plain names."""
    data = _data()
    order = ("table", "tests", "implementors", "importers", "callees", "callers", "key")
    return {
        relation: tuple(
            re.compile(form.replace("NAME", _KIND + _NAME), re.IGNORECASE) for form in data[relation]["forms"]
        )
        for relation in order
    }


@cache
def _data() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
