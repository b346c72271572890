"""The sources that a summary names, read back by tests."""

import re

_FROM = re.compile(r"<!-- from ([^<>\n]*) -->")


def sources_in(summary: str) -> list[str]:
    """The ids of the entries that a summary names as its sources, each once."""
    return list(dict.fromkeys(entry_id for ids in _FROM.findall(summary) for entry_id in ids.split()))
