-- Shares of a team in the directory: a copy of each half.
--
-- So the taker sees an offer, and gets access, without being a member of the giving memory. A trigger copies the halves
-- from the memories' own tables, in the transaction that changes them. An active share makes the readers of the taker
-- guests of the giver. `guests.py` says what guests see.

CREATE TABLE waypost.halves (
    space_id text NOT NULL REFERENCES waypost.spaces (space_id) ON DELETE CASCADE,  -- the memory that keeps this half
    role text NOT NULL CHECK (role IN ('gives', 'takes')),
    other text NOT NULL CHECK (other ~ '^[0-9a-f]{16}$'),
    kind text NOT NULL,  -- of the memory that keeps it, and its name: told to the other side
    called text NOT NULL,
    name text NOT NULL,  -- from here on as in the memory's own table
    offer_id text NOT NULL,
    offer jsonb NOT NULL,
    made_at bigint NOT NULL,
    made_by text NOT NULL,
    revoked_at bigint,
    revoked_by text,
    PRIMARY KEY (space_id, role, other)
);
CREATE INDEX halves_by_other ON waypost.halves (other);
ALTER TABLE waypost.halves ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON waypost.halves FOR SELECT USING (
    space_id = ANY ((SELECT waypost.my_spaces())::text[]) OR other = ANY ((SELECT waypost.my_spaces())::text[])
);

-- What a memory offers that was accepted, to any memory of whoever acts. NULL: of every kind, domain or level.
CREATE FUNCTION waypost.offered(giver text) RETURNS TABLE (kinds text[], domains text[], levels integer[], code boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT
            nullif(ARRAY(SELECT jsonb_array_elements_text(g.offer -> 'kinds')), '{}'),
            nullif(ARRAY(SELECT jsonb_array_elements_text(g.offer -> 'domains')), '{}'),
            nullif(ARRAY(SELECT jsonb_array_elements_text(g.offer -> 'levels')::integer), '{}'),
            coalesce((g.offer -> 'code')::boolean, false)
        FROM waypost.halves g JOIN waypost.halves t
            ON t.space_id = g.other AND t.role = 'takes' AND t.other = g.space_id AND t.offer_id = g.offer_id
        WHERE g.space_id = giver AND g.role = 'gives' AND g.revoked_at IS NULL AND t.revoked_at IS NULL
            AND g.other = ANY (waypost.my_spaces());
END $$;

-- Make what the database grants to a taker's readers what the halves say.
CREATE FUNCTION waypost.grant_guests(giver text, taker text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guest name := waypost.group_of(giver, 'guest');
    reader name := waypost.group_of(taker, 'reader');
    is_due boolean;
    is_given boolean;
BEGIN
    IF (SELECT count(*) FROM pg_roles r WHERE r.rolname IN (guest, reader)) < 2 THEN
        RETURN;
    END IF;
    PERFORM FROM waypost.spaces s WHERE s.space_id = giver FOR UPDATE;  -- both sides may change it at once
    is_due := EXISTS (SELECT FROM waypost.halves g JOIN waypost.halves t
        ON t.space_id = g.other AND t.role = 'takes' AND t.other = g.space_id AND t.offer_id = g.offer_id
        WHERE g.space_id = giver AND g.other = taker AND g.role = 'gives'
            AND g.revoked_at IS NULL AND t.revoked_at IS NULL);
    is_given := EXISTS (SELECT FROM pg_auth_members a
        WHERE a.roleid = quote_ident(guest)::regrole AND a.member = quote_ident(reader)::regrole);
    IF is_due AND NOT is_given THEN
        EXECUTE format('GRANT %I TO %I', guest, reader);
    ELSIF is_given AND NOT is_due THEN
        EXECUTE format('REVOKE %I FROM %I', guest, reader);
    END IF;
END $$;

CREATE FUNCTION waypost.grant_all_guests(space text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.grant_guests(h.space_id, h.other) FROM waypost.halves h
        WHERE h.role = 'gives' AND space IN (h.space_id, h.other);
END $$;

-- The trigger on a memory's own table of shares. What lets others read is for owners; to end it, whoever may write.
CREATE FUNCTION waypost.keep_half() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    space text := substr(TG_TABLE_SCHEMA, 9);
    giver text;
    taker text;
BEGIN
    IF TG_OP = 'UPDATE' AND (OLD.role, OLD.other) IS DISTINCT FROM (NEW.role, NEW.other) THEN
        RAISE EXCEPTION 'A share stays between the memories that it was made between.'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'DELETE' THEN
        IF NOT waypost.is_admin() THEN
            PERFORM waypost.check_person();
        END IF;
        DELETE FROM waypost.halves h WHERE h.space_id = space AND h.role = OLD.role AND h.other = OLD.other;
        NEW := OLD;
    ELSE
        IF NEW.revoked_at IS NULL THEN
            PERFORM waypost.check_owner(space);
        ELSIF NOT waypost.is_admin() THEN
            PERFORM waypost.check_person();
        END IF;
        INSERT INTO waypost.halves SELECT space, NEW.role, NEW.other, s.kind, s.name, NEW.name, NEW.offer_id,
                NEW.offer::jsonb, NEW.made_at, NEW.made_by, NEW.revoked_at, NEW.revoked_by
            FROM waypost.spaces s WHERE s.space_id = space
            ON CONFLICT (space_id, role, other) DO UPDATE SET kind = excluded.kind, called = excluded.called,
                name = excluded.name, offer_id = excluded.offer_id, offer = excluded.offer, made_at = excluded.made_at,
                made_by = excluded.made_by, revoked_at = excluded.revoked_at, revoked_by = excluded.revoked_by;
    END IF;
    giver := CASE NEW.role WHEN 'gives' THEN space ELSE NEW.other END;
    taker := CASE NEW.role WHEN 'gives' THEN NEW.other ELSE space END;
    PERFORM waypost.grant_guests(giver, taker);
    PERFORM waypost.note(
        CASE WHEN TG_OP = 'DELETE' OR NEW.revoked_at IS NOT NULL THEN 'revoke share'
            WHEN NEW.role = 'gives' THEN 'offer share' ELSE 'accept share' END,
        told.other, told.space, jsonb_build_object('giver', giver, 'taker', taker)
    ) FROM (VALUES (space, NEW.other), (NEW.other, space)) told (space, other);
    RETURN NULL;
END $$;
