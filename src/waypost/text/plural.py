"""Numbers with their noun."""


def counted(number: float, singular: str, plural: str | None = None) -> str:
    """ "1 memory", "2,500 memories". Give `plural` if an added "s" would be wrong."""
    figure = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{figure} {singular if number == 1 else plural or singular + 's'}"
