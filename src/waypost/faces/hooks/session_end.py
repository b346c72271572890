"""What a hook does at the end of a session, and before an agent compacts one: keep what was said in it.

It runs in a process of its own, long after the agent has gone on: nobody waits, and nobody is told but the log.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.hooks.transcripts import read_transcript
from waypost.faces.hooks.transcripts_place import session_of, transcript_path

if TYPE_CHECKING:
    from waypost.flows.session import Kept
    from waypost.memory import Memory

_NO_TRANSCRIPT = "{} did not say where its transcript is, and none was found where it keeps them."


def keep(agent: str, payload: Mapping[str, Any], memory: "Memory") -> "Kept":
    """Keep the session that a hook of `agent` was called for with `payload`: its turns in the journal, what they teach up for
    review. Keeping it again adds what is new.

    Raises InvalidInput where no transcript tells what was said.
    """
    path = transcript_path(agent, payload, config.user_home())
    if path is None:
        raise InvalidInput(_NO_TRANSCRIPT.format(agent), "Nothing was kept.")
    told = read_transcript(path)
    return memory.keep_session(session_of(payload) or told.session or path.stem, told.turns, notices=told.notices)
