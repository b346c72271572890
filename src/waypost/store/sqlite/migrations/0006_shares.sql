        CREATE TABLE shares (  -- this space's half of each agreement with another
            role TEXT NOT NULL,  -- gives: to the other; takes: from it
            other TEXT NOT NULL,  -- the id of its space
            name TEXT NOT NULL,  -- what it was called when it was agreed
            offer_id TEXT NOT NULL,  -- the same in both halves, or the acceptance is of an earlier offer
            offer TEXT NOT NULL,  -- JSON: kinds, domains, levels, code
            made_at INTEGER NOT NULL,
            made_by TEXT NOT NULL,
            revoked_at INTEGER,
            revoked_by TEXT,
            PRIMARY KEY (role, other)
        ) WITHOUT ROWID;
