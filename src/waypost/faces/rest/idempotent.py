"""Does a write only once, however often a client sends it with the same `Idempotency-Key`."""

import re
from collections.abc import Awaitable, Callable

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from waypost.errors import WaypostError
from waypost.faces.rest.caller import identity_of, services_of
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.replies import Claim, StoredReply

KEY_HEADER = "idempotency-key"
REPLAYED_HEADER = "idempotency-replayed"
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_KEPT_HEADERS = ("location", "etag")

Handle = Callable[[Request], Awaitable[Response]]


async def once(request: Request, handle: Handle) -> Response:
    """Do the write, or repeat its earlier reply.

    Refusals are not stored: nothing was written, so the client may retry. If the server died mid-write, a retry gets
    409: outcome unknown.
    """
    replies = services_of(request).replies
    claim = await _claim(request)
    stored = await run_in_threadpool(replies.begin, claim)
    if stored is not None:
        headers = {**stored.headers, REPLAYED_HEADER: "true"}
        return Response(stored.body, stored.status, headers, "application/json")
    try:
        response = await handle(request)
    except (ProblemError, WaypostError, HTTPException, RequestValidationError):
        await run_in_threadpool(replies.release, claim)
        raise
    except BaseException:
        replies.leave(claim)
        raise
    if response.status_code >= 300:
        await run_in_threadpool(replies.release, claim)
        return response
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    await run_in_threadpool(replies.finish, claim, StoredReply(response.status_code, bytes(response.body), headers))
    return response


async def _claim(request: Request) -> Claim:
    names = request.headers.getlist(KEY_HEADER)
    if len(names) != 1 or not _KEY.fullmatch(names[0]):
        raise ProblemError(
            422, "Invalid Idempotency-Key.", "Send one of up to 200 visible ASCII characters, such as a UUID."
        )
    target = f"{request.method} {request.url.path}?{request.url.query}\n{request.headers.get('if-match', '')}\n"
    return Claim(identity_of(request).key, names[0], target.encode("utf-8", "surrogatepass") + await request.body())
