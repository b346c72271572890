"""Why a text is not valid JSON, in one phrase for its sender."""

_LONGEST = 200  # characters


def json_fault(error: Exception) -> str:
    """The parser's message, or a plain phrase for nesting beyond its limit."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:_LONGEST]
