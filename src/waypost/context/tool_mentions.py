"""Where a text names what a tool is about to use: a file, a folder above it, a command, or a name in a command."""

import contextlib
import posixpath
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_MOST_READ = 2000  # characters of a command
_MOST_COMMANDS = 8  # of a line
_SEPARATORS = ";|&()\n"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PROGRAM = re.compile(r"[\w.+-]{2,40}")
_PLAIN = re.compile(r"[\w.:/-]{1,40}")
_ARGUMENT = re.compile(r"[\w.:@-]{5,100}")
_IN_NAME = re.compile(r"\w[.:@_-]\w|\d")
_AT_END = r"(?![\w/-])(?!\.\w)"  # of a path
_SHELLS = frozenset(("sh", "bash", "zsh", "dash"))
_RUNS_TEXT = re.compile(r"-\w*c")
# They run the command behind them.
_WRAPPERS = frozenset(
    ["sudo", "time", "nice", "env", "nohup", "exec", "command", "timeout", "xargs", "npx", "bunx", "uvx", "pipx"]
)
_RUNNERS = frozenset(["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "pnpm", "yarn", "npm", "conda"])
_RUN = frozenset(("run", "exec", "dlx", "x"))
_INTERPRETERS = re.compile(r"(?:python|pypy)[\d.]*")
# They look, move or print: no rule is about them, and their names are words of every text.
_PLUMBING = frozenset(
    [
        "cd",
        "ls",
        "cat",
        "head",
        "tail",
        "less",
        "more",
        "grep",
        "rg",
        "ag",
        "fd",
        "find",
        "sed",
        "awk",
        "echo",
        "printf",
        "wc",
        "sort",
        "uniq",
        "cut",
        "tr",
        "tee",
        "test",
        "pwd",
        "which",
        "true",
        "false",
        "mkdir",
        "touch",
        "cp",
        "mv",
        "ln",
        "set",
        "export",
        "source",
        "diff",
        "xxd",
        "jq",
        "sleep",
        "kill",
        "ps",
        "read",
        "if",
        "then",
        "else",
        "fi",
        "for",
        "do",
        "done",
        "while",
    ]
)
# What they do depends on their first argument: a text about `git push` is not about `git status`.
_WITH_SUBCOMMANDS = frozenset(
    [
        "git",
        "go",
        "make",
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "docker",
        "podman",
        "kubectl",
        "helm",
        "cargo",
        "gh",
        "glab",
        "terraform",
        "pip",
        "uv",
        "poetry",
        "bundle",
        "rails",
        "rake",
        "mix",
        "dotnet",
        "gradle",
        "mvn",
        "just",
        "task",
        "systemctl",
        "brew",
        "apt",
        "aws",
        "gcloud",
        "az",
        "composer",
        "php",
        "python",
        "node",
        "ruby",
        "java",
        "deno",
        "flask",
        "hg",
        "svn",
    ]
)
_COMMON_WORDS = frozenset(("make", "go", "just", "task", "flask", "time"))  # which a text uses without the program


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """A program that a command line runs, without what wraps it."""

    program: str
    arguments: tuple[str, ...] = ()

    @property
    def subcommand(self) -> str:
        return next((each for each in self.arguments if not each.startswith("-") and _PLAIN.fullmatch(each)), "")

    def __str__(self) -> str:
        words = (self.program, self.subcommand if self.program in _WITH_SUBCOMMANDS else "")
        return " ".join(word for word in words if word)


def commands_in(line: str) -> list[ProgramCall]:
    """The programs of a command line, the same ones once. Those that only look around are left out."""
    commands, words = dict[ProgramCall, None](), list[str]()
    for token in [*_tokens(line[:_MOST_READ].partition("<<")[0]), ";"]:  # behind `<<` is what a program reads
        if token.strip(_SEPARATORS):
            words.append(token)
            continue
        if words and posixpath.basename(words[0]) in _SHELLS and _RUNS_TEXT.fullmatch(words[1] if words[1:] else ""):
            commands |= dict.fromkeys(commands_in(" ".join(words[2:])))
        elif command := _command(words):
            commands[command] = None
        words = []
    return list(commands)[:_MOST_COMMANDS]


def _tokens(line: str) -> Iterator[str]:
    """Words and separators, up to a quotation that has no end."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    with contextlib.suppress(ValueError):
        yield from lexer


def _command(words: Sequence[str]) -> ProgramCall | None:
    rest = list(words)
    while rest:
        first = posixpath.basename(rest[0])
        if _ASSIGNMENT.match(rest[0]):
            del rest[0]
        elif first in _WRAPPERS:
            del rest[0]
            while rest and (rest[0].startswith("-") or rest[0].rstrip("smh").isdecimal()):
                del rest[0]
        elif (_INTERPRETERS.fullmatch(first) and rest[1:2] == ["-m"]) or (
            first in _RUNNERS
            and rest[1:2]
            and rest[1] in _RUN
            and len(rest) > 2
            and first not in ("npm", "pnpm", "yarn")
        ):
            del rest[:2]
        elif first in _PLUMBING or not _PROGRAM.fullmatch(first):
            return None
        else:
            return ProgramCall(first, tuple(rest[1:]))
    return None


@dataclass(frozen=True)
class ToolMentions:
    """What a text may call what a tool uses. `files`: paths inside the project; `single`: those whose name no other has."""

    files: Sequence[str] = ()
    commands: Sequence[ProgramCall] = ()
    single: Collection[str] = ()

    def name(self, text: str) -> bool:
        """Whether a text names one of them."""
        return any(pattern.search(text) for pattern in self._patterns)

    def place(self, text: str) -> tuple[int, int] | None:
        """Where a text first names one of them."""
        matches = (pattern.search(text) for pattern in self._patterns)
        return min((match.span() for match in matches if match is not None), default=None)

    @property
    def words(self) -> str:
        """Words to search for texts that may name them."""
        folders = (posixpath.dirname(path) for path in self.files)
        arguments = (name for command in self.commands for name in _names(command))
        return " ".join((*self.files, *folders, *map(str, self.commands), *arguments))

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(pattern, flags) for pattern, flags in dict.fromkeys(self._sources())]

    def _sources(self) -> Iterator[tuple[str, int]]:
        for path in self.files:
            yield from ((source, 0) for source in _path_sources(path, is_single=path in self.single))
        for command in self.commands:
            yield _program_source(command), re.IGNORECASE
            yield from ((rf"(?<![\w-]){re.escape(name)}(?![\w-])", 0) for name in _names(command))


def _path_sources(path: str, *, is_single: bool) -> Iterator[str]:
    """A file by the end of its path, and the folders above it: `src/app/`, or `src/app` without a slash at its end."""
    *folders, name = path.split("/")
    if folders:
        yield rf"(?<![\w./-])(?:\./)?(?:{_ends(folders)}){re.escape(name)}(?![\w/-])"
    if is_single or not folders:
        yield rf"(?<![\w./-]){re.escape(name)}(?![\w/-])"
    for depth in range(1, len(folders) + 1):
        *above, last = folders[:depth]
        within = rf"{re.escape(last)}/\**{_AT_END}"
        yield (
            rf"(?<![\w./-])(?:{_ends(above)})(?:{within}|{re.escape(last)}{_AT_END})"
            if above
            else rf"(?<![\w./-]){within}"
        )


def _ends(folders: Sequence[str]) -> str:
    """Each end of a path of folders, the longest first: `src/app/` or `app/`."""
    return "|".join("".join(f"{re.escape(each)}/" for each in folders[start:]) for start in range(len(folders)))


def _program_source(command: ProgramCall) -> str:
    program = re.escape(command.program)
    if command.program not in _WITH_SUBCOMMANDS:
        return rf"(?<![\w./-]){program}(?![\w/-])"
    sources = []
    if command.subcommand:
        sources.append(rf"(?<![\w./-]){program}\s+(?:-\S+\s+)*{re.escape(command.subcommand)}(?![\w-])")
    if command.program not in _COMMON_WORDS:  # alone, or before punctuation
        sources.append(rf"(?<![\w./-]){program}(?=\s*(?:$|[^\w\s./-]|\.(?!\w)))")
    return "|".join(sources) or r"(?!)"


def _names(command: ProgramCall) -> Iterator[str]:
    """Arguments that are no plain words and no files: hosts, environments, versions."""
    for argument in command.arguments:
        for part in argument.split("="):
            host, _, path = re.sub(r"^[a-z]+://", "", part).partition("/")
            is_file = bool(path) and "://" not in part
            if not is_file and _ARGUMENT.fullmatch(host) and _IN_NAME.search(host) and not host.isdecimal():
                yield host
