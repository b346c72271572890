ALTER TABLE edges ADD COLUMN lines TEXT;  -- of relations in code: where the first symbol uses the second
DROP TRIGGER edges_sum_new;
DROP TRIGGER edges_sum_changed;
UPDATE edges SET checksum = waypost_checksum(kind, from_id, to_id, strength, made_at, lines);
CREATE TRIGGER edges_sum_new AFTER INSERT ON edges BEGIN UPDATE edges SET checksum = waypost_checksum(new.kind, new.from_id, new.to_id, new.strength, new.made_at, new.lines) WHERE from_id = new.from_id AND kind = new.kind AND to_id = new.to_id; END;
CREATE TRIGGER edges_sum_changed AFTER UPDATE OF kind, from_id, to_id, strength, made_at, lines ON edges BEGIN UPDATE edges SET checksum = waypost_checksum(new.kind, new.from_id, new.to_id, new.strength, new.made_at, new.lines) WHERE from_id = new.from_id AND kind = new.kind AND to_id = new.to_id; END;
