"""One file per space, in write-ahead mode, through apsw."""
