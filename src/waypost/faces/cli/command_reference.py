"""Generates `docs/reference/commands.md` from `--help`: `python -m waypost.faces.cli.command_reference`."""

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from waypost.faces.cli.entry import root_command

_HEAD = """# Commands

`waypost [-C DIR] [--person [NAME]] COMMAND [--json]`. Every command prints JSON with stable keys when given
`--json`. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found.

Generated from `--help`: `python -m waypost.faces.cli.command_reference > docs/reference/commands.md`.
"""


def page() -> str:
    return _HEAD + "".join(_section(command, f"waypost {name}") for name, command in _visible(root_command()))


def _visible(group: TyperGroup) -> list[tuple[str, TyperCommand]]:
    commands: list[tuple[str, TyperCommand]] = []
    for name, entry in sorted(group.commands.items()):
        if isinstance(entry, TyperGroup):
            commands += [(f"{name} {inner}", subcommand) for inner, subcommand in _visible(entry)]
        elif isinstance(entry, TyperCommand) and not entry.hidden:
            commands.append((name, entry))
    return commands


def _section(command: TyperCommand, name: str) -> str:
    arguments = [p.metavar or (p.name or "").upper() for p in command.params if isinstance(p, TyperArgument)]
    options = [p for p in command.params if isinstance(p, TyperOption) and not p.hidden and p.opts != ["--json"]]
    table = "\n| option | meaning |\n|---|---|\n" + "\n".join(map(_row, options)) + "\n" if options else ""
    return f"\n## {' '.join([name, *arguments])}\n\n{command.help}\n{table}"


def _row(option: TyperOption) -> str:
    spelled = ", ".join(option.opts)
    metavar = "" if option.is_flag else f" {option.metavar or (option.name or '').upper()}"
    default = "" if option.is_flag or option.default in (None, "", ()) else f" ({option.default})"
    return f"| `{spelled}{metavar}` | {(option.help or '').replace('|', chr(92) + '|')}{default} |"


if __name__ == "__main__":
    print(page(), end="")
