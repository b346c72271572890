"""The command line, whole: importing the commands puts them into the framework, in the order of the help."""

from waypost.faces.cli import memories  # isort: skip
from waypost.faces.cli import reasons, learning, lifetimes  # isort: skip
from waypost.faces.cli import references, tree, adoption, discovering, hooks, scheduling, operations, backups  # isort: skip
from waypost.faces.cli import journaling, sharing  # isort: skip
from waypost.faces.cli import serving, tokens, team, team_people, team_spaces, team_access, migrating  # isort: skip
from waypost.faces.cli import setting_up  # isort: skip
from waypost.faces.cli.framework import app

__all__ = [
    "adoption",
    "app",
    "backups",
    "discovering",
    "hooks",
    "journaling",
    "learning",
    "lifetimes",
    "memories",
    "migrating",
    "operations",
    "reasons",
    "references",
    "scheduling",
    "serving",
    "setting_up",
    "sharing",
    "team",
    "team_access",
    "team_people",
    "team_spaces",
    "tokens",
    "tree",
]
