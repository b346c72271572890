"""Parameters that several routes share, with their documentation."""

from typing import Annotated

from fastapi import Header, Path, Query

from waypost.faces.rest.listing import LONGEST_CURSOR
from waypost.flows.links.about import MOST_ABOUT
from waypost.model.reference import MAX_LINE

ID = r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$"
AN_ID = "01kg7v5w2m8x4q9z3b6d1f0hjk"
MOST_ON_A_PAGE = 200
LONGEST_QUESTION = 10_000
LONGEST_IN_AN_ADDRESS = 2_000
LONGEST_LINE = 500
LONGEST_PATH = 4096

MemoryId = Annotated[str, Path(pattern=ID, description="A memory's id.", examples=[AN_ID])]
CandidateId = Annotated[str, Path(pattern=ID, description="A proposed fact's id.", examples=[AN_ID])]
JobId = Annotated[str, Path(pattern=ID, description="A job's id.", examples=[AN_ID])]

AsOf = Annotated[
    str | None,
    Query(
        min_length=4,
        max_length=64,
        description="Show what was true at this time, ISO 8601 (default: now).",
        examples=["2026-01-30"],
    ),
]
KnownAt = Annotated[
    str | None,
    Query(min_length=4, max_length=64, description="Show what was recorded by this time, ISO 8601 (default: now)."),
]
Question = Annotated[
    str,
    Query(
        min_length=1, max_length=LONGEST_IN_AN_ADDRESS, description="The question.", examples=["Where do uploads go?"]
    ),
]
Limit = Annotated[int, Query(ge=1, le=MOST_ON_A_PAGE, description="Page size.")]
CursorText = Annotated[
    str | None,
    Query(
        alias="cursor",
        min_length=1,
        max_length=LONGEST_CURSOR,
        description="`next` of the previous page, unchanged. Keep the other parameters the same.",
    ),
]
Archived = Annotated[bool, Query(description="Include expired memories that were archived.")]
FilePath = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST_PATH,
        description="A file or folder of the project, relative to its root.",
        examples=["src/storage.py"],
    ),
]
Line = Annotated[int | None, Query(ge=1, le=MAX_LINE, description="A line of the file, counted from 1.")]
AboutLimit = Annotated[int, Query(ge=1, le=MOST_ABOUT, description="Maximum number of memories.")]

IfMatch = Annotated[
    str | None,
    Header(
        max_length=1000,
        description="The ETag you have read. If it is outdated, nothing is done (412).",
        examples=['"12-9f86d081884c7d65"'],
    ),
]
IfNoneMatch = Annotated[
    str | None, Header(max_length=1000, description="ETags you have. If the memory is unchanged, the answer is 304.")
]
