"""The command line, whole: importing the commands puts them into the framework, in the order of the help."""

from waypost.faces.cli import hooks, learning, memories, operations, references, tree
from waypost.faces.cli.framework import app

__all__ = ["app", "hooks", "learning", "memories", "operations", "references", "tree"]
