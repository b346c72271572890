"""What commands that write memories share: options with values, text from standard input, receipts."""

import sys
from typing import TYPE_CHECKING, Any

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.output.memories import print_json, print_notices, print_receipt
from waypost.faces.cli.session import CommandSession, confirm, interactive
from waypost.model.kinds import LABELS

if TYPE_CHECKING:
    from waypost.memory import Memory
    from waypost.model.receipt import Receipt

_VALUE_FIELDS = ("kind", "domain", "session", "speaker", "time", "key")  # options that identify a rejected value
_MOST_INPUT = 4_000_000  # bytes of a text from standard input


def tags(given: list[str] | None) -> dict[str, str] | None:
    """`NAME=VALUE` options as a mapping."""
    if not given:
        return None
    pairs = [tag.partition("=") for tag in given]
    for name, mark, _ in pairs:
        if not mark or not name:
            raise InvalidInput(f"The tag {name[:40]!r} has no value.", "Write --tag NAME=VALUE.")
    return {name: value for name, _, value in pairs}


def labels(given: list[str] | None) -> dict[str, str]:
    """`NAME=VALUE` options whose names are labels."""
    pairs = [label.partition("=") for label in given or ()]
    for name, mark, value in pairs:
        if name not in LABELS or not mark or not value:
            raise InvalidInput(
                f"{name[:40]!r} is not a label with a value.", f"Write NAME=VALUE with {', '.join(LABELS)}."
            )
    return {name: value for name, _, value in pairs}


def remember_one(session: CommandSession, text: str | None, options: dict[str, Any], *, yes: bool, json: bool) -> None:
    if text is None:
        raise InvalidInput("There is no text.", "Give a text, - for standard input, or --batch FILE.jsonl.")
    text = text_given(text)
    memory = session.memory(yes=yes)
    receipt = memory.remember(text, **options)
    if receipt.status == "refused" and (yes or interactive()):
        receipt = _lift_and_repeat(memory, text, options, receipt, yes=yes)
    print_written(receipt, json=json)
    print_notices(session.no_project())


def text_given(text: str) -> str:
    """The text itself, or standard input for `-`."""
    if text != "-":
        return text
    given = sys.stdin.buffer.read(_MOST_INPUT + 1)
    if len(given) > _MOST_INPUT:
        raise InvalidInput(f"The input has more than {_MOST_INPUT:,} bytes.", "Split it, or use --ref.")
    return given.decode("utf-8", "surrogateescape")


def _lift_and_repeat(
    memory: "Memory", text: str, options: dict[str, Any], refused: "Receipt", *, yes: bool
) -> "Receipt":
    confirm(f"Refused: {refused.reason}. Store it anyway?", yes=yes)
    if not memory.facts.lift_rejection(text, **{name: options[name] for name in _VALUE_FIELDS if name in options}):
        return refused
    return memory.remember(text, **options)


def print_written(receipt: "Receipt", *, json: bool) -> None:
    print_json(receipt.to_json()) if json else print_receipt(receipt)
    if receipt.status == "refused":
        raise typer.Exit(1)
