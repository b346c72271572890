"""Spaces: which memory a directory or a person has, where it is stored, and how its paths are checked."""

from waypost.space.identity import Identity, identify, identify_person
from waypost.space.metadata import Metadata, read_metadata, write_metadata
from waypost.space.place import check_claimed_id, open_space, safe_relative_path, space_directory

__all__ = [
    "Identity",
    "Metadata",
    "check_claimed_id",
    "identify",
    "identify_person",
    "open_space",
    "read_metadata",
    "safe_relative_path",
    "space_directory",
    "write_metadata",
]
