"""Imports conversations of other tools into the journal, from JSON lines or the tools' exports.

The whole file is checked before anything is written. Keys come from speaker, time and text: importing the same file or
a newer export again adds only new messages.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from waypost.compat.chat.messages import ChatMessage, messages_of, with_sessions
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.journal.entry_import import EntryImportReport, ImportPlan, Progress, bring, key_of, survey
from waypost.flows.move.import_rows import check_not_empty
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import Draft
from waypost.model.memory import Caller
from waypost.model.time import format_time
from waypost.store.open_databases import refuse_open_database
from waypost.text.json_fault import json_fault

CHAT = "chat"
_MOST_LINE = 16 * 1024 * 1024  # bytes of a JSON line
_MOST_ITEM = 512 * 1024 * 1024  # characters of one conversation
_BLOCK = 1 << 16
_LISTS = ("conversations", "data")  # fields with a list of conversations
_MOST_PROBLEMS = 10  # in an error message


def import_chat(space: OpenSpace, path: Path, caller: Caller, progress: Progress | None = None) -> EntryImportReport:
    """Import the chats of a file into the journal. Raises one InvalidInput with all problems of the file."""
    return bring(space, read_chat(path), caller, progress)


def survey_chat(space: OpenSpace, path: Path) -> EntryImportReport:
    """What the import would add."""
    return survey(space, read_chat(path))


def read_chat(path: Path) -> ImportPlan:
    """All messages of the file as drafts, in order of time."""
    messages: list[ChatMessage] = []
    wrong: list[str] = []
    empty = 0
    refuse_open_database(path)
    try:
        with path.open("rb") as file:
            check_not_empty(file, path)
            for where, item in _items(file, wrong):
                try:
                    read_messages = list(messages_of(item, where))
                except InvalidInput as error:
                    wrong.append(error.what)
                    continue
                messages += read_messages
                empty += not read_messages
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    drafts = []
    for message in with_sessions(messages):
        try:
            drafts.append(_draft(message))
        except WaypostError as error:
            wrong.append(f"{message.where}: {error.what}")
    if wrong:
        more = f"\n… and {len(wrong) - _MOST_PROBLEMS} more" if len(wrong) > _MOST_PROBLEMS else ""
        raise InvalidInput("\n".join(wrong[:_MOST_PROBLEMS]) + more, "Correct these and repeat; nothing was written.")
    notices = (f"{empty} without text left out",) if empty else ()
    return ImportPlan(CHAT, path, drafts, notices=notices)


def _draft(message: ChatMessage) -> Draft:
    return Draft.of(
        {
            "text": message.text,
            "kind": "conversation",
            "session": message.session,
            "speaker": message.speaker,
            "time": message.at,
            "key": key_of(CHAT, message.speaker, format_time(message.at), message.text),
        }
    )


# -- the objects of the file


def _items(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    """The objects in JSON lines, in an array, or the single object of the file. Adds problems to `wrong`."""
    first = file.readline(_MOST_LINE).removeprefix(b"\xef\xbb\xbf")
    while first.isspace():
        first = file.readline(_MOST_LINE)
    rest = file.read(_BLOCK)
    file.seek(0)
    if first.lstrip().startswith(b"["):
        objects = _array(file, wrong)
    elif not _is_json(first) and not rest.lstrip().startswith(b"{"):  # otherwise it is one bad line
        objects = _document(file, wrong)
    else:
        objects = _lines(file, wrong)
    for where, item in objects:
        listed = (
            next((item[name] for name in _LISTS if isinstance(item.get(name), list)), None)
            if isinstance(item, dict)
            else None
        )
        if listed is None:
            yield where, item
        else:
            yield from ((f"conversation {number}", conversation) for number, conversation in enumerate(listed, 1))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _lines(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    number = 0
    while line := file.readline(_MOST_LINE + 1):
        number += 1
        if len(line) > _MOST_LINE:
            wrong.append(f"line {number} is longer than {_MOST_LINE:,} bytes")
            return
        if line.strip():
            try:
                yield f"line {number}", json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:  # also bytes that are not UTF-8
                wrong.append(f"line {number} is not valid JSON: {json_fault(error)}")


def _document(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    """A single object that spans several lines."""
    try:
        yield "the file", json.loads(file.read(_MOST_ITEM).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        wrong.append(f"the file is not valid JSON: {json_fault(error)}")


def _array(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    """The members of an array, with only one in memory at a time."""

    decoder, text = json.JSONDecoder(), io.TextIOWrapper(file, "utf-8-sig")
    buffer, block, number, ended = text.read(_BLOCK).lstrip()[1:], _BLOCK, 1, False
    try:
        while True:
            buffer = buffer.lstrip(" \t\r\n,")
            if buffer.startswith("]"):
                return
            try:
                item, end = decoder.raw_decode(buffer) if buffer else (None, 0)
            except ValueError as error:
                if ended or len(buffer) > _MOST_ITEM:
                    wrong.append(f"item {number} is not valid JSON: {json_fault(error)}")
                    return
                end = 0
            if end and (end < len(buffer) or ended):  # a number at the end of the buffer may continue
                yield f"item {number}", item
                buffer, block, number = buffer[end:], _BLOCK, number + 1
                continue
            if ended:
                wrong.append("the list has no end: was the file cut off?")
                return
            more = text.read(block)  # doubled each time, so that a large member is not parsed too often
            buffer, block, ended = buffer + more, block * 2, not more
    except (UnicodeDecodeError, RecursionError) as error:
        wrong.append(f"item {number} cannot be read: {json_fault(error)}")
    finally:
        text.detach()
