"""Triggers on a memory's tables: only an owner who is a person may erase text."""

from waypost.store.postgres.directory.functions import SAFE

ERASING = f"""
CREATE FUNCTION waypost.may_erase(space text) RETURNS boolean LANGUAGE plpgsql {SAFE} AS $$
BEGIN
    RETURN waypost.is_admin()
        OR (waypost.may_own(space) AND current_setting('waypost.kind', true) IS DISTINCT FROM 'agent');
END $$;

-- The trigger on lifetimes at whose end a memory is erased: whoever may erase sets one, and whoever adds a memory, to that.
-- A row that this transaction has superseded looks like one that it has added.
CREATE FUNCTION waypost.check_lifetime() RETURNS trigger LANGUAGE plpgsql {SAFE} AS $$
DECLARE
    is_known boolean;
    is_own boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.states s WHERE s.memory_id = $1 AND s.on_expire = %2$L'
        ' AND s.expires_at <= $2), NOT EXISTS (SELECT FROM %1$I.memories m WHERE m.memory_id = $1'
        ' AND (m.xmin <> pg_current_xact_id()::xid OR m.superseded_at IS NOT NULL))', TG_TABLE_SCHEMA, 'delete')
        INTO is_known, is_own USING NEW.memory_id, NEW.expires_at;
    IF NOT (is_known OR is_own OR waypost.may_erase(substr(TG_TABLE_SCHEMA, 9))) THEN
        RAISE EXCEPTION 'Only an owner of this memory may have it erased.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;

-- The trigger on what was said by somebody: an owner forgets it, and its own end may come by itself.
CREATE FUNCTION waypost.check_erase() RETURNS trigger LANGUAGE plpgsql {SAFE} AS $$
DECLARE
    ended boolean;
BEGIN
    IF waypost.may_erase(substr(TG_TABLE_SCHEMA, 9)) THEN
        RETURN OLD;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.states s WHERE s.memory_id = $1 AND s.on_expire = %L'
        ' AND s.expires_at <= extract(epoch FROM now()) * 1000000)', TG_TABLE_SCHEMA, 'delete')
        INTO ended USING OLD.memory_id;
    IF NOT ended THEN
        RAISE EXCEPTION 'Only an owner of this memory may do this.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN OLD;
END $$;

-- The trigger on what was said by somebody: it stays as it is until it is superseded, and that is for good.
CREATE FUNCTION waypost.check_change() RETURNS trigger LANGUAGE plpgsql {SAFE} AS $$
BEGIN
    IF OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL THEN
        OLD.superseded_at := NEW.superseded_at;
        IF NOT NEW *<> OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    IF NOT waypost.may_erase(substr(TG_TABLE_SCHEMA, 9)) THEN
        RAISE EXCEPTION 'What was said is corrected by a new version; only an owner may change it.'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
"""
