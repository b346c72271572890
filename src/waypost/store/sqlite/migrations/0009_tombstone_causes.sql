        ALTER TABLE tombstones ADD COLUMN cause TEXT NOT NULL DEFAULT '';  -- the rejection that left it; empty: before
