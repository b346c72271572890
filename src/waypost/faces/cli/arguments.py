"""What the command framework cannot say itself: `--person` with or without a name."""

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
MYSELF = "@me"  # `--person` alone: the person of the settings


def settle_person(arguments: list[str]) -> list[str]:
    """Write `--person` as `--person=NAME`, so that the command after a bare one is not taken for a name."""
    settled = list(arguments)
    for place, word in enumerate(settled):
        if place and settled[place - 1] == "-C":
            continue  # a directory may have the name of a command
        if word in COMMANDS:
            break
        if word == "--person":
            following = settled[place + 1] if place + 1 < len(settled) else ""
            if not following or following in COMMANDS or following.startswith("-"):
                settled[place] = f"--person={MYSELF}"
            else:
                settled[place : place + 2] = [f"--person={following}"]
            break
    return settled
