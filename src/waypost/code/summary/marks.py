"""Decorators, annotations and attributes: what they say of the thing they stand on."""

import re

_NAME = re.compile(r"[\w.:\\]+")


def mark_of(decorator: str) -> str:
    """The last name of a decorator in lower case: `app.route("/x")` is `route`."""
    name = _NAME.match(decorator.lstrip("@#[ "))
    return re.split(r"[.:\\]", name[0])[-1].lower() if name else ""
