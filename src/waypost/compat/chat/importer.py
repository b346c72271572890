"""Conversations of another tool become entries of the journal: JSON lines of role, content and time, or its export.

The whole file is checked before anything is written. Keys come from who said what when: the same file again, or a newer
export of the same chats, adds only what is new.
"""

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
_LISTS = ("conversations", "data")  # where an object lists conversations
_SHOWN = 10  # bad places told in full


def import_chat(space: OpenSpace, path: Path, caller: Caller, progress: Progress | None = None) -> EntryImportReport:
    """Bring the chats of a file into the journal, or raise one error that names what is wrong with it."""
    return bring(space, read_chat(path), caller, progress)


def survey_chat(space: OpenSpace, path: Path) -> EntryImportReport:
    """What such an import would bring."""
    return survey(space, read_chat(path))


def read_chat(path: Path) -> ImportPlan:
    """All messages of the file as drafts, by time."""
    messages: list[ChatMessage] = []
    wrong: list[str] = []
    empty = 0
    refuse_open_database(path)
    try:
        with path.open("rb") as file:
            check_not_empty(file, path)
            for where, item in _items(file, wrong):
                try:
                    found = list(messages_of(item, where))
                except InvalidInput as error:
                    wrong.append(error.what)
                    continue
                messages += found
                empty += not found
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    drafts = []
    for message in with_sessions(messages):
        try:
            drafts.append(_draft(message))
        except WaypostError as error:
            wrong.append(f"{message.where}: {error.what}")
    if wrong:
        more = f"\n… and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise InvalidInput("\n".join(wrong[:_SHOWN]) + more, "Correct these and repeat; nothing was written.")
    notices = (f"{empty} without words left out",) if empty else ()
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


# -- the file's objects, one after the other


def _items(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    """The objects of JSON lines, of an array, or the one that the file is. What cannot be read is told in `wrong`."""
    first = file.readline(_MOST_LINE).removeprefix(b"\xef\xbb\xbf")
    while first.isspace():
        first = file.readline(_MOST_LINE)
    rest = file.read(_BLOCK)
    file.seek(0)
    if first.lstrip().startswith(b"["):
        found = _array(file, wrong)
    elif not _is_json(first) and not rest.lstrip().startswith(b"{"):  # else it is a bad line among others
        found = _document(file, wrong)
    else:
        found = _lines(file, wrong)
    for where, item in found:
        listed = (
            next((item[name] for name in _LISTS if isinstance(item.get(name), list)), None)
            if isinstance(item, dict)
            else None
        )
        if listed is None:
            yield where, item
        else:
            yield from ((f"conversation {number}", one) for number, one in enumerate(listed, 1))


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
            except (ValueError, RecursionError) as error:  # also bytes that are no UTF-8
                wrong.append(f"line {number} is not valid JSON: {json_fault(error)}")


def _document(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    """One object that is printed over several lines."""
    try:
        yield "the file", json.loads(file.read(_MOST_ITEM).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        wrong.append(f"the file is not valid JSON: {json_fault(error)}")


def _array(file: IO[bytes], wrong: list[str]) -> Iterator[tuple[str, Any]]:
    """The members of an array, read piece by piece: never more than one of them is held."""
    import io  # only here

    decoder, text = json.JSONDecoder(), io.TextIOWrapper(file, "utf-8-sig")
    held, block, number, ended = text.read(_BLOCK).lstrip()[1:], _BLOCK, 1, False
    try:
        while True:
            held = held.lstrip(" \t\r\n,")
            if held.startswith("]"):
                return
            try:
                item, end = decoder.raw_decode(held) if held else (None, 0)
            except ValueError as error:
                if ended or len(held) > _MOST_ITEM:
                    wrong.append(f"item {number} is not valid JSON: {json_fault(error)}")
                    return
                end = 0
            if end and (end < len(held) or ended):  # a number at the end may go on
                yield f"item {number}", item
                held, block, number = held[end:], _BLOCK, number + 1
                continue
            if ended:
                wrong.append("the list does not end: was the file cut off?")
                return
            more = text.read(block)  # twice as much with every try, lest a large member be read again and again
            held, block, ended = held + more, block * 2, not more
    except (UnicodeDecodeError, RecursionError) as error:
        wrong.append(f"item {number} cannot be read: {json_fault(error)}")
    finally:
        text.detach()
