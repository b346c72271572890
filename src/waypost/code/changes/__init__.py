"""What a change did to a tree: commits are read from git, and both sides of every file are parsed and compared."""

from waypost.code.changes.commits import commits, file_as_new, uncommitted
from waypost.code.changes.raw import RawCommit, RawFile
from waypost.code.changes.read import change_set

__all__ = ["RawCommit", "RawFile", "change_set", "commits", "file_as_new", "uncommitted"]
