        CREATE TABLE pointers (
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            path TEXT NOT NULL,
            symbol TEXT,
            first INTEGER,
            last INTEGER,
            hash BLOB,  -- of the code that it was pinned to
            git_commit BLOB,
            made_at INTEGER,
            verified_at INTEGER,
            anchor BLOB,  -- what the code is found again by
            more TEXT,  -- what few references say, as JSON
            PRIMARY KEY (number, place)
        ) WITHOUT ROWID;
        INSERT INTO pointers (number, place, path, symbol, first, last, more)
            SELECT number, place, path, symbol, json_extract(reference, '$.line_range.start'),
                json_extract(reference, '$.line_range.end'),
                nullif(json_remove(reference, '$.file_path', '$.symbol_id', '$.line_range'), '{}')
            FROM code_refs;
        DROP TABLE code_refs;
        ALTER TABLE pointers RENAME TO code_refs;
        CREATE INDEX code_refs_by_path ON code_refs (path);
        CREATE INDEX code_refs_by_symbol ON code_refs (substr(symbol, -16)) WHERE symbol IS NOT NULL;  -- ids are long

        CREATE TABLE verdicts (
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            checkout_id TEXT NOT NULL,
            file_hash BLOB NOT NULL,  -- of the file that is pointed at; empty where there is none
            current INTEGER NOT NULL,  -- 1: of the tree as it was looked at last
            state TEXT NOT NULL,
            path TEXT,  -- empty where it is the one that is pointed at
            first INTEGER,
            last INTEGER,
            amount REAL NOT NULL,
            since INTEGER,
            checked_at INTEGER NOT NULL,
            target_hash BLOB,  -- of the file where it was found, when that is another
            more TEXT,
            PRIMARY KEY (number, place, checkout_id, file_hash)
        ) WITHOUT ROWID;
        CREATE INDEX verdicts_by_path ON verdicts (checkout_id, path) WHERE current AND path > '';
