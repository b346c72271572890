        CREATE TABLE files (
            file_id INTEGER PRIMARY KEY,
            checkout_id TEXT NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            mtime INTEGER NOT NULL,  -- in nanoseconds, as the file system tells it
            hash BLOB NOT NULL,
            language TEXT NOT NULL,
            lines INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            referrers INTEGER NOT NULL DEFAULT 0,  -- how many other files use something of this one
            digest BLOB NOT NULL  -- what the rest of the tree needs to know of this file: compressed JSON
        );
        CREATE UNIQUE INDEX files_by_path ON files (checkout_id, path);
        CREATE TABLE tracked (
            checkout_id TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (checkout_id, path)
        ) WITHOUT ROWID;
        CREATE INDEX memories_by_checkout ON memories (checkout_id, kind) WHERE checkout_id IS NOT NULL;
        CREATE INDEX memories_by_last_name ON memories (
            substr(name, length(rtrim(name, replace(name, '.', ''))) + 1) COLLATE NOCASE  -- what follows the last dot
        ) WHERE checkout_id IS NOT NULL;

        CREATE VIRTUAL TABLE code_keywords USING fts5 (
            name, path, doc, body, content='', contentless_delete=1,
            tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
        );

        ALTER TABLE owed ADD COLUMN urgency REAL NOT NULL DEFAULT 1;
        CREATE INDEX owed_by_urgency ON owed (engine_id, urgency);
