        ALTER TABLE states ADD COLUMN ttl_seconds INTEGER;
        ALTER TABLE states ADD COLUMN ttl_class TEXT;
        ALTER TABLE states ADD COLUMN refresh TEXT;  -- globs, as a JSON list
        CREATE INDEX states_by_end ON states (expires_at) WHERE expires_at IS NOT NULL;
        CREATE INDEX memories_by_level ON memories (level, domain) WHERE superseded_at IS NULL;

        CREATE TABLE candidates (
            candidate_id TEXT PRIMARY KEY,
            made_at INTEGER NOT NULL,
            confidence REAL NOT NULL,
            origin TEXT NOT NULL,
            topic TEXT NOT NULL,
            reason TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            tombstone BLOB NOT NULL,
            draft TEXT NOT NULL
        ) WITHOUT ROWID;

        ALTER TABLE edges ADD COLUMN made_at INTEGER;  -- empty: before anybody noted it

        CREATE TABLE domains (  -- of the current facts with a vector: what their mean is made from
            engine_id INTEGER NOT NULL,
            domain TEXT NOT NULL,
            facts INTEGER NOT NULL,
            total BLOB NOT NULL,
            PRIMARY KEY (engine_id, domain)
        ) WITHOUT ROWID;
