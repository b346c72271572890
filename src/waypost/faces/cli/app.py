"""The whole command line. Importing the command modules registers them, in the order of `--help`."""

from waypost.faces.cli.commands import memories  # isort: skip
from waypost.faces.cli.commands import decisions, facts, ttl  # isort: skip
from waypost.faces.cli.commands import code_links, index, adopt, discover, hooks, schedule, admin, backup  # isort: skip
from waypost.faces.cli.commands import journal, share  # isort: skip
from waypost.faces.cli.commands import serve, tokens  # isort: skip
from waypost.faces.cli.team import database, people, spaces, access  # isort: skip
from waypost.faces.cli.commands import migrate, setup  # isort: skip
from waypost.faces.cli.framework import app

__all__ = [
    "access",
    "admin",
    "adopt",
    "app",
    "backup",
    "code_links",
    "database",
    "decisions",
    "discover",
    "facts",
    "hooks",
    "index",
    "journal",
    "memories",
    "migrate",
    "people",
    "schedule",
    "serve",
    "setup",
    "share",
    "spaces",
    "tokens",
    "ttl",
]
