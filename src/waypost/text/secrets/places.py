"""Secrets recognised by their place: addresses, headers, key blocks, machine lines."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from waypost.text.secrets.scan import Scan, Span
from waypost.text.secrets.sentences import is_strong
from waypost.text.secrets.values import is_mixed, is_name_like, is_password, is_placeholder, is_reference, is_token

_KEY_REACH = 40_000
"""The longest key block that is read. An RSA key of 16384 bits has 12,700 characters; a PGP block may hold several."""

_USERINFO = re.compile(r"(?P<user>[^\s/:@\"'<>`|\\(){}\[\]]{0,128}):(?P<value>[^\s/\"'<>`\\]{1,256}?)@(?=[\w\[{$<%-])")
_BEARER = re.compile(r"(?:bearer|token|apikey|api-key)(?:[ ]|%20|\+)(?P<value>[\w.~+/=-]{12,4096})", re.I)
_BASIC = re.compile(r"basic[ ](?P<value>[A-Za-z0-9+/]{8,512}={0,2})(?![\w+/=])", re.I)
_RAW_HEADER = re.compile(
    r"authorization(?:\\?[\"'])?[ ]?[:=,][ ]?(?:\\?[\"'])?(?:(?:bearer|token|key|apikey|api-key|jwt)[ ])?"
    r"(?P<value>[\w.~+/=-]{16,4096})",
    re.I,
)
_STORED_BASIC = re.compile(r"_?auth\"?[ ]?[:=][ ]?\"?(?P<value>[A-Za-z0-9+/]{8,512}={0,2})(?![\w+/=])")
_SIGNATURE = re.compile(r"sig=(?P<value>[A-Za-z0-9%+/]{30,100}={0,2})(?=[&\s\"']|\Z)")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/])(?P<value>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])")
_AWS_CUE = re.compile(r"secret|key|credential|schlüssel|geheim|ключ|секрет", re.I)
_AWS_REACH = 160
"""How far from the word AWS, on the same line, its secret may stand."""
_SEED_WORDS = re.compile(r"[\"']?[ ]?(?:is|ist|[:=])[ ]?[\"']?(?P<value>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})(?![a-z])")
_NETRC = re.compile(r"\s{1,20}login\s{1,20}\S{1,128}\s{1,20}password\s{1,20}(?P<value>[^\s\"'`()\\]{1,256})")
_PGPASS = re.compile(r"^[\w.*-]{1,253}:\d{2,5}:[\w*-]{1,63}:[\w*.-]{1,63}:(?P<value>\S{1,256})$", re.MULTILINE)
_USER_OPTION = re.compile(r"(?:-u|--user|--proxy-user|-U)[ =][\"']?[^\s:\"'$<]{1,64}:(?P<value>[^\s\"'$<>]{1,128})")
_DASH_P = re.compile(r"(?<=[ ])-p[ ]?(?P<quote>[\"']?)(?P<value>[^\s\"'$<>]{4,128})(?P=quote)(?=\s|$|[;&|])")
_WEB_COMMAND = re.compile(r"\b(?:curl|wget|https?|xh|ab|mongo\w*|redis-cli)\b")
_PASSWORD_COMMAND = re.compile(r"\b(?:mysql\w*|mariadb\w*|sshpass|docker login|podman login)\b")
_SQL_PASSWORD = re.compile(
    r"\b(?:PASSWORD|(?P<by>IDENTIFIED)[ ]{1,4}(?:WITH[ ]{1,4}[\w'\"]{1,40}[ ]{1,4})?BY(?:[ ]{1,4}PASSWORD)?)[ ]{0,4}=?[ ]{0,4}"
    r"(?P<quote>['\"])(?P<value>[^'\"\n]{4,200})(?P=quote)",
    re.I,
)
_SQL_STATEMENT = re.compile(r"\b(?:CREATE|ALTER|GRANT|SET)\b[^;\n]{0,200}\b(?:USER|ROLE|LOGIN|PASSWORD|TO)\b", re.I)
_KEY_HEADER = re.compile(r"(?:-----BEGIN |---- BEGIN )[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-----| ----)")
_LONG_WITH_DIGIT = re.compile(r"(?!AWS4-)(?=\S*[0-9])\S{16}")
_DIGIT = re.compile(r"[0-9]")
_HEX = re.compile(r"[0-9a-f]+")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{40}")
_KEY_LINE = re.compile(r"(?:\\n|\\r|[\s\"'+,>#*;/\\])*(?:[A-Z][A-Za-z-]+: [^\n]{0,200}|[A-Za-z0-9+/=]{16,}+)")
_PUTTY = re.compile(r"Private-Lines: \d{1,4}\r?\n(?P<value>(?:[A-Za-z0-9+/=]{4,64}\r?\n){1,400})")
_JWK_PART = re.compile(r"\"(?:d|p|q|dp|dq|qi|k)\"\s?:\s?\"(?P<value>[A-Za-z0-9_-]{20,2048})\"")


def find_placed(scan: Scan) -> Iterator[Span]:
    """Every value in a place where secrets are usual."""
    text = scan.text
    if b"PRIVATE KEY" in scan.raw:
        yield from _key_blocks(text)
    for mark, pattern in ((b"Private-Lines: ", _PUTTY), (b'"kty"', _JWK_PART)):
        if mark in scan.raw:
            yield from _accepted(pattern.finditer(text), "private-key", bool)
    addresses = (_USERINFO.match(text, at + 3) for at in scan.places("://"))
    yield from _accepted(addresses, "url-password", lambda value: _is_literal(value) and not value.isdecimal())
    yield from _headers(scan)
    yield from _commands(scan)
    yield from _companions(scan)
    yield from _statements(scan)


def _accepted(matches: Iterable[re.Match[str] | None], rule: str, accepts: Callable[[str], bool]) -> Iterator[Span]:
    """The values of these matches that the test accepts."""
    return ((*match.span("value"), rule) for match in matches if match and accepts(match["value"]))


def _statements(scan: Scan) -> Iterator[Span]:
    """`CREATE USER bob WITH PASSWORD '…'`, `IDENTIFIED BY '…'`: SQL puts no sign before the value."""
    if b"password" not in scan.low and b"identified" not in scan.low:
        return
    for password in _SQL_PASSWORD.finditer(scan.text):
        line = scan.text.rfind("\n", 0, password.start()) + 1
        is_sure = password["by"] and is_strong(password["value"])
        if is_sure or _SQL_STATEMENT.search(scan.text, max(line, password.start() - 300), password.start("value")):
            yield *password.span("value"), "password"


def _key_blocks(text: str) -> Iterator[Span]:
    """The body between BEGIN and END. Without an END, it goes on while lines look like key material."""
    done = 0
    for header in _KEY_HEADER.finditer(text):
        begin = header.end()
        if begin < done:
            continue
        end = text.find("-- END " if header[0].startswith("---- ") else "-----END", begin, begin + _KEY_REACH)
        following = text.find("BEGIN ", begin, end if end >= 0 else begin + _KEY_REACH)
        if end < 0 or 0 <= following < end:
            end = _end_of_material(text, begin)
        elif header[0].startswith("---- "):
            end -= 2
        if end > begin and _KEY_MATERIAL.search(text, begin, end) and _DIGIT.search(text, begin, end):
            start, end = _without_edges(text, begin, end)
            yield start, end, "private-key"
            done = end


def _end_of_material(text: str, begin: int) -> int:
    limit = begin + _KEY_REACH
    end = begin
    while end < limit and (line := _KEY_LINE.match(text, end)):
        end = line.end()
    return end


def _without_edges(text: str, begin: int, end: int) -> tuple[int, int]:
    """The body without the line breaks next to the BEGIN and END lines, real or written as `\\n`."""
    lead = re.compile(r"(?:\s|\\n|\\r)*").match(text, begin, end)
    begin = lead.end() if lead else begin
    while end > begin and (text[end - 1].isspace() or text[end - 2 : end] in ("\\n", "\\r")):
        end -= 1 if text[end - 1].isspace() else 2
    return begin, end


def _is_literal(value: str) -> bool:
    return not is_placeholder(value) and not is_reference(value)


def _headers(scan: Scan) -> Iterator[Span]:
    text = scan.text
    bearers = (_BEARER.match(text, at) for at in scan.places_in_any_case("bearer"))
    yield from _accepted(bearers, "bearer-token", _is_generated)
    yield from _accepted((_BASIC.match(text, at) for at in scan.places_in_any_case("basic ")), "basic-auth", _is_basic)
    for literal in ("_auth", '"auth"'):
        stored = (_STORED_BASIC.match(text, at + (literal[0] == '"')) for at in scan.places(literal))
        yield from _accepted(stored, "basic-auth", _is_basic)
    names = scan.places_in_any_case("authorization")
    starts = (at for at in names if not at or not (text[at - 1].isalnum() or text[at - 1] == ":"))
    yield from _accepted((_RAW_HEADER.match(text, at) for at in starts), "authorization", _is_generated)


def _is_generated(value: str) -> bool:
    return is_token(value) or bool(_LONG_WITH_DIGIT.match(value) and not is_name_like(value) and is_password(value))


def _is_basic(value: str) -> bool:
    """Whether the value encodes `user:password` with a password that is not a placeholder."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = plain.partition(":")
    return bool(colon and password and user.isprintable()) and not is_placeholder(password)


def _companions(scan: Scan) -> Iterator[Span]:
    """Values recognised only by their neighbour: the secret beside an AWS key id, a signature, a seed phrase."""
    for literal in ("AKIA", "ASIA"):
        for at in scan.places(literal):
            secrets = islice(_AWS_SECRET.finditer(scan.text, at, at + 240), 2)
            yield from _accepted(secrets, "aws-secret-key", lambda value: is_token(value) and not _HEX.fullmatch(value))
    for at in scan.places_in_any_case("aws"):
        line = _line_start(scan.text, at)
        low, high = max(line, at - _AWS_REACH), min(_line_end(scan.text, at), at + _AWS_REACH)
        if _AWS_CUE.search(scan.text, max(low, at - 40), min(high, at + 60)):
            secrets = islice(_AWS_SECRET.finditer(scan.text, low, high), 2)
            yield from _accepted(secrets, "aws-secret-key", lambda value: is_mixed(value) and is_token(value))
    signatures = (_SIGNATURE.match(scan.text, at) for at in scan.places("sig="))
    yield from _accepted(signatures, "signature", _is_generated)
    for literal in ("mnemonic", "seed phrase", "recovery phrase"):
        words = (_SEED_WORDS.match(scan.text, at + len(literal)) for at in scan.places_in_any_case(literal))
        yield from _accepted(words, "seed-phrase", bool)


def _commands(scan: Scan) -> Iterator[Span]:
    text = scan.text
    machines = (_NETRC.search(text, at, at + 500) for at in scan.places_in_any_case("machine"))
    yield from _accepted(machines, "netrc", lambda value: not is_placeholder(value))
    for literal in (" -u", " --user", " --proxy-user"):
        for at in scan.places(literal):
            command = _USER_OPTION.match(text, at + 1)
            if command and _WEB_COMMAND.search(text, _line_start(text, at), at):
                yield from _accepted([command], "command-password", _is_literal)
    for at in scan.places(" -p"):
        command = _DASH_P.match(text, at + 1)
        if command and _PASSWORD_COMMAND.search(text, _line_start(text, at), at):
            yield from _accepted([command], "command-password", is_password)
    if b":5432:" in scan.raw:
        yield from _accepted(_PGPASS.finditer(text), "pgpass", lambda value: not is_placeholder(value))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + 400)
    return end if end >= 0 else min(len(text), at + 400)


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", max(0, at - 400), at) + 1, at - 400, 0)
