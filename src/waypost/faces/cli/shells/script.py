"""Completion scripts: commands and options are part of the script; a call of Waypost completes ids and symbols.

So a shell starts Waypost only to complete an id or a symbol.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from waypost.errors import InvalidInput
from waypost.faces.cli.entry import root_command
from waypost.faces.cli.help import ALIASES, first_sentence
from waypost.faces.setup.agents import agents

SHELLS = ("bash", "zsh", "fish")
_CHOICES = {  # options and arguments with a fixed set of words
    "--in": "all code functions database architecture journal facts",
    "--preset": "scope route inject journal",
    "--direction": "callers callees implementors supertypes subtypes importers references",
    "--on-expire": "stale archive delete",
    "[approve|reject|edit|restore]": "approve reject edit restore",
    "SHELL": " ".join(SHELLS),
    "[AGENT]": " ".join(agents()),
    "--agent": " ".join(agents()),
    "--kind": "fact decision constraint learning fix note preference conversation",
}


@dataclass(frozen=True, slots=True)
class _Option:
    names: tuple[str, ...]
    help: str
    kind: str  # of its value: ids, symbols, files, words, any; empty for a flag
    words: str = ""


@dataclass(frozen=True, slots=True)
class _Command:
    path: str  # such as `journal add`; empty for the root
    help: str
    inner: tuple[str, ...]
    options: tuple[_Option, ...]
    kind: str  # of its arguments
    words: str


def completion_script(shell: str) -> str:
    """The script for a shell. Raises InvalidInput for one that has none."""
    if shell not in SHELLS:
        raise InvalidInput(f"There is no completion for {shell[:40]!r}.", f"Use {', '.join(SHELLS)}.")
    template = files(__package__).joinpath(f"{shell}.txt").read_text(encoding="utf-8")
    commands = list(_commands("", root_command()))
    if shell == "fish":
        paths = " ".join(_quoted(command.path) for command in commands if command.path)
        return template.replace("%COMMANDS%", paths).replace("%TABLE%", "\n".join(_fish_lines(commands)))
    return template.replace("%TABLE%", _cases(commands))


def _commands(path: str, group: TyperGroup) -> Iterator[_Command]:
    aliases = ALIASES if not path else {}
    visible = {name: command for name, command in group.commands.items() if not command.hidden}
    named = {**visible, **{alias: visible[name] for alias, name in aliases.items()}}
    options = (*_options(group), *((_Option(("-C",), "", "files"),) if not path else ()))
    yield _Command(path, group.help or "", tuple(named), tuple(dict.fromkeys(options)), "", "")
    for name, command in named.items():
        inner = f"{path} {name}".strip()
        if isinstance(command, TyperGroup):
            yield from _commands(inner, command)
        elif isinstance(command, TyperCommand):
            arguments = [p.metavar or (p.name or "").upper() for p in command.params if isinstance(p, TyperArgument)]
            words = next((_CHOICES[argument] for argument in arguments if argument in _CHOICES), "")
            kind = next((kind for argument in arguments if (kind := _kind(argument)) not in ("", "any")), "")
            yield _Command(inner, command.help or "", (), tuple(_options(command)), kind, words)


def _options(command: TyperCommand | TyperGroup) -> Iterator[_Option]:
    for option in command.params:
        if isinstance(option, TyperOption) and not option.hidden and option.name != "help":
            names = (*option.opts, *option.secondary_opts)
            words = next((_CHOICES[name] for name in names if name in _CHOICES), "")
            metavar = option.metavar or (option.type.name if option.type else "")
            kind = "" if option.is_flag else "words" if words else _kind(metavar.upper()) or "any"
            yield _Option(names, option.help or "", kind, words)


def _kind(metavar: str) -> str:
    """What completes a value, by the name that help gives it."""
    if metavar.strip("[].") in ("ID", "ID|PATH"):
        return "ids"
    if metavar in ("SYMBOL", "[SYMBOL]", "[NAME]"):
        return "symbols"
    return "files" if any(word in metavar for word in ("PATH", "FILE", "DIR")) else ""


def _cases(commands: list[_Command]) -> str:
    """The table as functions of bash and zsh."""
    paths = "|".join(_quoted(command.path) for command in commands if command.path)
    lines = ["_waypost_is_command() {", f'    case "$1" in {paths}) return 0 ;; esac', "    return 1", "}"]
    lines += ["_waypost_command() {", '    case "$1" in']
    for command in commands:
        words = [*command.inner, *command.words.split(), *(name for option in command.options for name in option.names)]
        lines.append(
            f"        {_quoted(command.path)}) words={_quoted(' '.join(words))}; kind={_quoted(command.kind)} ;;"
        )
    lines += ["    esac", "}", "_waypost_value() {", '    case "$1 $2" in']
    for command in commands:
        for option in command.options:
            if option.kind:
                pattern = "|".join(_quoted(f"{command.path} {name}") for name in option.names)
                kind = "files" if option.kind == "any" else "" if option.kind == "words" else option.kind
                lines.append(f"        {pattern}) words={_quoted(option.words)}; kind={_quoted(kind)}; return 0 ;;")
    lines += ["    esac", "    return 1", "}"]
    return "\n".join(lines)


def _fish_lines(commands: list[_Command]) -> Iterator[str]:
    helps = {command.path: first_sentence(command.help) for command in commands}
    for command in commands:
        at = f"complete -c waypost -n {_quoted(f'__waypost_at {_quoted_inside(command.path)}')}"
        for name in command.inner:
            yield f"{at} -a {name} -d {_quoted(helps[f'{command.path} {name}'.strip()])}"
        for word in command.words.split():
            yield f"{at} -a {word}"
        if command.kind:
            yield f"{at} {_fish_values(command.kind)}"
        for option in command.options:
            spelled = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            values = f" -x -a {_quoted(option.words)}" if option.words else ""
            values = f" -r {_fish_values(option.kind)}" if option.kind and not option.words else values
            if spelled != "-s C":
                yield f"{at} {spelled}{values} -d {_quoted(first_sentence(option.help))}"


def _fish_values(kind: str) -> str:
    return f"-f -a '(waypost complete {kind} (commandline -ct) 2>/dev/null)'" if kind in ("ids", "symbols") else "-F"


def _quoted(text: str) -> str:
    """A text in single quotes, for every shell. Help has no backslashes; a quotation mark becomes a typographic one."""
    return "'" + text.replace("\\", "").replace("'", "’") + "'"


def _quoted_inside(text: str) -> str:
    return f'"{text}"'
