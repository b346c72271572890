"""A year of conversations in three languages, and utterances with the importance that a reader gives them."""
