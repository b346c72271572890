"""URLs of git remotes: the part that an id is computed from, and the part that may be displayed.

User and password are never displayed, since a user name can be a token. The hash input is the URL as git has it, but
without credentials: http(s) URLs lose user and password, others only the password. So a colleague's name or a new token
does not make another project. The hash input keeps a query, which may be the only difference between two repositories.
A query is never displayed.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_HELPER = re.compile(r"(?P<helper>[A-Za-z0-9+.-]+)::(?P<address>.*)", re.DOTALL)
_WEB_SCHEMES = frozenset({"http", "https"})
_DEFAULT_PORTS = {"http": "80", "https": "443", "ssh": "22", "git+ssh": "22", "ssh+git": "22", "git": "9418"}
_CASELESS_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})  # `A/B` is `a/b` there
_SSH_OVER_WEB = {  # for networks that allow only port 443
    ("ssh.github.com", "443"): ("github.com", ""),
    ("altssh.gitlab.com", "443"): ("gitlab.com", ""),
    ("altssh.bitbucket.org", "443"): ("bitbucket.org", ""),
}
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class GitRemote:
    hash_input: str  # never stored, never displayed
    display_url: str | None  # None if every part of the URL may be secret


def read_remote(url: str, root: Path) -> GitRemote:
    """What to hash and what to display of a remote URL in the repository at `root`."""
    if helper := _HELPER.fullmatch(url):
        inner = _URL.fullmatch(helper["address"])
        inner_url = _display_url(inner["scheme"], inner["rest"]) if inner else None
        return GitRemote(url, _printable(f"{helper['helper']}::{inner_url}") if inner_url else None)
    if parts := _URL.fullmatch(url):
        scheme, rest = parts["scheme"], parts["rest"]
        return GitRemote(_hash_input(scheme, rest), _printable(_display_url(scheme, rest)))
    if _is_local(url):
        # A relative path means a different repository in each checkout.
        absolute = url if os.path.isabs(url) else os.path.normpath(root / url)
        return GitRemote(absolute, _printable(absolute))
    host, _, path = url.partition(":")
    return GitRemote(url, _printable(f"{host.rpartition('@')[2]}:{re.split(r'[?#]', path)[0]}"))


def repository_name(url: str) -> str:
    """The last part of a URL or path, without `.git`; may be empty."""
    last = re.split(r"[/:\\]", url.rstrip("/\\"))[-1]
    return last.removesuffix(".git")


def repository_key(url: str) -> str | None:
    """A key that all spellings of a repository's address share: host and path, or a local path.

    It is the same for `git@host:a/b.git`, `ssh://git@HOST:22/a/b` and `https://host//a/%62/`, and None for other URLs.
    Two repositories can share a key (a path below two users' homes): only a common commit makes them the same.
    """
    if _HELPER.fullmatch(url):
        return None
    if parts := _URL.fullmatch(url):
        scheme = parts["scheme"].lower()
        _, authority, tail = _split_authority(parts["rest"])
        path = unquote(re.split(r"[?#]", tail)[0])
        if scheme == "file":
            return _path_key(path) or None
        host, port = _host_and_port(authority)
        if not host or scheme not in _DEFAULT_PORTS:
            return None
        return _host_key(host, "" if port == _DEFAULT_PORTS[scheme] else port, path)
    if _is_local(url):
        return _path_key(url) or None
    host, _, path = url.partition(":")
    return _host_key(host.rpartition("@")[2].lower(), "", re.split(r"[?#]", path)[0])


def _host_key(host: str, port: str, path: str) -> str:
    host = host.rstrip(".")
    host, port = _SSH_OVER_WEB.get((host, port), (host, port))
    inside = _path_key(path).lstrip("/")
    inside = inside.casefold() if host in _CASELESS_HOSTS else inside
    return f"{host}{f':{port}' if port else ''}/{inside}"


def _host_and_port(authority: str) -> tuple[str, str]:
    match = re.fullmatch(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d*))?", authority)
    return (match["host"].lower(), match["port"] or "") if match else ("", "")


def _path_key(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    inside = "/".join(parts).removesuffix(".git").rstrip("/")
    return f"/{inside}" if path.startswith("/") and inside else inside


def _is_local(url: str) -> bool:
    colon, slash = url.find(":"), url.find("/")
    return colon < 0 or 0 <= slash < colon or (os.name == "nt" and colon == 1)


def _split_authority(rest: str) -> tuple[str, str, str]:
    """(user and password, host and port, the rest) of the part of a URL behind `scheme://`."""
    end = re.search(r"[/?#]", rest)
    authority, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    if "@" not in authority and "@" in tail and not re.fullmatch(r"[^:]*|.*:\d*|\[.*\](:\d*)?", authority):
        # `user:pa/ss@host/…`: an unencoded password. It cannot be a port.
        authority, tail = rest, ""
        user, _, after = authority.rpartition("@")
        end = re.search(r"[/?#]", after)
        return (user, after[: end.start()], after[end.start() :]) if end else (user, after, "")
    user, _, host = authority.rpartition("@")
    return user, host, tail


def _hash_input(scheme: str, rest: str) -> str:
    user, host, tail = _split_authority(rest)
    if scheme.lower() in _WEB_SCHEMES or not user:
        return f"{scheme}://{host}{tail}"
    return f"{scheme}://{user.partition(':')[0]}@{host}{tail}"


def _display_url(scheme: str, rest: str) -> str:
    _, host, tail = _split_authority(rest)
    return f"{scheme}://{host}{re.split(r'[?#]', tail)[0]}"


def _printable(text: str) -> str | None:
    return None if UNPRINTABLE.search(text) else text
