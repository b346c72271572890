"""The address of the database that `store` names."""

import re

from waypost.errors import ConfigError

# USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?OPTIONS. Whatever ends a part has to be written as % and two digits inside of one:
# else a piece of the password is taken for a host, a port or a name, and told in messages.
_STORE_ADDRESS = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?:[^@:/?#%\s]|%[0-9A-Fa-f]{2})*(?::(?:[^@/%\s]|%[0-9A-Fa-f]{2})*)?@)?"
    r"[^@/?#\s]*"
    r"(?:/[^@?#\s]*)?"
    r"(?:\?\S*)?"
)


def checked_store(address: str, what: str) -> str:
    """The address of a PostgreSQL database. Raises ConfigError, which names it by `what` and repeats nothing of it: a
    misspelt one may hold a password all the same."""
    if not _STORE_ADDRESS.fullmatch(address):
        raise no_address(what)
    return address


def no_address(what: str) -> ConfigError:
    return ConfigError(
        f"{what} is no address of a PostgreSQL database.",
        "Write postgresql://USER@HOST/NAME, with the password in ~/.pgpass; inside of an address @ is written as %40, / as"
        " %2F, % as %25.",
    )
