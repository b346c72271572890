ALTER TABLE candidates ADD COLUMN declined_at bigint
