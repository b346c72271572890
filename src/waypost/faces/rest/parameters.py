"""Parameters that several routes have, with what the document says of them."""

from typing import Annotated

from fastapi import Header, Path, Query

from waypost.faces.rest import cursors
from waypost.flows.links.about import MOST_ABOUT
from waypost.model.reference import MAX_LINE

ID = r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$"
AN_ID = "01kg7v5w2m8x4q9z3b6d1f0hjk"
MOST_ON_A_PAGE = 200
LONGEST_QUESTION = 10_000
LONGEST_IN_AN_ADDRESS = 2_000
LONGEST_LINE = 500
LONGEST_PATH = 4096

MemoryId = Annotated[str, Path(pattern=ID, description="The id of a memory.", examples=[AN_ID])]
CandidateId = Annotated[str, Path(pattern=ID, description="The id of a candidate.", examples=[AN_ID])]
JobId = Annotated[str, Path(pattern=ID, description="The id of a job.", examples=[AN_ID])]

AsOf = Annotated[
    str | None,
    Query(
        min_length=4,
        max_length=64,
        description="What was true then (ISO 8601); now unless told.",
        examples=["2026-01-30"],
    ),
]
KnownAt = Annotated[
    str | None,
    Query(
        min_length=4, max_length=64, description="What was known then (ISO 8601); all that is known by now unless told."
    ),
]
Question = Annotated[
    str,
    Query(
        min_length=1, max_length=LONGEST_IN_AN_ADDRESS, description="The question.", examples=["Where do uploads go?"]
    ),
]
Limit = Annotated[int, Query(ge=1, le=MOST_ON_A_PAGE, description="At most so many on a page.")]
CursorText = Annotated[
    str | None,
    Query(
        alias="cursor",
        min_length=1,
        max_length=cursors.LONGEST,
        description="`next` of the page before, as it is. The other parameters stay the same.",
    ),
]
Archived = Annotated[bool, Query(description="Also what was put away when its time had run out.")]
FilePath = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST_PATH,
        description="A file or folder of the project, relative to its root.",
        examples=["src/storage.py"],
    ),
]
Line = Annotated[int | None, Query(ge=1, le=MAX_LINE, description="A line of the file, from 1.")]
AboutLimit = Annotated[int, Query(ge=1, le=MOST_ABOUT, description="At most so many.")]

IfMatch = Annotated[
    str | None,
    Header(
        max_length=1000,
        description="The ETag that you have read: with another one there now, nothing is done (412).",
        examples=['"12-9f86d081884c7d65"'],
    ),
]
IfNoneMatch = Annotated[
    str | None, Header(max_length=1000, description="ETags that you know: an unchanged memory is answered by 304.")
]
