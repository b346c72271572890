"""What PostgreSQL and its client say, in words that tell a person what to do, and that hold no password."""

import psycopg
import pytest
from psycopg import errors

from waypost.errors import ConfigError, SecurityError, StoreUnavailable, WaypostError
from waypost.store.postgres.errors import is_lost, translated

_SHOWN = "PostgreSQL database 'memory' on db"
_BEGIN = 'connection failed: connection to server at "127.0.0.1", port 5432 failed: '


def _words(error: psycopg.Error) -> WaypostError:
    found = translated(error, _SHOWN)
    assert isinstance(found, WaypostError)
    return found


@pytest.mark.parametrize(
    ("said", "what", "remedy"),
    [
        ('FATAL:  password authentication failed for user "ann"', "refused the role or its password", "~/.pgpass"),
        ("fe_sendauth: no password supplied", "refused the role or its password", "mode 600"),
        ('FATAL:  role "ann" is not permitted to log in', "refused the role", "Check the role"),
        ('FATAL:  permission denied for database "memory"', "may not connect", "waypost team init"),
        ('FATAL:  database "memoryx" does not exist', '"memoryx" does not exist', "Create what is missing"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1", no encryption', "does not admit this role", "sslmode"),
        ("server does not support SSL, but SSL was required", "No secure connection", "sslrootcert"),
        ("SSL error: certificate verify failed", "No secure connection", "certificate"),
    ],
)
def test_a_refusal_that_stays_says_what_to_do_and_is_not_waited_for(said: str, what: str, remedy: str) -> None:
    error = psycopg.OperationalError(_BEGIN + said)
    found = _words(error)
    assert not is_lost(error)
    assert isinstance(found, ConfigError)
    assert what in found.what
    assert remedy in found.remedy
    assert "connection to server" not in found.what  # the driver's preamble says the same once more


@pytest.mark.parametrize(
    "said",
    [
        "Connection refused",
        "SSL error: unexpected eof while reading",
        "SSL connection has been closed unexpectedly",
        "FATAL:  the database system is starting up",
        "server closed the connection unexpectedly",
        "session is read-only",
    ],
)
def test_what_may_be_better_in_a_moment_is_waited_for(said: str) -> None:
    error = psycopg.OperationalError(_BEGIN + said)
    assert is_lost(error)
    found = _words(error)
    assert isinstance(found, StoreUnavailable)
    assert "port 5432: " in found.what


@pytest.mark.parametrize(
    ("said", "what", "remedy"),
    [
        ("permission denied for schema waypost_19cb88627a948ff6", "not a member of this memory", "member add"),
        ("permission denied for table memories", "Your role in this memory does not allow that", "member role"),
        ('new row violates row-level security policy for table "audit"', "does not allow that", "member role"),
        ("permission denied for database memory", "may not do that", "the owner of the named object"),
        ("Only an owner of this memory may do this.", "Only an owner of this memory may do this.", "Ask an owner"),
    ],
)
def test_a_right_that_is_missing_is_named_by_what_it_is_about(said: str, what: str, remedy: str) -> None:
    found = _words(errors.InsufficientPrivilege(said))
    assert isinstance(found, SecurityError)
    assert what in found.what
    assert remedy in found.remedy


def test_an_option_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(psycopg.ProgrammingError) as raised:
        psycopg.connect("postgresql://ann@127.0.0.1:1/memory?password=first&second-half")
    found = _words(raised.value)
    assert isinstance(found, ConfigError)
    assert "second-half" not in str(found)
