"""Generates `docs/reference/commands.md` from `--help`: `python -m waypost.faces.cli.command_reference`."""

from collections import Counter
from collections.abc import Iterator, Sequence

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from waypost.faces.cli.entry import root_command

_HEAD = """# Commands

`waypost [-C DIR] [--person [NAME]] COMMAND [--json]`. Every command prints JSON with stable keys when given
`--json`. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found.

<!-- python -m waypost.faces.cli.command_reference > docs/reference/commands.md -->

Options that several commands have:

"""
_SHARED_BY = 4  # an option with the same text in so many commands is explained once


def page() -> str:
    root = root_command()
    lines = Counter(_line(option) for command in _commands(root) for option in _options(command))
    shared = sorted(line for line, count in lines.items() if count >= _SHARED_BY)
    sections = (_section(name, entry, shared) for name, entry in sorted(root.commands.items()) if not entry.hidden)
    return _HEAD + "".join(f"{line}\n" for line in shared) + "".join(sections)


def _commands(group: TyperGroup) -> Iterator[TyperCommand]:
    for entry in group.commands.values():
        if isinstance(entry, TyperGroup):
            yield from _commands(entry)
        elif isinstance(entry, TyperCommand) and not entry.hidden:
            yield entry


def _section(name: str, entry: object, shared: Sequence[str]) -> str:
    if isinstance(entry, TyperGroup):
        return f"\n## waypost {name}\n\n" + "".join(_items(entry, "", shared))
    assert isinstance(entry, TyperCommand)
    own = "".join(f"{line}\n" for line in _own_lines(entry, shared))
    return f"\n## waypost {_usage(name, entry)}\n\n{_text(entry, shared)}\n" + (f"\n{own}" if own else "")


def _items(group: TyperGroup, prefix: str, shared: Sequence[str]) -> Iterator[str]:
    """One list item for each command of a group, with its options below."""
    for name, entry in sorted(group.commands.items()):
        if isinstance(entry, TyperGroup):
            yield from _items(entry, f"{prefix}{name} ", shared)
        elif isinstance(entry, TyperCommand) and not entry.hidden:
            text = " ".join(_text(entry, shared).split())
            yield f"- **`{prefix}{_usage(name, entry)}`** {text}\n"
            yield from (f"  {line}\n" for line in _own_lines(entry, shared))


def _usage(name: str, command: TyperCommand) -> str:
    arguments = [p.metavar or (p.name or "").upper() for p in command.params if isinstance(p, TyperArgument)]
    return " ".join([name, *arguments])


def _text(command: TyperCommand, shared: Sequence[str]) -> str:
    """The help, and the names of the options that are explained at the top."""
    names = [f"`{option.opts[0]}`" for option in _options(command) if _line(option) in shared]
    also = f" Also {', '.join(names)}." if names else ""
    return f"{(command.help or '').strip()}{also}"


def _own_lines(command: TyperCommand, shared: Sequence[str]) -> list[str]:
    return [line for option in _options(command) if (line := _line(option)) not in shared]


def _options(command: TyperCommand) -> list[TyperOption]:
    return [p for p in command.params if isinstance(p, TyperOption) and not p.hidden and p.opts != ["--json"]]


def _line(option: TyperOption) -> str:
    spelled = ", ".join([*option.opts, *option.secondary_opts])
    metavar = "" if option.is_flag else f" {option.metavar or (option.name or '').upper()}"
    default = "" if option.is_flag or option.default in (None, "", ()) else f" ({option.default})"
    return f"- `{spelled}{metavar}` {option.help or ''}{default}"


if __name__ == "__main__":
    print(page(), end="")
