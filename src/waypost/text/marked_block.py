"""A block of ours between two marks, in a text that belongs to somebody else, such as AGENTS.md. Every byte around it stays."""

import hashlib
import re

_FIRST_NEWLINE = re.compile(r"\r?\n")
_BLANK = "\ufeff \t\r\n"
_HASH_LENGTH = 12
MEMORIES = "waypost:memories"  # the mark of the block that Waypost renews


class UnpairedMarks(ValueError):
    """The marks are not one pair. `at` is the offset of one of them."""

    def __init__(self, at: int) -> None:
        super().__init__("the marks of Waypost's block are not one pair")
        self.at = at


def block_span(text: str, mark: str) -> tuple[int, int] | None:
    """Start and end of the block, with its marks. Raises UnpairedMarks."""
    begins = list(re.finditer(rf"^<!-- {mark}:begin\b[^\r\n]*-->[ \t]*(?=\r?$)", text, re.MULTILINE))
    ends = list(re.finditer(rf"^<!-- {mark}:end -->[ \t]*(?=\r?$)", text, re.MULTILINE))
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0].end() < ends[0].start():
        return begins[0].start(), ends[0].end()
    raise UnpairedMarks((begins or ends)[-1].start())


def with_block(text: str, mark: str, note: str, body: str, head: str = "") -> str:
    """The text with the block in the place of the old one, or at the end. `note` is for the first mark.

    `head`: the first lines of a new file.
    """
    newline = newline_of(text)
    block = newline.join([f"<!-- {mark}:begin {note} -->", *body.splitlines(), f"<!-- {mark}:end -->"])
    span = block_span(text, mark)
    if span is not None:
        return text[: span[0]] + block + text[span[1] :]
    if not text.strip(_BLANK):
        return text + head.replace("\n", newline) + block + newline
    return text + _gap(text, newline) + block + newline


def without_block(text: str, mark: str) -> str:
    """The text without the block, and without the empty line that was added before it."""
    span = block_span(text, mark)
    if span is None:
        return text
    before, behind = text[: span[0]], text[span[1] :]
    behind = re.sub(r"\A\r?\n", "", behind)
    if before.endswith(("\n\n", "\n\r\n")) and (not behind or behind.startswith(("\n", "\r\n"))):
        before = re.sub(r"\r?\n\Z", "", before)
    return before + behind


def block_body(text: str, mark: str) -> tuple[str, str] | None:
    """The first mark and the lines between the marks, or None without a block. Raises UnpairedMarks."""
    span = block_span(text, mark)
    if span is None:
        return None
    lines = text[slice(*span)].splitlines()
    return lines[0], "\n".join(lines[1:-1])


def with_memories(text: str, body: str) -> str:
    """The text with these memories in their block. The first mark has a hash of them, so that edits are seen."""
    return with_block(
        text, MEMORIES, f"{_hash(body)} (kept by Waypost; change what is outside of these two lines)", body
    )


def is_edited(text: str) -> bool:
    """Whether somebody has changed the block of memories by hand. Raises UnpairedMarks."""
    block = block_body(text, MEMORIES)
    return block is not None and f":begin {_hash(block[1])} " not in block[0]


def without_marks(text: str) -> str:
    """The text with the block of memories as somebody has changed it, but without its marks."""
    span = block_span(text, MEMORIES)
    if span is None:
        return text
    inside = text[slice(*span)].splitlines(keepends=True)[1:-1]
    return text[: span[0]] + "".join(inside) + re.sub(r"\A\r?\n", "", text[span[1] :])


def newline_of(text: str) -> str:
    """The line ending of this text; \"\\n\" for a single line."""
    first = _FIRST_NEWLINE.search(text)
    return "\n" if first is None else first[0]


def _hash(body: str) -> str:
    return hashlib.sha256("\n".join(body.splitlines()).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def _gap(text: str, newline: str) -> str:
    """The newlines that make an empty line before the block."""
    if text.endswith(("\n\n", "\r\n\r\n")):
        return ""
    return newline if text.endswith("\n") else newline * 2
