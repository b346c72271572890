"""URLs of git remotes: what an id is computed from, and what may be shown.

Of every form of URL the user and password are never shown: a user name there can be a token. What is hashed keeps to
the URL as git knows it, except that http(s) URLs lose user and password and others lose the password, so that
neither a colleague's name nor a new token makes another project of the same repository. A query stays in what is
hashed (a server may tell two repositories apart by nothing else) and is never shown.
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
_CASELESS_HOSTS = frozenset(
    {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}
)  # `A/B` and `a/b` are one there
_SSH_OVER_WEB = {  # where a firewall lets only the port of the web through
    ("ssh.github.com", "443"): ("github.com", ""),
    ("altssh.gitlab.com", "443"): ("gitlab.com", ""),
    ("altssh.bitbucket.org", "443"): ("bitbucket.org", ""),
}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class GitRemote:
    hashed: str  # never stored, never shown
    shown: str | None  # None when nothing of the URL is known to be free of secrets


def read_remote(url: str, root: Path) -> GitRemote:
    """What to hash and what to show of a remote URL found in the repository at `root`."""
    if helper := _HELPER.fullmatch(url):
        inner = _URL.fullmatch(helper["address"])
        shown = _shown_url(inner["scheme"], inner["rest"]) if inner else None
        return GitRemote(url, _printable(f"{helper['helper']}::{shown}") if shown else None)
    if parts := _URL.fullmatch(url):
        scheme, rest = parts["scheme"], parts["rest"]
        return GitRemote(_hashed_url(scheme, rest), _printable(_shown_url(scheme, rest)))
    if _is_local(url):
        # A relative path means another repository in every checkout that writes it.
        absolute = url if os.path.isabs(url) else os.path.normpath(root / url)
        return GitRemote(absolute, _printable(absolute))
    host, _, path = url.partition(":")
    return GitRemote(url, _printable(f"{host.rpartition('@')[2]}:{re.split(r'[?#]', path)[0]}"))


def repository_name(url: str) -> str:
    """The last part of a URL or path, without `.git`; empty when there is none."""
    last = re.split(r"[/:\\]", url.rstrip("/\\"))[-1]
    return last.removesuffix(".git")


def repository_key(url: str) -> str | None:
    """What all spellings of a repository's address share: its host and path, else its path on this machine.

    The same for `git@host:a/b.git`, `ssh://git@HOST:22/a/b`, `https://host//a/%62/`. None where nothing of it is known. Two
    repositories can have one key (a path below the home of two users): only a shared commit makes them the same.
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
    found = re.fullmatch(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d*))?", authority)
    return (found["host"].lower(), found["port"] or "") if found else ("", "")


def _path_key(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    inside = "/".join(parts).removesuffix(".git").rstrip("/")
    return f"/{inside}" if path.startswith("/") and inside else inside


def _is_local(url: str) -> bool:
    colon, slash = url.find(":"), url.find("/")
    return colon < 0 or 0 <= slash < colon or (os.name == "nt" and colon == 1)


def _split_authority(rest: str) -> tuple[str, str, str]:
    """(user and password, host and port, path and all that follows) of what stands behind `scheme://`."""
    end = re.search(r"[/?#]", rest)
    authority, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    if "@" not in authority and "@" in tail and not re.fullmatch(r"[^:]*|.*:\d*|\[.*\](:\d*)?", authority):
        # `user:pa/ss@host/…`: a password that was not encoded. No port is spelled like that.
        authority, tail = rest, ""
        user, _, after = authority.rpartition("@")
        end = re.search(r"[/?#]", after)
        return (user, after[: end.start()], after[end.start() :]) if end else (user, after, "")
    user, _, host = authority.rpartition("@")
    return user, host, tail


def _hashed_url(scheme: str, rest: str) -> str:
    user, host, tail = _split_authority(rest)
    if scheme.lower() in _WEB_SCHEMES or not user:
        return f"{scheme}://{host}{tail}"
    return f"{scheme}://{user.partition(':')[0]}@{host}{tail}"


def _shown_url(scheme: str, rest: str) -> str:
    _, host, tail = _split_authority(rest)
    return f"{scheme}://{host}{re.split(r'[?#]', tail)[0]}"


def _printable(text: str) -> str | None:
    return None if _UNPRINTABLE.search(text) else text
