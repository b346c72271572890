"""Rewrites `--person`, whose name is optional, into a form that the command framework can parse."""

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
