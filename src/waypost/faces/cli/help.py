"""Help of the command line: commands in groups, examples, other names of commands, and hints after a typing error.

`help.toml` has the groups and the examples. It is read only when help is printed.
"""

import tomllib
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import Any

from typer.core import TyperCommand, TyperGroup

ALIASES = {"search": "ask", "recall": "ask", "brief": "context"}
_LEAST_SIMILAR = 0.7  # below it, "did you mean" names commands that nobody meant
_AS_SIMILAR = 0.1  # further hints are at most this much worse than the best one
_OPTIONS = (
    ("-C DIR", "Use the project of this directory. Can stand anywhere."),
    ("--person [NAME]", "Use a personal memory (default: yours)."),
    ("--json", "Print JSON with stable keys (every command)."),
    ("-V, --version", "Print the version."),
    ("-h, --help", "Show this message, or the help of a command."),
)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("help.toml").read_text(encoding="utf-8"))


def groups() -> dict[str, list[str]]:
    """Names of commands by group, in the order of `waypost --help`."""
    table: dict[str, list[str]] = _table()["groups"]
    return table


def examples(name: str) -> list[str]:
    """Command lines that show a command. The root command has the name ''."""
    lines: list[str] = _table()["examples"].get(name, [])
    return lines


class DocumentedCommand(TyperCommand):
    """A command whose help ends with examples."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        _print_examples(self.name or "", ctx)


class CommandGroup(TyperGroup):
    """Commands with other names, and hints after a typing error."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, self._aliases().get(cmd_name, cmd_name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(_unknown(args[0], [*self._visible(), *self._aliases()]))
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        _print_examples(self.name or "", ctx)

    def _visible(self) -> list[str]:
        return [name for name, command in self.commands.items() if not command.hidden]

    def _aliases(self) -> dict[str, str]:
        return {}


class RootGroup(CommandGroup):
    """All commands, printed in groups."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  as the framework calls it
        print(self.help)
        print("\nUsage: waypost [-C DIR] COMMAND [OPTIONS]")
        width = max(map(len, self.commands)) + 2
        for title, names in groups().items():
            print(f"\n{title}")
            for name in names:
                print(f"  {name:<{width}}{first_sentence(self.commands[name].help or '')}")
        print("\nOptions")
        for option, meaning in _OPTIONS:
            print(f"  {option:<17}{meaning}")
        print("\nExamples")
        for line in examples(""):
            print(f"  {line}")
        others = ", ".join(f"{alias} = {name}" for alias, name in ALIASES.items())
        print(f"\nOther names: {others}. Options and examples of a command: waypost help COMMAND")

    def _aliases(self) -> dict[str, str]:
        return ALIASES


def first_sentence(help_text: str) -> str:
    """The first sentence of a help text, on one line."""
    line = " ".join(help_text.split("\n\n", maxsplit=1)[0].split())
    end = line.find(". ")
    return line if end < 0 else line[: end + 1]


def _print_examples(name: str, ctx: Any) -> None:
    """Print the examples of a command. Only commands of the root group have some."""
    lines = examples(name) if ctx.parent is not None and ctx.parent.parent is None else []
    if lines:
        print(" Examples\n" + "\n".join(f"   {line}" for line in lines) + "\n")


def _unknown(word: str, names: Iterable[str]) -> str:
    if " " in word.strip():
        return f"No command given. To search for this text: waypost ask {word[:60]!r}"
    similar = nearest(word, names)
    hint = f" Did you mean {' or '.join(similar)}?" if similar else " `waypost help` lists all commands."
    return f"No such command {word[:40]!r}.{hint}"


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """The names that are most like a mistyped word, the best first, or none."""
    low = word.casefold()
    ratios = {name: _similarity(low, name) for name in names}
    best = max(ratios.values(), default=0.0)
    near = [name for name, ratio in ratios.items() if ratio >= max(_LEAST_SIMILAR, best - _AS_SIMILAR)]
    return sorted(near, key=lambda name: (-ratios[name], name))[:3]


def _similarity(word: str, name: str) -> float:
    """How alike two words are. The same letters in another order count like half a wrong letter."""
    ratio = SequenceMatcher(None, word, name).ratio()
    return max(ratio, 1 - 0.5 / len(name)) if sorted(word) == sorted(name) else ratio
