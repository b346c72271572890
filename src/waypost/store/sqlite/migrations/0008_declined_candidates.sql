        ALTER TABLE candidates ADD COLUMN declined_at INTEGER;  -- empty: it waits
