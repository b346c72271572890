"""What an answer says of damage in the database."""

from collections.abc import Sequence

_PARTS = {"keywords": "the keyword index", "code_keywords": "the keyword index of code", "vectors": "the embeddings"}


def damage_notices(tables: Sequence[str]) -> tuple[str, ...]:
    """One sentence where something could not be read, else none."""
    if not tables:
        return ()
    parts = " and ".join(dict.fromkeys(_PARTS.get(table, "some memories") for table in tables))
    return (f"The database is damaged: this answer is without {parts}. Run `waypost doctor --fix`.",)
