"""Masking: finds secrets in any text and puts a mark in their place, so that none is stored.

`mask` replaces each secret value by `[secret: <rule>]` and changes nothing else. Line breaks stay, so line numbers of
code and notes remain valid. Findings name the rule and position, never the value. Masking a masked text finds nothing.

Three modules look for evidence: the value's own shape (`formats`), the name it is assigned to (`names`), and the place
it stands in (`places`). They read the text as it is, and without look-alike letters, invisible characters and escapes
(`readings`).
"""

import re
from dataclasses import dataclass

_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SHORTEST = 8
"""No secret fits into less together with its name."""


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """One masked value: its rule, its line (from 1), and its position in the original text."""

    rule: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and what was masked."""

    text: str
    findings: tuple[SecretFinding, ...]


def mask(text: str) -> Masked:
    """The text with each secret value replaced by `[secret: <rule>]`. The number of line breaks stays the same."""
    spans = _spans(text) if len(text) >= _SHORTEST else []
    if not spans:
        return Masked(text, ())
    parts: list[str] = []
    findings: list[SecretFinding] = []
    done, line = 0, 1
    for start, end, rule in spans:
        line += text.count("\n", done, start)
        findings.append(SecretFinding(rule, line, start, end))
        value = text[start:end]
        line += value.count("\n")
        parts += [text[done:start], f"[secret: {rule}]", *_LINE_BREAK.findall(value)]
        done = end
    parts.append(text[done:])
    return Masked("".join(parts), tuple(findings))


def _spans(text: str) -> list[tuple[int, int, str]]:
    """What to mask, in order. Overlapping spans are merged under the rule that is more reliable."""
    from waypost.text.secrets.formats import find_formats
    from waypost.text.secrets.names import find_named
    from waypost.text.secrets.places import find_placed
    from waypost.text.secrets.readings import readings
    from waypost.text.secrets.scan import Scan

    candidates = list[tuple[int, int, str]]()
    for reading in readings(text):
        scan = Scan.of(reading.text)
        # The most reliable first; sorting is stable. A URL shows better than a name where its password ends.
        spans = (*find_placed(scan), *find_formats(scan), *find_named(scan))
        candidates += [(*reading.span(start, end), rule) for start, end, rule in spans]
    merged: list[tuple[int, int, str]] = []
    for start, end, rule in sorted(candidates, key=lambda span: span[0]):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            if start > first or name != "url-password":
                merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, rule))
    return merged


def is_secret_path(path: str) -> bool:
    """Whether the path names a file of secrets: keys, credentials, environment files."""
    from waypost.text.secrets.table import data

    paths = data()["paths"]
    clean = path.replace("\\", "/").lower().strip("/")
    name = clean.rpartition("/")[2]
    if name.endswith(tuple(paths["harmless"])):
        return False
    is_environment = name.startswith(".env.") or (name.endswith(".env") and name != ".env")
    if is_environment or name in paths["names"] or name.endswith(tuple(paths["suffixes"])):
        return True
    return clean.endswith(tuple(paths["tails"])) or any(part in paths["folders"] for part in clean.split("/")[:-1])
