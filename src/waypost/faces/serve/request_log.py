"""Counts, times and logs every request."""

import time
from collections.abc import Callable

from waypost.faces.guard.access_log import HEADER, SEEN, Log, LoggedRequest, current, request_id
from waypost.faces.guard.asgi import App, Message, Receive, Scope, Send
from waypost.faces.guard.limits import Monotonic
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.serve.metrics import ServerMetrics
from waypost.faces.serve.stream_shutdown import is_stream

_GONE = 499  # the client disconnected before an answer

NoteCrash = Callable[[BaseException], None]


def with_request_log(
    app: App, figures: ServerMetrics, log: Log, note: NoteCrash, clock: Monotonic = time.perf_counter
) -> App:
    """`app` with logging and metrics. Its answers carry the request's id. `note` gets unexpected errors."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        began = clock()
        logged = LoggedRequest(request_id(scope), log=log)
        scope[SEEN] = logged
        before = current.set(logged)
        observed_send = _ObservedSend(send, logged, scope["method"] == "GET", figures, clock)
        figures.in_flight.add(1)
        try:
            await app(scope, receive, observed_send.send)
        except Exception as error:
            note(error)
            log.crash(error)
            if observed_send.status:
                if not observed_send.has_ended:
                    raise  # an incomplete answer: the connection must be closed
            else:
                problem = Problem(500, "Unexpected error in the server.", "See its log, and please report it.")
                await answer(problem, receive, observed_send.send, hear_out=False)
        finally:
            current.reset(before)
            ended = clock()
            figures.in_flight.add(-1)
            if observed_send.streamed_at is not None:
                figures.streams.add(-1)
            status, method = observed_send.status or _GONE, scope["method"]
            figures.answered(logged, method, status, (observed_send.streamed_at or ended) - began)
            log.request(logged, method, status, ended - began)

    return application


class _ObservedSend:
    """Sends messages and notes the state of the answer."""

    __slots__ = ("_clock", "_figures", "_gets", "_seen", "_send", "has_ended", "status", "streamed_at")

    def __init__(self, send: Send, logged: LoggedRequest, gets: bool, figures: ServerMetrics, clock: Monotonic) -> None:
        self._send, self._seen, self._gets, self._figures, self._clock = send, logged, gets, figures, clock
        self.status = 0
        self.streamed_at: float | None = None  # when an event stream started, if it is one
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
