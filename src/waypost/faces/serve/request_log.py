"""Each request is counted, timed and written down, whatever becomes of it."""

import time
from collections.abc import Callable

from waypost.faces.guard.access_log import HEADER, SEEN, Log, LoggedRequest, current, request_id
from waypost.faces.guard.asgi import App, Message, Receive, Scope, Send
from waypost.faces.guard.limits import Monotonic
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.serve.metrics import ServerMetrics
from waypost.faces.serve.stream_shutdown import is_stream

_GONE = 499  # the client went away before there was an answer

NoteCrash = Callable[[BaseException], None]


def observed(app: App, figures: ServerMetrics, log: Log, note: NoteCrash, clock: Monotonic = time.perf_counter) -> App:
    """`app`, observed. Its answers carry the request's id. `note` is told of what nobody foresaw."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        began = clock()
        seen = LoggedRequest(request_id(scope), log=log)
        scope[SEEN] = seen
        before = current.set(seen)
        watched = _Watched(send, seen, scope["method"] == "GET", figures, clock)
        figures.in_flight.add(1)
        try:
            await app(scope, receive, watched.send)
        except Exception as error:
            note(error)
            log.crash(error)
            if watched.status:
                if not watched.has_ended:
                    raise  # half an answer: the connection has to be closed
            else:
                told = Problem(500, "Something went wrong in the server.", "Look at its log; please report it.")
                await answer(told, receive, watched.send, hear_out=False)
        finally:
            current.reset(before)
            ended = clock()
            figures.in_flight.add(-1)
            if watched.streamed_at is not None:
                figures.streams.add(-1)
            status, method = watched.status or _GONE, scope["method"]
            figures.answered(seen, method, status, (watched.streamed_at or ended) - began)
            log.request(seen, method, status, ended - began)

    return application


class _Watched:
    """What is sent, and how far it is."""

    __slots__ = ("_clock", "_figures", "_gets", "_seen", "_send", "has_ended", "status", "streamed_at")

    def __init__(self, send: Send, seen: LoggedRequest, gets: bool, figures: ServerMetrics, clock: Monotonic) -> None:
        self._send, self._seen, self._gets, self._figures, self._clock = send, seen, gets, figures, clock
        self.status = 0
        self.streamed_at: float | None = None  # since when it is a stream that ends when somebody ends it
        self.has_ended = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self._gets and is_stream(message):
                self.streamed_at = self._clock()
                self._figures.streams.add(1)
            headers = [*message.get("headers", ()), (HEADER, self._seen.request_id.encode("ascii"))]
            message = {**message, "headers": headers}
        elif not message.get("more_body", False):
            self.has_ended = True
        await self._send(message)
