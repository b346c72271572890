"""The sign-in page and its redirects. Works without script."""

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
_UNQUOTED = 3  # decoding passes, more than any proxy makes


_WITH_CODE = (
    "Sign-in code, or token",
    "The server printed a code when it started. It is valid once, for ten minutes.\n"
    "Later, use the token; the server printed the path of its file.",
)
_WITHOUT = (
    "Token",
    "Use one created for you as a person: <code>waypost team token make NAME laptop --person --everywhere</code>.",
)


def page(problem: str = "", *, next_path: str = "/", has_code: bool = True) -> bytes:
    """The page as HTML. `problem`: what went wrong with the last attempt."""
    label, where = _WITH_CODE if has_code else _WITHOUT
    alert = f'<p class="problem" role="alert">{html.escape(problem)}</p>' if problem else ""
    invalid = ' aria-invalid="true"' if problem else ""
    fields = {"problem": alert, "next": html.escape(next_path), "invalid": invalid, "label": label, "where": where}
    return _template("sign_in.html").substitute(fields).encode()


def refused_page(what: str, remedy: str, back: str) -> bytes:
    """A page that says why something was not done. `back`: the page they came from."""
    fields = {"what": html.escape(what), "remedy": html.escape(remedy), "back": html.escape(local_path(back))}
    return _template("refused.html").substitute(fields).encode()


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
    """The text if it is a path of this server, else `/`, so that nobody is redirected elsewhere. Refuses backslashes, control
    characters and everything that readers could decode differently."""
    if len(text) > _LONGEST_PATH or not _is_plain(text):
        return "/"
    decoded = text
    for _ in range(_UNQUOTED):
        decoded = unquote(decoded)
        if _leads_away(decoded) or any(ord(letter) < 32 or ord(letter) == 127 for letter in decoded):
            return "/"
    path = text.partition("?")[0]
    return "/" if path in {LOGIN, LOGOUT} else text


def _leads_away(text: str) -> bool:
    """Whether a reader could take it for another host, also after removing `.` and `..`."""
    parts = text.partition("?")[0].replace("\\", "/").split("/")[1:]
    return any(part in {".", ".."} for part in parts) or (len(parts) > 1 and not parts[0])


def _is_plain(text: str) -> bool:
    starts = text.startswith("/") and not text.startswith("//")
    return starts and text.isascii() and text.isprintable() and not any(letter in text for letter in '\\ "<>`{}|^')


async def send_answer(
    send: Send, status: int, content: bytes = b"", kind: bytes = b"", headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    all_headers = [(b"content-type", kind)] if kind else []
    all_headers += [(b"content-length", str(len(content)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": content})
