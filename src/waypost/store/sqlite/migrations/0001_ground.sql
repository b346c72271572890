-- Indented as in the first release: SQLite stores each statement with its spaces, so this shapes the first pages.
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE checkouts (
            checkout_id TEXT PRIMARY KEY, root TEXT NOT NULL, first_seen INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE memories (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            memory_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            collection TEXT NOT NULL,
            text TEXT NOT NULL,
            recorded_at INTEGER NOT NULL,
            superseded_at INTEGER,
            valid_from INTEGER NOT NULL,
            valid_until INTEGER,
            source TEXT NOT NULL,
            actor TEXT NOT NULL,
            level INTEGER,
            domain TEXT NOT NULL,
            module TEXT NOT NULL,
            key TEXT,
            session TEXT,
            position INTEGER NOT NULL,
            speaker TEXT,
            time INTEGER,
            checkout_id TEXT,
            name TEXT,
            language TEXT NOT NULL,
            traits INTEGER NOT NULL,
            fingerprint BLOB NOT NULL,
            evidence TEXT NOT NULL,
            tags TEXT NOT NULL,
            details TEXT NOT NULL
        );
        CREATE INDEX memories_by_id ON memories (memory_id);
        CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
        CREATE INDEX memories_by_key ON memories (key) WHERE key IS NOT NULL AND superseded_at IS NULL;
        CREATE INDEX memories_by_session ON memories (session, position) WHERE session IS NOT NULL;
        CREATE INDEX memories_by_speaker ON memories (speaker) WHERE speaker IS NOT NULL;
        CREATE INDEX memories_current ON memories (collection, kind) WHERE superseded_at IS NULL;

        CREATE TABLE states (
            memory_id TEXT PRIMARY KEY,
            protected INTEGER NOT NULL DEFAULT 0,
            is_stale INTEGER NOT NULL DEFAULT 0,
            stale_reason TEXT,
            verified_at INTEGER,
            archived_at INTEGER,
            expires_at INTEGER,
            on_expire TEXT,
            importance REAL
        ) WITHOUT ROWID;

        CREATE TABLE code_refs (
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            path TEXT NOT NULL,
            symbol TEXT,
            reference TEXT NOT NULL,
            PRIMARY KEY (number, place)
        ) WITHOUT ROWID;
        CREATE INDEX code_refs_by_path ON code_refs (path);
        CREATE INDEX code_refs_by_symbol ON code_refs (symbol) WHERE symbol IS NOT NULL;

        CREATE TABLE passages (
            passage_id INTEGER PRIMARY KEY AUTOINCREMENT,
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            hash BLOB NOT NULL,
            language TEXT NOT NULL
        );
        CREATE INDEX passages_by_version ON passages (number);
        CREATE INDEX passages_by_hash ON passages (hash);
        CREATE VIRTUAL TABLE keywords USING fts5 (
            terms, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
        );

        CREATE TABLE engines (
            engine_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE vectors (
            vector_id INTEGER PRIMARY KEY AUTOINCREMENT,
            engine_id INTEGER NOT NULL REFERENCES engines (engine_id),
            hash BLOB NOT NULL,
            language TEXT NOT NULL,
            packed BLOB NOT NULL
        );
        CREATE UNIQUE INDEX vectors_by_hash ON vectors (engine_id, hash);
        CREATE INDEX vectors_by_engine ON vectors (engine_id);  -- in the order of their ids: what is new since the last one
        CREATE TABLE owed (
            engine_id INTEGER NOT NULL REFERENCES engines (engine_id), hash BLOB NOT NULL, PRIMARY KEY (engine_id, hash)
        ) WITHOUT ROWID;

        CREATE TABLE edges (
            kind TEXT NOT NULL, from_id TEXT NOT NULL, to_id TEXT NOT NULL, strength REAL NOT NULL,
            PRIMARY KEY (from_id, kind, to_id)
        ) WITHOUT ROWID;
        CREATE INDEX edges_back ON edges (to_id);

        CREATE TABLE tombstones (digest BLOB PRIMARY KEY, made_at INTEGER NOT NULL) WITHOUT ROWID;

        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            action TEXT NOT NULL,
            memory_id TEXT,
            source TEXT NOT NULL,
            actor TEXT NOT NULL,
            details TEXT NOT NULL
        );
        CREATE INDEX audit_by_memory ON audit (memory_id);
        CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;
        CREATE TRIGGER audit_keeps_words BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;
