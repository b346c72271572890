"""The page on which a person signs in, and where it leads. It works without script."""

import html
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from urllib.parse import unquote

from waypost.faces.guard.asgi import Send

LOGIN, LOGOUT = "/login", "/logout"
_FILES: Mapping[str, tuple[str, bytes]] = {
    "/login/style.css": ("sign_in.css", b"text/css; charset=utf-8"),
    "/login/code.js": ("sign_in.js", b"text/javascript; charset=utf-8"),
}
OPEN_PATHS = frozenset({LOGIN, *_FILES})
_LONGEST_PATH = 2000
_UNQUOTED = 3  # times: deeper than any proxy


_WITH_CODE = (
    "Sign-in code, or token",
    "The server printed a code when it started: it opens once, within ten minutes.\n"
    "Later, use the token; the server named the file that holds it.",
)
_WITHOUT = (
    "Token",
    "Use one that was made for you, as a person: <code>waypost team token make NAME laptop --person --everywhere</code>.",
)


def page(problem: str = "", *, next_path: str = "/", has_code: bool = True) -> bytes:
    """The page as HTML. `problem`: what went wrong with the last try."""
    label, where = _WITH_CODE if has_code else _WITHOUT
    told = f'<p class="problem" role="alert">{html.escape(problem)}</p>' if problem else ""
    invalid = ' aria-invalid="true"' if problem else ""
    shown = {"problem": told, "next": html.escape(next_path), "invalid": invalid, "label": label, "where": where}
    return _template("sign_in.html").substitute(shown).encode()


def refused_page(what: str, remedy: str, back: str) -> bytes:
    """Why something was not done, for a person. `back`: the page that they came from."""
    told = {"what": html.escape(what), "remedy": html.escape(remedy), "back": html.escape(local_path(back))}
    return _template("refused.html").substitute(told).encode()


@cache
def _template(name: str) -> Template:
    return Template(files("waypost.faces.guard").joinpath(name).read_text("utf-8"))


@cache
def _content(name: str) -> bytes:
    return files("waypost.faces.guard").joinpath(name).read_bytes()


def file_of(path: str) -> tuple[bytes, bytes] | None:
    """A file of the page: content and type."""
    if path not in _FILES:
        return None
    name, kind = _FILES[path]
    return _content(name), kind


def local_path(text: str) -> str:
    """The text if it is a path of this server, else the root: nobody is led elsewhere. A path means the same to every
    reader: without backslashes, controls or anything that has to be encoded, however often something decodes it."""
    if len(text) > _LONGEST_PATH or not _is_plain(text):
        return "/"
    seen = text
    for _ in range(_UNQUOTED):
        seen = unquote(seen)
        if _leads_away(seen) or any(ord(letter) < 32 or ord(letter) == 127 for letter in seen):
            return "/"
    path = text.partition("?")[0]
    return "/" if path in {LOGIN, LOGOUT} else text


def _leads_away(text: str) -> bool:
    """Whether some reader could take it for another host, now or once it has left out `.` and `..`."""
    parts = text.partition("?")[0].replace("\\", "/").split("/")[1:]
    return any(part in {".", ".."} for part in parts) or (len(parts) > 1 and not parts[0])


def _is_plain(text: str) -> bool:
    starts = text.startswith("/") and not text.startswith("//")
    return starts and text.isascii() and text.isprintable() and not any(letter in text for letter in '\\ "<>`{}|^')


async def send_answer(
    send: Send, status: int, content: bytes = b"", kind: bytes = b"", headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """A whole answer."""
    told = [(b"content-type", kind)] if kind else []
    told += [(b"content-length", str(len(content)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": content})
