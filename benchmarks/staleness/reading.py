"""What each language's own parser says of a file: its tokens and its functions, methods and types.

The parsers run as programs outside Waypost (`readers/`), so that labels owe nothing to what they judge.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUFFIX = {"typescript": ".ts", "go": ".go", "rust": ".rs", "java": ".java"}


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or type with its lines (from 1, both included), decorators and annotations among them."""

    name: str
    qualname: str
    sig: str  # tells overloads apart: the types of parameters in Java, the trait of an impl in Rust
    kind: str  # function, method or type
    start: int
    end: int
    tokens: tuple[str, ...]  # without comments and trailing commas, and without semicolons where they say nothing


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file by its parser."""

    definitions: list[Definition]
    tokens: tuple[str, ...]  # of the whole file, plain as those of definitions
    rows: tuple[int, ...]  # the line of each token


def read(
    command: Sequence[str], language: str, texts: Mapping[str, tuple[str, str]], scratch: Path
) -> dict[str, list[Definition] | None]:
    """Definitions by blob id; None for a file the parser refuses. `texts`: blob id to (suffix, text)."""
    files = read_files(command, language, texts, scratch)
    return {blob: None if file is None else file.definitions for blob, file in files.items()}


def read_files(
    command: Sequence[str], language: str, texts: Mapping[str, tuple[str, str]], scratch: Path
) -> dict[str, ReadFile | None]:
    folder = scratch / f"blobs-{language}"
    folder.mkdir(parents=True, exist_ok=True)
    names = {}
    for blob, (suffix, text) in texts.items():
        path = folder / (blob + suffix)
        names[str(path)] = blob
        if not path.exists():
            path.write_bytes(text.encode("utf-8"))
    out: dict[str, ReadFile | None] = {}
    listing = scratch / f"names-{language}.txt"
    listing.write_text("".join(name + "\n" for name in names), "utf-8")
    with listing.open("rb") as stdin, subprocess.Popen(list(command), stdin=stdin, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            row = json.loads(line)
            out[names[row["file"]]] = _file(row, language) if row["ok"] else None
    return out


def _file(row: Mapping[str, object], language: str) -> ReadFile:
    tokens, rows = row["tokens"], row["rows"]
    assert isinstance(tokens, list)
    assert isinstance(rows, list)
    kept = kept_places(tokens, semicolons=language == "rust")
    words = tuple(_plain_word(tokens[place]) for place in kept)
    return ReadFile(_definitions(row, language), words, tuple(rows[place] for place in kept))


def _definitions(row: Mapping[str, object], language: str) -> list[Definition]:
    tokens, found = row["tokens"], row["defs"]
    assert isinstance(tokens, list)
    assert isinstance(found, list)
    return [
        Definition(
            one["name"],
            one["qualname"],
            one["sig"],
            one["kind"],
            one["start"],
            one["end"],
            plain(tokens[one["first"] : one["last"] + 1], semicolons=language == "rust"),
        )
        for one in found
    ]


def plain(tokens: Sequence[str], *, semicolons: bool) -> tuple[str, ...]:
    """Tokens without what a formatter adds and takes away: a comma before a closing bracket, an underscore in a number,
    and semicolons where they say nothing (in Rust one makes a value into none)."""
    return tuple(_plain_word(tokens[place]) for place in kept_places(tokens, semicolons=semicolons))


def kept_places(tokens: Sequence[str], *, semicolons: bool) -> list[int]:
    places = [place for place, token in enumerate(tokens) if semicolons or token != ";"]
    return [
        place
        for number, place in enumerate(places)
        if not (tokens[place] == "," and tokens[places[min(number + 1, len(places) - 1)]] in {")", "]", "}", ">"})
    ]


def _plain_word(token: str) -> str:
    return token.replace("_", "") if token[:1].isdigit() else token
