"""Grants logins the rights of the groups of a memory."""

from waypost.store.postgres.directory.functions import SAFE

GROUPS = f"""
CREATE FUNCTION waypost.group_of(space text, role text) RETURNS text LANGUAGE plpgsql STABLE {SAFE} AS $$
BEGIN
    RETURN (SELECT s.value FROM waypost.settings s WHERE s.key = 'role_prefix') || '_' || space || '_' || role;
END $$;

-- Logins have what a group may, but do not become it, as far as PostgreSQL can tell these apart (from 16 on): whoever had
-- become it would stay it after having been put out.
CREATE FUNCTION waypost.give_group(role text, login text) RETURNS void LANGUAGE plpgsql {SAFE} AS $$
BEGIN
    EXECUTE format('GRANT %I TO %I', role, login) || CASE
        WHEN current_setting('server_version_num')::integer >= 160000 THEN ' WITH INHERIT TRUE, SET FALSE' ELSE '' END;
END $$;

-- A group that nobody needs any more. Somebody who was in it may have left something to it: that goes too. Where something
-- in another database keeps the role alive, or we may drop none, nobody is in it any more.
CREATE FUNCTION waypost.drop_group(role text) RETURNS void LANGUAGE plpgsql {SAFE} AS $$
DECLARE
    member text;
BEGIN
    FOR member IN SELECT r.rolname FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.member
        WHERE a.roleid = quote_ident(role)::regrole AND a.grantor = quote_ident(current_user)::regrole
    LOOP
        EXECUTE format('REVOKE %I FROM %I', role, member);
    END LOOP;
    BEGIN
        EXECUTE format('GRANT %I TO CURRENT_USER', role) || CASE
            WHEN current_setting('server_version_num')::integer >= 160000 THEN ' WITH INHERIT TRUE' ELSE '' END;
        EXECUTE format('DROP OWNED BY %I', role);
        EXECUTE format('DROP ROLE %I', role);
    EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN
        RAISE NOTICE 'The role % stays.', role;
    END;
END $$;

-- Make what the database grants to a user's logins in a space what the tables say.
CREATE FUNCTION waypost.grant_groups(space text, user_wanted text) RETURNS void LANGUAGE plpgsql {SAFE} AS $$
DECLARE
    due text := (SELECT m.role FROM waypost.members m JOIN waypost.users u ON u.name = m.user_name
        WHERE m.space_id = space AND m.user_name = user_wanted AND u.disabled_at IS NULL);
    login text;
    role text;
BEGIN
    FOR login IN SELECT l.database_role FROM waypost.logins l JOIN pg_roles r ON r.rolname = l.database_role
        WHERE l.user_name = user_wanted
    LOOP
        FOR role IN SELECT one FROM unnest(ARRAY['owner', 'writer', 'reader']) one
            JOIN pg_roles r ON r.rolname = waypost.group_of(space, one)
        LOOP
            IF role = due THEN
                PERFORM waypost.give_group(waypost.group_of(space, role), login);
            ELSIF EXISTS (SELECT FROM pg_auth_members a WHERE a.roleid = waypost.group_of(space, role)::regrole
                AND a.member = quote_ident(login)::regrole)
            THEN
                EXECUTE format('REVOKE %I FROM %I', waypost.group_of(space, role), login);
            END IF;
        END LOOP;
    END LOOP;
END $$;

CREATE FUNCTION waypost.grant_all_groups(user_wanted text) RETURNS void LANGUAGE plpgsql {SAFE} AS $$
DECLARE
    team text := (SELECT s.value || '_team' FROM waypost.settings s WHERE s.key = 'role_prefix');
    is_out boolean := (SELECT u.disabled_at IS NOT NULL FROM waypost.users u WHERE u.name = user_wanted);
    login text;
BEGIN
    IF team IS NULL OR NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = team) THEN
        RETURN;
    END IF;
    FOR login IN SELECT l.database_role FROM waypost.logins l JOIN pg_roles r ON r.rolname = l.database_role
        WHERE l.user_name = user_wanted
    LOOP
        IF is_out THEN
            EXECUTE format('REVOKE %I FROM %I', team, login);
        ELSE
            PERFORM waypost.give_group(team, login);
        END IF;
    END LOOP;
    PERFORM waypost.grant_groups(m.space_id, user_wanted) FROM waypost.members m WHERE m.user_name = user_wanted;
END $$;
"""
