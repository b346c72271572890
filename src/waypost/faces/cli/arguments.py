"""Rewrites options of the root command into a form that the command framework can parse."""

from collections.abc import Collection

MYSELF = "@me"  # `--person` without a name: the person from the settings


def normalize_person_option(arguments: list[str], commands: Collection[str]) -> list[str]:
    """Write `--person` as `--person=NAME`, so that a following command is not read as the name."""
    rewritten = list(arguments)
    for index, word in enumerate(rewritten):
        if index and rewritten[index - 1] == "-C":
            continue  # a directory can have the name of a command
        if word in commands:
            break
        if word == "--person":
            following = rewritten[index + 1] if index + 1 < len(rewritten) else ""
            if not following or following in commands or following.startswith("-"):
                rewritten[index] = f"--person={MYSELF}"
            else:
                rewritten[index : index + 2] = [f"--person={following}"]
            break
    return rewritten


def move_directory_first(arguments: list[str]) -> list[str]:
    """Put every `-C DIR` before the command, wherever it stands. Words behind `--` are texts and stay."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    moved: list[str] = []
    rest: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        if word.startswith("-C") and len(word) > len("-C"):  # "-C.."
            moved.extend(("-C", word.removeprefix("-C").removeprefix("=")))
            continue
        target = moved if word == "-C" else rest
        target.append(word)
        if word == "-C":
            target.extend(directory for directory in [next(words, None)] if directory is not None)
    return [*moved, *rest, *arguments[end:]]
