"""The marked block of rules in an instruction file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from waypost.faces.setup.jsonc import Malformed, position
from waypost.faces.setup.jsonc_edit import newline_of
from waypost.faces.setup.part import ContainerPath, Merged, PartName

BEGIN = "<!-- waypost:begin (written by `waypost setup`; change what is outside of these two lines) -->"
END = "<!-- waypost:end -->"

_BEGIN = re.compile(r"^<!-- waypost:begin\b[^\r\n]*-->[ \t]*(?=\r?$)", re.MULTILINE)
_END = re.compile(r"^<!-- waypost:end -->[ \t]*(?=\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RulesPart:
    """`head`: the first lines of a new file."""

    body: str
    head: str = ""
    name: ClassVar[PartName] = "rules"

    def merge(self, text: str, *, force: bool) -> Merged:  # noqa: ARG002  the marks are ours alone
        newline = newline_of(text)
        block = newline.join([BEGIN, *self.body.splitlines(), END])
        span = _block(text)
        if span is not None:
            return Merged(text[: span[0]] + block + text[span[1] :])
        if not text.strip("\ufeff \t\r\n"):
            return Merged(text + self.head.replace("\n", newline) + block + newline)
        return Merged(text + _gap(text, newline) + block + newline)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  a block has no container
        span = _block(text)
        if span is None:
            return text
        before, behind = text[: span[0]], text[span[1] :]
        behind = re.sub(r"\A\r?\n", "", behind)
        if before.endswith(("\n\n", "\n\r\n")) and (not behind or behind.startswith(("\n", "\r\n"))):
            before = re.sub(r"\r?\n\Z", "", before)
        return before + behind

    def present(self, text: str) -> bool:
        return _block(text) is not None

    def leaves_nothing(self, text: str) -> bool:
        rest = text.strip("\ufeff \t\r\n").replace("\r\n", "\n")
        return not rest or rest == self.head.strip()


def _gap(text: str, newline: str) -> str:
    """The newlines that make an empty line before the block."""
    if text.endswith(("\n\n", "\r\n\r\n")):
        return ""
    return newline if text.endswith("\n") else newline * 2


def _block(text: str) -> tuple[int, int] | None:
    """Start and end of the block. Raises Malformed if the marks are not one pair."""
    begins, ends = list(_BEGIN.finditer(text)), list(_END.finditer(text))
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0].end() < ends[0].start():
        return begins[0].start(), ends[0].end()
    at = (begins or ends)[-1].start()
    raise Malformed("the marks of Waypost's block are not one pair", *position(text, at))
