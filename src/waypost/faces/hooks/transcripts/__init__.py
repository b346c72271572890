"""Read transcripts that agents keep of a session."""
