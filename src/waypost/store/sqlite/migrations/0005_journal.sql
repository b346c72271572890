        CREATE TABLE journal_files (  -- as they were when they were read or written last
            journal TEXT NOT NULL,  -- the checkout whose tree holds it; empty: beside the database
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            mtime INTEGER NOT NULL,
            gzipped INTEGER NOT NULL,
            PRIMARY KEY (journal, path)
        ) WITHOUT ROWID;
        CREATE TABLE journal_places (  -- which entries stand in which file
            journal TEXT NOT NULL,
            path TEXT NOT NULL,
            memory_id TEXT NOT NULL,
            place INTEGER NOT NULL,
            digest BLOB NOT NULL,  -- of the entry as it stands there
            since INTEGER NOT NULL,
            by_hand INTEGER NOT NULL,  -- 1: a person wrote it there
            PRIMARY KEY (journal, path, memory_id)
        ) WITHOUT ROWID;
        CREATE INDEX memories_of_journal ON memories (valid_from) WHERE collection = 'journal';
        CREATE INDEX journal_places_by_id ON journal_places (memory_id);
        CREATE INDEX journal_places_by_digest ON journal_places (journal, digest);
        ALTER TABLE states ADD COLUMN accessed_at INTEGER;
