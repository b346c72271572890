"""The whole command line. Importing the command modules registers them, in the order of `--help`."""

from waypost.faces.cli.commands import memories  # noqa: F401  # isort: skip
from waypost.faces.cli.commands import decisions, facts  # noqa: F401  # isort: skip
from waypost.faces.cli.commands import code_links, structure, index, adopt, discover, hooks, schedule, admin, backup  # noqa: F401  # isort: skip
from waypost.faces.cli.commands import journal, share  # noqa: F401  # isort: skip
from waypost.faces.cli.commands import serve, tokens  # noqa: F401  # isort: skip
from waypost.faces.cli.team import database, people, spaces, access  # noqa: F401  # isort: skip
from waypost.faces.cli.commands import migrate, settings, setup, completion  # noqa: F401  # isort: skip
from waypost.faces.cli.framework import app

__all__ = ["app"]
