"""Translates refusals of the directory into errors with a remedy."""

from collections.abc import Iterator
from contextlib import contextmanager

from waypost.errors import InvalidInput, NotFound, SecurityError

_ADMINISTRATOR = "Only an administrator of the database may do this."
# How messages of the directory's functions begin and end, and the remedy. The first match counts.
_REMEDIES = (
    ("Only an administrator", "", "Ask an administrator of the database to run the same command."),
    (
        "Only a person who may write",
        "",
        "An agent cannot, nor a token that only reads: do it in the dashboard, or with your own login.",
    ),
    ("Only an owner", "", "Ask one of them: `waypost team member list` names them."),
    ("Only a writer", "", "Ask one of its owners: `waypost team member role USER writer`."),
    ("Only ", " and administrators may do this.", "Ask one of those who are named."),
    (
        "This is the last owner",
        "",
        "Make somebody else an owner first: `waypost team member role USER owner`. An administrator can leave it without.",
    ),
    ("A server's role", "", "Name a role that only this person logs in with; --create makes one."),
    ("There is no user ", "", "`waypost team user list` has those that there are; `waypost team user add` adds one."),
    ("There is no memory ", "", "`waypost team space list` has those that there are."),
    ("There is no such member", "", "`waypost team member list` has those that there are."),
    ("No role ", " can log in to this database.", "Add --create, or let an administrator of the database create it."),
    ("", " is no member of that memory.", "Let an owner add them first: `waypost team member add USER ROLE`."),
)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn refusals of the database into errors of Waypost."""
    from psycopg import errors

    try:
        yield
    except errors.InsufficientPrivilege as error:
        what = _message(error)
        if what.startswith("permission denied"):  # the database's own message names its functions
            what = _ADMINISTRATOR
        usual = "Ask an owner of the memory, or an administrator of the database."
        raise SecurityError(what, _remedy(what, usual)) from error
    except errors.NoDataFound as error:
        what = _message(error)
        usual = "See what there is: `waypost team user list`, `team space list`, `team token list`."
        raise NotFound(what, _remedy(what, usual)) from error
    except errors.UniqueViolation as error:
        raise InvalidInput("This is there already.", "Take another name, or change the one that is there.") from error
    except (errors.InvalidParameterValue, errors.CheckViolation, errors.ForeignKeyViolation) as error:
        what = _message(error)
        raise InvalidInput(what, _remedy(what, "Correct it and try again.")) from error
    except errors.UndefinedTable as error:
        raise NotFound("This database has no directory.", "Run `waypost team init` first.") from error


def _remedy(what: str, usual: str) -> str:
    fitting = (todo for begins, ends, todo in _REMEDIES if what.startswith(begins) and what.endswith(ends))
    return next(fitting, usual)


def _message(error: Exception) -> str:
    diagnostic = getattr(error, "diag", None)
    return str(getattr(diagnostic, "message_primary", None) or error)
