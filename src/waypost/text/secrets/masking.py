"""Secrets never enter the memory: find them in any text and put a mark in their place.

`mask` replaces each secret value by `[secret: <rule>]` and leaves everything else as it was, line breaks above all: line
numbers of code and notes stay true. What was found is told by rule and place, never by value. A text whose secrets are
masked has none: masking again finds nothing.

Three kinds of evidence are read, each in its own module: the value's own shape (`secret_formats`), the name it is given
to (`secret_names`), and the place it stands in (`secret_places`). They are looked for in the text as it is, and as it reads
without look-alike letters, invisible characters and escapes (`secret_readings`).
"""

import re
from dataclasses import dataclass

_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SHORTEST = 8
"""No secret with its name fits into less."""


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """One masked value: which rule, on which line (from 1), and where in the original text."""

    rule: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and what was taken out."""

    text: str
    found: tuple[SecretFinding, ...]


def mask(text: str) -> Masked:
    """The text with each secret value replaced by `[secret: <rule>]`; the number of line breaks is kept."""
    if len(text) < _SHORTEST:
        return Masked(text, ())
    spans = _spans(text)
    if not spans:
        return Masked(text, ())
    parts: list[str] = []
    found: list[SecretFinding] = []
    done, line = 0, 1
    for start, end, rule in spans:
        line += text.count("\n", done, start)
        found.append(SecretFinding(rule, line, start, end))
        value = text[start:end]
        line += value.count("\n")
        parts += [text[done:start], f"[secret: {rule}]", *_LINE_BREAK.findall(value)]
        done = end
    parts.append(text[done:])
    return Masked("".join(parts), tuple(found))


def _spans(text: str) -> list[tuple[int, int, str]]:
    """What to mask, in order and without overlaps: what meets is joined, under the surer name."""
    from waypost.text.secrets.formats import find_formats
    from waypost.text.secrets.names import find_named
    from waypost.text.secrets.places import find_placed
    from waypost.text.secrets.readings import readings
    from waypost.text.secrets.scan import Scan

    candidates = list[tuple[int, int, str]]()
    for one in readings(text):
        scan = Scan.of(one.text)
        # In the order of trust, which the sort keeps. An address tells better where its password ends than a name does.
        found = (*find_placed(scan), *find_formats(scan), *find_named(scan))
        candidates += [(*one.span(start, end), rule) for start, end, rule in found]
    chosen: list[tuple[int, int, str]] = []
    for start, end, rule in sorted(candidates, key=lambda span: span[0]):
        if chosen and start < chosen[-1][1]:
            first, last, name = chosen[-1]
            if start > first or name != "url-password":
                chosen[-1] = (first, max(last, end), name)
        else:
            chosen.append((start, end, rule))
    return chosen


def is_secret_path(path: str) -> bool:
    """Whether the file at this path holds secrets by its name: keys, credentials, environment files."""
    from waypost.text.secrets.table import data

    paths = data()["paths"]
    clean = path.replace("\\", "/").lower().strip("/")
    name = clean.rpartition("/")[2]
    if name.endswith(tuple(paths["harmless"])):
        return False
    if name in paths["names"] or name.endswith(tuple(paths["suffixes"])):
        return True
    if name.startswith(".env.") or (name.endswith(".env") and name != ".env"):
        return True
    return clean.endswith(tuple(paths["tails"])) or any(part in paths["folders"] for part in clean.split("/")[:-1])
