"""Why a text is no JSON, in words for whoever sent it."""

_LONGEST = 200  # characters


def json_fault(error: Exception) -> str:
    """What the reader of JSON says; of its own limits it speaks like a program."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:_LONGEST]
