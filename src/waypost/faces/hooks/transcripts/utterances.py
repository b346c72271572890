"""What of a message's text was said, and what a program put into it.

Agents write reminders, the output of commands and what hooks gave them into the same messages as a person's words. Our
own briefing comes back that way too, and must never pass for something that the person said. Where it cannot be told,
words are rather lost than made up.
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

LONGEST_TURN = 20_000  # characters; of a longer one the beginning is kept, with a mark
_MOST_READ = 200_000  # characters of one message
_COMMAND_NAME = re.compile(r"<command-name>\s*/?([\w:.-]{1,100})\s*</command-name>")
_COMMAND_ARGS = re.compile(r"<command-args>([^<]{0,20000})</command-args>")
_BRIEFING = re.compile(rf"(?:<|&lt;){TAG} (?P<mark>[0-9a-f]{{12}})(?:>|&gt;)")  # escaped as by Gemini CLI
_ESCAPED_FENCE = re.compile(rf"&lt;(/?{TAG}[^&<>]{{0,40}})&gt;")
_ONLY_A_COMMAND = re.compile(r"[/?][\w:.-]{1,100}")


@dataclass(frozen=True, slots=True)
class _Marks:
    tags: re.Pattern[str]  # where something that was not said begins or ends
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
        {speaker: tuple(one.casefold() for one in data[f"{speaker}_openings"]) for speaker in ("user", "assistant")},
        tuple(data["requests"]),
    )


def said(text: str, speaker: str) -> str:
    """The words of a message that its speaker said; "" where there are none."""
    text = _without_briefings(storable_text(text[:_MOST_READ]))
    text = _ESCAPED_FENCE.sub(r"<\1>", text)
    if speaker == USER:
        text = _unwrapped(text)
    text = _without_tags(text).strip()
    if text.casefold().startswith(_marks().openings[speaker]):
        return ""
    if speaker == USER and _ONLY_A_COMMAND.fullmatch(text):
        return ""
    return _cut(text)


def _without_briefings(text: str) -> str:
    """Our own fences go first, each up to the end that has its number: a memory inside may hold the end of any other tag."""
    kept, position = [], 0
    while opening := _BRIEFING.search(text, position):
        kept.append(text[position : opening.start()])
        ends = (f"</{TAG} {opening['mark']}>", f"&lt;/{TAG} {opening['mark']}&gt;")
        found = [(place, len(end)) for end in ends if (place := text.find(end, opening.end())) >= 0]
        if not found:  # cut on its way
            return "".join(kept)
        position = sum(min(found))
    return "".join((*kept, text[position:]))


def _unwrapped(text: str) -> str:
    """The words that an agent has put between tags of its own, or after the context of an editor."""
    name = _COMMAND_NAME.search(text)
    if name is not None:
        words = _COMMAND_ARGS.search(text)
        told = words[1].strip() if words else ""
        return f"/{name[1]} {told}" if told else ""
    for tag in _marks().unwrapped:
        inside = list(_between(text, f"<{tag}>", f"</{tag}>"))
        if inside:
            text = "\n\n".join(inside)
    for line in _marks().requests:
        _, found, after = text.rpartition(line)
        text = after if found else text
    return text


def _between(text: str, opening: str, closing: str) -> Iterator[str]:
    """What stands between these, time and again; a pattern would begin anew at every opening that nothing closes."""
    start = text.find(opening)
    while start >= 0 and (end := text.find(closing, start)) >= 0:
        yield text[start + len(opening) : end]
        start = text.find(opening, end)


def _without_tags(text: str) -> str:
    return "".join(_outside(text))


def _outside(text: str) -> Iterator[str]:
    """The pieces of a text that stand in no tag of a program. One that is not closed reaches to the end where it begins a
    line, as programs write them; inside of a line somebody speaks about it. Our own fence always does."""
    position, depth, name, start = 0, 0, "", 0
    for mark in _marks().tags.finditer(text):
        found = mark["name"].lower()
        if not depth:
            if mark["close"]:
                yield text[position : mark.start()]
                position = mark.end()
                continue
            name, start, depth = found, mark.start(), 1
        elif found == name:
            depth += -1 if mark["close"] else 1
            if not depth:
                yield text[position:start]
                position = mark.end()
    if depth and (name == TAG or not text[:start].rpartition("\n")[2].strip()):
        yield text[position:start]
    else:
        yield text[position:]


def _cut(text: str) -> str:
    """At most `LONGEST_TURN` characters. What is secret is masked before: half of it no mask would know."""
    if len(text) <= LONGEST_TURN:
        return text
    text = mask(text).text
    kept = text[:LONGEST_TURN]
    kept = kept[: max(kept.rfind("\n"), kept.rfind(" "), LONGEST_TURN // 2)].rstrip()
    return f"{kept}\n… [cut: {len(text) - len(kept):,} more characters]"
