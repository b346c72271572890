"""What the routes share: the memories, the jobs, the replies that are kept, the streams that are open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.model.time import Clock

if TYPE_CHECKING:
    from waypost.faces.rest.jobs import Jobs
    from waypost.faces.rest.replies import Replies
    from waypost.faces.rest.streams import Streams
    from waypost.faces.rest.write_turns import Turns
    from waypost.memory.catalog import Spaces


@dataclass(frozen=True, slots=True)
class Services:
    spaces: "Spaces"
    jobs: "Jobs"
    replies: "Replies"
    streams: "Streams"
    turns: "Turns"
    clock: Clock
