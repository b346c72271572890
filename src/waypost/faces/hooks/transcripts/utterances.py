"""Separates what a speaker said from what programs added to a message.

Agents put reminders, command output and hook output into the same messages as a person's text. Waypost's own briefing comes
back that way too, and must never count as something the person said. In doubt, text is dropped.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from waypost.compat.chat.messages import storable_text
from waypost.model.session_turn import USER
from waypost.text.fence import TAG
from waypost.text.secrets.masking import mask

LONGEST_TURN = 20_000  # characters; longer ones are cut, with a mark
_MOST_READ = 200_000  # characters of one message
_COMMAND_NAME = re.compile(r"<command-name>\s*/?([\w:.-]{1,100})\s*</command-name>")
_COMMAND_ARGS = re.compile(r"<command-args>([^<]{0,20000})</command-args>")
_BRIEFING = re.compile(rf"(?:<|&lt;){TAG} (?P<mark>[0-9a-f]{{12}})(?:>|&gt;)")  # Gemini CLI escapes it
_ESCAPED_FENCE = re.compile(rf"&lt;(/?{TAG}[^&<>]{{0,40}})&gt;")
_ONLY_A_COMMAND = re.compile(r"[/?][\w:.-]{1,100}")


@dataclass(frozen=True, slots=True)
class _Marks:
    tags: re.Pattern[str]  # where added text begins or ends
    unwrapped: tuple[str, ...]
    openings: Mapping[str, tuple[str, ...]]  # by speaker
    requests: tuple[str, ...]


@cache
def _marks() -> _Marks:
    data = tomllib.loads(
        files("waypost.faces.hooks.transcripts").joinpath("transcripts.toml").read_text(encoding="utf-8")
    )
    names = "|".join(map(re.escape, (TAG, *data["dropped"].split())))
    return _Marks(
        re.compile(rf"<(?P<close>/?)(?P<name>{names})(?:\s[^<>]{{0,300}})?>", re.IGNORECASE),
        tuple(data["unwrapped"].split()),
        {
            speaker: tuple(opening.casefold() for opening in data[f"{speaker}_openings"])
            for speaker in ("user", "assistant")
        },
        tuple(data["requests"]),
    )


def spoken_text(text: str, speaker: str) -> str:
    """The part of a message that its speaker said, or ""."""
    text = _without_briefings(storable_text(text[:_MOST_READ]))
    text = _ESCAPED_FENCE.sub(r"<\1>", text)
    if speaker == USER:
        text = _unwrap(text)
    text = "".join(_outside(text)).strip()
    if text.casefold().startswith(_marks().openings[speaker]):
        return ""
    if speaker == USER and _ONLY_A_COMMAND.fullmatch(text):
        return ""
    return _cut(text)


def _without_briefings(text: str) -> str:
    """Remove Waypost's fences first, each up to its own end mark: a memory inside may contain any other end tag."""
    kept, position = [], 0
    while opening := _BRIEFING.search(text, position):
        kept.append(text[position : opening.start()])
        ends = (f"</{TAG} {opening['mark']}>", f"&lt;/{TAG} {opening['mark']}&gt;")
        endings = [
            (position_of_end, len(end)) for end in ends if (position_of_end := text.find(end, opening.end())) >= 0
        ]
        if not endings:  # cut off
            return "".join(kept)
        position = sum(min(endings))
    return "".join((*kept, text[position:]))


def _unwrap(text: str) -> str:
    """The text inside an agent's own tags, or after an editor's context."""
    name = _COMMAND_NAME.search(text)
    if name is not None:
        arguments = _COMMAND_ARGS.search(text)
        argument_text = arguments[1].strip() if arguments else ""
        return f"/{name[1]} {argument_text}" if argument_text else ""
    for tag in _marks().unwrapped:
        inside = list(_between(text, f"<{tag}>", f"</{tag}>"))
        if inside:
            text = "\n\n".join(inside)
    for line in _marks().requests:
        _, separator, after = text.rpartition(line)
        text = after if separator else text
    return text


def _between(text: str, opening: str, closing: str) -> Iterator[str]:
    """All text between these marks. A regex would start over at every unclosed opening."""
    start = text.find(opening)
    while start >= 0 and (end := text.find(closing, start)) >= 0:
        yield text[start + len(opening) : end]
        start = text.find(opening, end)


def _outside(text: str) -> Iterator[str]:
    """The parts of a text outside program tags. An unclosed tag at the start of a line reaches to the end, as programs write
    it; within a line someone mentions it. Waypost's own fence always reaches to the end."""
    position, depth, name, start = 0, 0, "", 0
    for mark in _marks().tags.finditer(text):
        tag = mark["name"].lower()
        if not depth:
            if mark["close"]:
                yield text[position : mark.start()]
                position = mark.end()
                continue
            name, start, depth = tag, mark.start(), 1
        elif tag == name:
            depth += -1 if mark["close"] else 1
            if not depth:
                yield text[position:start]
                position = mark.end()
    if depth and (name == TAG or not text[:start].rpartition("\n")[2].strip()):
        yield text[position:start]
    else:
        yield text[position:]


def _cut(text: str) -> str:
    """At most `LONGEST_TURN` characters. Secrets are masked first: a cut one would not be recognised."""
    if len(text) <= LONGEST_TURN:
        return text
    text = mask(text).text
    kept = text[:LONGEST_TURN]
    kept = kept[: max(kept.rfind("\n"), kept.rfind(" "), LONGEST_TURN // 2)].rstrip()
    return f"{kept}\n… [cut: {len(text) - len(kept):,} more characters]"
