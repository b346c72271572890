"""How many, in words."""


def counted(number: float, one: str, many: str | None = None) -> str:
    """ "1 memory", "2,500 memories". `many`: where an "s" does not make it."""
    shown = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{shown} {one if number == 1 else many or one + 's'}"
