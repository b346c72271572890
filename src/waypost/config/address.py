"""Check the database address in the setting `store`."""

import re

from waypost.errors import ConfigError

# USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?OPTIONS. Inside a part, delimiters must be percent-encoded.
# Otherwise a piece of the password would pass for a host, a port or a name, and appear in messages.
_STORE_ADDRESS = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?:[^@:/?#%\s]|%[0-9A-Fa-f]{2})*(?::(?:[^@/%\s]|%[0-9A-Fa-f]{2})*)?@)?"
    r"[^@/?#\s]*"
    r"(?:/[^@?#\s]*)?"
    r"(?:\?\S*)?"
)

_SECRET = re.compile(r"(://[^:/@?]*):[^@/?]*@|([?&]password=)[^&]*")


def checked_store(address: str, what: str) -> str:
    """Return the address of a PostgreSQL database.

    Raises ConfigError, which calls it `what`. The message never repeats the address: it may contain a password.
    """
    if not _STORE_ADDRESS.fullmatch(address):
        raise address_error(what)
    return address


def address_error(what: str) -> ConfigError:
    return ConfigError(
        f"{what} is not the address of a PostgreSQL database.",
        "Write postgresql://USER@HOST/NAME, with the password in ~/.pgpass. Write @ as %40, / as %2F and % as %25.",
    )


def without_secret(address: str) -> str:
    """The address with a placeholder for its password."""
    return _SECRET.sub(
        lambda match: f"{match[1]}:PASSWORD@" if match[1] is not None else f"{match[2]}PASSWORD", address
    )
