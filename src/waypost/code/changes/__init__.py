"""What a change did to a repository: read commits from git, parse and compare both sides of each file."""

from waypost.code.changes.commits import commits, file_as_new, uncommitted
from waypost.code.changes.raw import RawCommit, RawFile
from waypost.code.changes.read import change_set

__all__ = ["RawCommit", "RawFile", "change_set", "commits", "file_as_new", "uncommitted"]
