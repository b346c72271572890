"""What in a text looks like code: paths with lines, qualified names, calls, names in backticks.

    mentions("`Store.write` in src/store.py:42 calls createFileUploads()")

A plain word counts only in backticks, when called, or beside a word like "function", "Klasse" or "метод".
`strength` rates how likely it is code. `waypost.refs.links.find` checks whether such code exists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from waypost.model.reference import MAX_LINE, LineRange
from waypost.refs.links.name_reading import LONGEST, NameReading, read_name, read_path, shape_of
from waypost.refs.links.word_lists import is_common, link_words
from waypost.text.keywords import stop_words

MOST_MENTIONS = 50
MOST_READ = 100_000  # characters

_FENCE = re.compile(r"^[ \t>]{0,12}(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
# Code in backticks with its reStructuredText role, or a run of path and name characters.
_TOKEN = re.compile(
    r"""
    (?::(?P<role>[\w:+-]{1,30}):)?(?P<ticks>`{1,2})(?P<marked>[^`\n]{1,200})(?P=ticks)
  | (?P<run>[\w$@~./\\:\#+*%>–-]+(?:(?<=[/\\])[\[(][\w.$-]{1,40}[\])][/\\.][\w$@~./\\:\#+*%>–-]*)*)
    (?P<call>\((?:\)|\.{3}\)|…\))?)?
    """,
    re.VERBOSE,
)
_LINES_AFTER = re.compile(
    r"""["'`)]{0,2},?[ ]?\(?(?:on[ ]|in[ ]|at[ ]|auf[ ]|на[ ]|в[ ])?(?:lines?|Zeilen?|строк[аеиу]?|стр\.)[ ]
    (\d{1,8})(?:[ ]?(?:-|–|to|bis|по|до|and|und|и)[ ]?(\d{1,8}))?""",
    re.VERBOSE | re.I,
)
_CALL = re.compile(r"([@$&*]?[\w$.:#>\\?!-]+)(?:<[^<>]{0,80}>)?\(.*\)(?:\??;|!)?")
_WRITTEN_AROUND = re.compile(r"^[~!.&]+|(?:<[\w, .:\[\]?]{0,80}>|\[[\w, .:\"']{0,80}\])?[;,:]?$")
_RST_TARGET = re.compile(r"[^<>]{0,150}<([^<>]{1,150})>")
_EDGES_BEFORE, _EDGES_AFTER = "*%>:+", "*%>:+-–.~/\\#"

# How likely a word is code, by how it is written.
_PATH, _FILE = 0.95, 0.85
_MARKED, _MARKED_WORD, _MARKED_COMMON = 0.95, 0.7, 0.5
_CALLED, _CALLED_COMMON = 0.95, 0.75
_QUALIFIED = 0.85
_SHAPED = {"snake": 0.85, "constant": 0.85, "camel": 0.85, "pascal": 0.8, "dunder": 0.7, "private": 0.75}
_CUED, _CUED_COMMON = 0.65, 0.35
_HANDLE = 0.4  # @name: a decorator, or a person
_IN_EXAMPLE = 0.65  # factor: example code is shown, not discussed


@dataclass(frozen=True, slots=True)
class CodeMention:
    """A place in a text that may name code."""

    text: str  # as written
    name: str  # last part: `write` of `Store.write`, or the file name of a path
    qualifier: tuple[str, ...] = ()
    path: str = ""  # with `/`, or ""
    lines: LineRange | None = None
    strength: float = 0.5  # how likely it is code, 0 to 1
    is_called: bool = False
    is_marked: bool = False  # in backticks
    is_plain: bool = False  # written like prose
    is_cued: bool = False  # beside "function", "class" …
    start: int = 0  # offset in the text

    @property
    def is_file(self) -> bool:
        """Whether it names only a file."""
        return bool(self.path) and self.path.rsplit("/", 1)[-1] == self.name


def mentions(text: str) -> tuple[CodeMention, ...]:
    """The code that the text seems to name, without duplicates, in order. At most `MOST_MENTIONS`."""
    unique: dict[tuple[object, ...], CodeMention] = {}
    for mention in _all_mentions(text[:MOST_READ]):
        key = (mention.name, mention.qualifier, mention.path, mention.lines)
        before = unique.get(key)
        if before is None and len(unique) >= MOST_MENTIONS:
            break
        if before is None or mention.strength > before.strength:
            unique[key] = replace(mention, start=before.start) if before else mention
    return tuple(unique.values())


def _all_mentions(text: str) -> Iterator[CodeMention]:
    position, in_example = 0, False
    for fence in _FENCE.finditer(text):
        yield from _part_mentions(text, position, fence.start(), in_example)
        position, in_example = fence.end(), not in_example
    yield from _part_mentions(text, position, len(text), in_example)


def _part_mentions(text: str, start: int, end: int, in_example: bool) -> Iterator[CodeMention]:
    if in_example:
        for mention in _scan(text, start, end, in_code=True):
            yield replace(mention, strength=round(mention.strength * _IN_EXAMPLE, 2))
    else:
        yield from _scan(text, start, end, in_code=False)


def _scan(text: str, start: int, end: int, *, in_code: bool) -> Iterator[CodeMention]:
    words = link_words()
    cue, cue_end = "", -1  # the cue right before, and where it ended
    waiting: re.Match[str] | None = None  # a plain word that counts if a cue follows
    for token in _TOKEN.finditer(text, start, end):
        before, waiting = waiting, None
        if token["marked"] is not None:
            yield from _marked_mentions(text, token, is_cued=_is_near(text, cue_end, token.start()))
            continue
        run: str = token["run"]
        is_cued = cue_end >= 0 and _is_near(text, cue_end, token.start())
        lowered = run.lower()
        is_word = run.isalpha() and (run.islower() or run[1:].islower())
        if is_word and token["call"] is None and lowered not in words["files"]:
            if lowered in words["cues"]:
                if before is not None and lowered not in words["only_before"]:
                    yield from _cued_mentions(text, before, token.start(), lowered)
                cue, cue_end = lowered, token.end()
            elif is_cued:
                yield from _cued_mentions(text, token, token.end(), cue)
            else:
                waiting = token
        elif len(run) <= LONGEST:
            for mention in _run_mentions(text, token, in_code=in_code):
                if not mention.is_plain or mention.is_called:
                    yield replace(mention, is_cued=True) if is_cued else mention
                elif is_cued or _is_compound(run, mention.name):
                    yield from _cued_mentions(text, token, token.end(), cue if is_cued else "")
            if lowered.rstrip(_EDGES_AFTER) in words["cues"]:
                cue, cue_end = lowered.rstrip(_EDGES_AFTER), token.end()


def _is_compound(run: str, name: str) -> bool:
    """Whether the name is the first part of a German compound: `Store-Klasse`."""
    first, dash, last = run.rstrip(_EDGES_AFTER).rpartition("-")
    return bool(dash) and first == name and last.lower() in link_words()["cues"]


def _cued_mentions(text: str, token: re.Match[str], end: int, cue: str) -> Iterator[CodeMention]:
    """A plain word beside a cue, unless it is a stop word."""
    if cue in link_words()["type_cues"] and token["run"][:1].islower():
        return
    word = token["run"].rstrip(_EDGES_AFTER).partition("-")[0]
    reading = read_name(word)
    if reading is None or word.lower() in _stop_words() or not _is_near(text, min(token.end(), end), end):
        return
    mention = _mention(reading, word, token.start())
    if mention is not None:
        strength = _CUED_COMMON if is_common(word) else _CUED
        yield replace(mention, strength=strength, is_cued=True)


@cache
def _stop_words() -> frozenset[str]:
    return stop_words("en") | stop_words("de")


def _is_near(text: str, end: int, start: int) -> bool:
    """Whether only a space or a quotation mark is between them."""
    return 0 <= end <= start <= end + 3 and text[end:start].strip(" \"'„“«‘`") == "" and "\n\n" not in text[end:start]


def _marked_mentions(text: str, token: re.Match[str], *, is_cued: bool) -> Iterator[CodeMention]:
    """What is in backticks: one name or path, or code with names in it."""
    role = token["role"]
    if role is not None and role.rpartition(":")[2].lower() not in link_words()["roles"]:
        return
    content = token["marked"].strip()
    if (target := _RST_TARGET.fullmatch(content)) is not None and role is not None:
        content = target[1]
    call = _CALL.fullmatch(content)
    word = _WRITTEN_AROUND.sub("", call[1] if call else content)
    reading = (read_path(word) if call is None else None) or read_name(word)
    if reading is None and (path := read_path(content)) is not None:
        reading = path
    if reading is None or content.startswith(("-", "http")):
        yield from _nested_mentions(text, token)
        return
    mention = _mention(reading, content, token.start("marked"), called=call is not None, marked=True)
    if mention is not None:
        yield replace(mention, is_cued=is_cued)


def _nested_mentions(text: str, token: re.Match[str]) -> Iterator[CodeMention]:
    for mention in _scan(text, token.start("marked"), token.end("marked"), in_code=True):
        yield replace(mention, is_marked=True, strength=min(mention.strength, _SHAPED["private"]))


def _run_mentions(text: str, token: re.Match[str], *, in_code: bool) -> Iterator[CodeMention]:
    run: str = token["run"]
    word = run.lstrip(_EDGES_BEFORE).rstrip(_EDGES_AFTER)
    is_address = "://" in word.replace("file://", "") or "@" in word[1:] or word.startswith("www.")
    if not word or word[0] in "-–" or is_address:
        return
    start = token.start() + run.find(word)
    called = _is_call(token["call"], in_code)
    if called is False and (reading := read_path(word)) is not None:
        lines = reading.lines or _lines_after(text, token.end("run"))
        mention = _mention(reading._replace(lines=lines), word, start)
        if mention is not None:
            yield mention
        return
    for part, offset, last in _pieces(word):
        reading = read_name(part)
        if reading is None or (reading.mark == "*" and not in_code):
            continue
        mention = _mention(reading, part, start + offset, called=called and last)
        if mention is not None:
            yield mention


def _is_call(call: str | None, in_code: bool) -> bool:
    """`f()` and `f(…)` are calls. `file(s)` is not, and `f(x)` only in code."""
    return call is not None and (len(call) > 1 or in_code)


def _pieces(word: str) -> Iterator[tuple[str, int, bool]]:
    """The names in a word, each with its offset: `a_b/c_d` and `Store-Klasse` have two, routes and folders none."""
    if "/" in word:
        parts = word.strip("/").split("/")
        if (word[0] == "/" and len(parts) > 1) or len(parts) > 3 or not all(_is_shaped(part) for part in parts):
            return
    else:
        parts = re.split(r"-(?!>)", word)
    offset = 0
    for number, part in enumerate(parts):
        place = word.find(part, offset)
        offset = place + len(part)
        yield part, place, number == len(parts) - 1


def _is_shaped(part: str) -> bool:
    reading = read_name(part)
    return reading is not None and (bool(reading.qualifier) or bool(shape_of(reading.name)))


def _lines_after(text: str, position: int) -> LineRange | None:
    """Lines written out: `a.py, line 12` or `a.py (Zeilen 3 bis 9)`."""
    match = _LINES_AFTER.match(text, position)
    if match is None or not 1 <= int(match[1]) <= MAX_LINE:
        return None
    start = int(match[1])
    return LineRange(start, min(MAX_LINE, max(start, int(match[2] or start))))


def _mention(
    reading: NameReading, text: str, start: int, *, called: bool = False, marked: bool = False
) -> CodeMention | None:
    """The mention with its strength. None for keywords, products and abbreviations."""
    words = link_words()
    name, qualifier = reading.name, reading.qualifier
    if reading.path:
        strength = _PATH if "/" in reading.path or reading.lines or marked else _FILE
        return CodeMention(text, name, qualifier, reading.path, reading.lines, strength, is_marked=marked, start=start)
    shape = shape_of(name)
    is_ordinary = not shape and is_common(name)
    if not qualifier and (
        (name.lower() in words["keywords"] and not shape) or name in words["products"] or len(name) < 2
    ):
        return None
    if qualifier and not (marked or called) and _is_prose(qualifier, name):
        return None
    if called:
        strength = _CALLED_COMMON if is_ordinary and not qualifier else _CALLED
    elif marked:
        strength = _MARKED if shape or qualifier else _MARKED_COMMON if is_ordinary else _MARKED_WORD
    elif qualifier:
        strength = _QUALIFIED
    else:
        strength = _SHAPED.get(shape, _CUED)
    if reading.mark == "@" and not (marked or called or qualifier):
        strength = min(strength, _HANDLE if shape in ("", "camel") else _CUED)
    is_plain = not shape and not qualifier
    return CodeMention(text, name, qualifier, "", None, strength, called, marked, is_plain, start=start)


def _is_prose(qualifier: tuple[str, ...], name: str) -> bool:
    """A full stop without a space after it: `works.The`."""
    return len(qualifier) == 1 and name[:1].isupper() and name.lower() in _stop_words() and not shape_of(qualifier[0])
