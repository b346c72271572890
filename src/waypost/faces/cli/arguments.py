"""Rewrites `--person`, whose name is optional, into a form that the command framework can parse."""

COMMANDS = (
    "about",
    "adopt",
    "analyze",
    "architecture",
    "ask",
    "audit",
    "backup",
    "context",
    "correct",
    "decide",
    "discover",
    "doctor",
    "export",
    "exports",
    "forget",
    "history",
    "hook",
    "import",
    "init",
    "journal",
    "learn",
    "list",
    "maintain",
    "mcp",
    "migrate",
    "model",
    "promote",
    "protect",
    "rebuild",
    "reject",
    "relink",
    "remember",
    "restore",
    "retract",
    "review",
    "schedule",
    "serve",
    "setup",
    "share",
    "show",
    "stale",
    "status",
    "subtree",
    "summarize",
    "summary",
    "team",
    "token",
    "ttl",
    "verify",
    "watch",
    "why",
    "work",
)
MYSELF = "@me"  # `--person` without a name: the person from the settings


def normalize_person_option(arguments: list[str]) -> list[str]:
    """Write `--person` as `--person=NAME`, so that a following command is not read as the name."""
    rewritten = list(arguments)
    for index, word in enumerate(rewritten):
        if index and rewritten[index - 1] == "-C":
            continue  # a directory can have the name of a command
        if word in COMMANDS:
            break
        if word == "--person":
            following = rewritten[index + 1] if index + 1 < len(rewritten) else ""
            if not following or following in COMMANDS or following.startswith("-"):
                rewritten[index] = f"--person={MYSELF}"
            else:
                rewritten[index : index + 2] = [f"--person={following}"]
            break
    return rewritten
