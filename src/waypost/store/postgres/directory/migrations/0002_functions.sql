-- The functions of the shared schema: who acts, what they may do, and every change.
--
-- They run with the rights of the schema's owner and trust nothing that a caller can change. Names are qualified and the
-- search path is fixed. The login says who acts; only a server can name another user.
--
-- `session_user` is the login: SET ROLE does not change it. The setting `waypost.user` counts only for the logins in
-- `servers`. Only READ COMMITTED may write: a transaction with an old snapshot would still see a removed owner as an owner.

CREATE FUNCTION waypost.acting_user() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT u.name FROM waypost.users u WHERE u.disabled_at IS NULL AND u.name = CASE
            WHEN EXISTS (SELECT FROM waypost.servers s WHERE s.database_role = session_user)
                THEN current_setting('waypost.user', true)
            ELSE (SELECT l.user_name FROM waypost.logins l WHERE l.database_role = session_user) END
    );
END $$;

CREATE FUNCTION waypost.role_in(wanted text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT m.role FROM waypost.members m JOIN waypost.users u ON u.name = m.user_name
        WHERE m.space_id = wanted AND u.disabled_at IS NULL AND m.user_name = CASE
            WHEN EXISTS (SELECT FROM waypost.servers s WHERE s.database_role = session_user)
                THEN current_setting('waypost.user', true)
            ELSE (SELECT l.user_name FROM waypost.logins l WHERE l.database_role = session_user) END
    );
END $$;

CREATE FUNCTION waypost.may_read(wanted text) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN waypost.role_in(wanted) IS NOT NULL;
END $$;

-- `waypost.rights` can only take away: a token that only reads writes nothing, whatever its user may.
CREATE FUNCTION waypost.may_write(wanted text) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(waypost.role_in(wanted) IN ('owner', 'writer'), false)
        AND current_setting('waypost.rights', true) IS DISTINCT FROM 'read' AND current_setting('transaction_isolation') = 'read committed';
END $$;

CREATE FUNCTION waypost.may_own(wanted text) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(waypost.role_in(wanted) = 'owner', false)
        AND current_setting('waypost.rights', true) IS DISTINCT FROM 'read' AND current_setting('transaction_isolation') = 'read committed';
END $$;

CREATE FUNCTION waypost.my_spaces() RETURNS text[] LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ARRAY(SELECT m.space_id FROM waypost.members m WHERE m.user_name = waypost.acting_user());
END $$;

CREATE FUNCTION waypost.owned_spaces() RETURNS text[] LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        SELECT m.space_id FROM waypost.members m WHERE m.user_name = waypost.acting_user() AND m.role = 'owner'
    );
END $$;

-- Whoever owns this schema, and superusers. A server never is: it acts for many.
CREATE FUNCTION waypost.is_admin() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN NOT EXISTS (SELECT FROM waypost.servers s WHERE s.database_role = session_user) AND pg_has_role(
        session_user, (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'waypost'), 'MEMBER');
END $$;

CREATE FUNCTION waypost.actor() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(waypost.acting_user(), 'database role ' || session_user);
END $$;

CREATE FUNCTION waypost.note(action text, subject text, space text DEFAULT NULL, details jsonb DEFAULT '{}')
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO waypost.audit (actor, action, subject, space_id, details)
        VALUES (waypost.actor(), action, subject, space, details);
END $$;

CREATE FUNCTION waypost.check_admin() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT waypost.is_admin() THEN
        RAISE EXCEPTION 'Only an administrator of the database may do this.' USING ERRCODE = 'insufficient_privilege';
    END IF;
END $$;

CREATE FUNCTION waypost.check_person() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('waypost.kind', true) = 'agent' OR current_setting('waypost.rights', true) = 'read' THEN
        RAISE EXCEPTION 'Only a person who may write can do this.' USING ERRCODE = 'insufficient_privilege';
    END IF;
END $$;

CREATE FUNCTION waypost.check_owner(space text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT waypost.is_admin() THEN
        PERFORM waypost.check_person();
        IF NOT waypost.may_own(space) THEN
            RAISE EXCEPTION 'Only an owner of this memory may do this.' USING ERRCODE = 'insufficient_privilege';
        END IF;
    END IF;
END $$;

CREATE FUNCTION waypost.check_known(user_wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM waypost.users u WHERE u.name = user_wanted FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no user %.', quote_literal(left(user_wanted, 80)) USING ERRCODE = 'no_data_found';
    END IF;
END $$;

CREATE FUNCTION waypost.check_space(space text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT current_setting('transaction_isolation') = 'read committed' THEN
        RAISE EXCEPTION 'Members change in transactions that are READ COMMITTED.'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM FROM waypost.spaces s WHERE s.space_id = space FOR UPDATE;  -- its members change one after the other
    IF NOT FOUND AND waypost.is_admin() THEN  -- others are told that they may not, whether it is there or not
        RAISE EXCEPTION 'There is no memory %.', quote_literal(left(space, 80)) USING ERRCODE = 'no_data_found';
    END IF;
END $$;

CREATE FUNCTION waypost.add_user(added text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.check_admin();
    INSERT INTO waypost.users (name, added_by) VALUES (added, waypost.actor());
    PERFORM waypost.note('add user', added);
END $$;

CREATE FUNCTION waypost.able_user(wanted text, able boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.check_admin();
    PERFORM waypost.check_known(wanted);
    UPDATE waypost.users SET disabled_at = CASE WHEN able THEN NULL ELSE coalesce(disabled_at, now()) END
        WHERE name = wanted;
    DELETE FROM waypost.sessions s USING waypost.tokens t
        WHERE NOT able AND t.user_name = wanted AND s.holder = left(t.digest, 16);
    PERFORM waypost.grant_all_groups(wanted);
    PERFORM waypost.note(CASE WHEN able THEN 'enable user' ELSE 'disable user' END, wanted);
END $$;

CREATE FUNCTION waypost.add_login(wanted text, login text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.check_admin();
    PERFORM waypost.check_known(wanted);
    IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = login AND r.rolcanlogin) THEN
        RAISE EXCEPTION 'No role % can log in to this database.', quote_literal(left(login, 80))
            USING ERRCODE = 'no_data_found';
    END IF;
    IF EXISTS (SELECT FROM waypost.servers s WHERE s.database_role = login) THEN
        RAISE EXCEPTION 'A server''s role is nobody''s own.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO waypost.logins (database_role, user_name, added_by) VALUES (login, wanted, waypost.actor());
    PERFORM waypost.grant_all_groups(wanted);
    PERFORM waypost.note('add login', wanted, details => jsonb_build_object('role', login));
END $$;

CREATE FUNCTION waypost.remove_login(wanted text, login text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was timestamptz;
BEGIN
    PERFORM waypost.check_admin();
    SELECT u.disabled_at INTO was FROM waypost.logins l JOIN waypost.users u ON u.name = l.user_name
        WHERE l.database_role = login AND l.user_name = wanted FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% does not log in as %.', quote_literal(left(wanted, 80)), quote_literal(left(login, 80))
            USING ERRCODE = 'no_data_found';
    END IF;
    UPDATE waypost.users SET disabled_at = now() WHERE name = wanted;  -- for the moment: takes every grant away
    PERFORM waypost.grant_all_groups(wanted);
    DELETE FROM waypost.logins l WHERE l.database_role = login;
    UPDATE waypost.users SET disabled_at = was WHERE name = wanted;
    PERFORM waypost.grant_all_groups(wanted);
    PERFORM waypost.note('remove login', wanted, details => jsonb_build_object('role', login));
END $$;

CREATE FUNCTION waypost.register_space(
    space text, kind text, name text, source text, origin text, created timestamptz, extra jsonb
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.check_admin();
    INSERT INTO waypost.spaces (space_id, kind, name, source, origin, created, extra)
        VALUES (space, kind, name, source, origin, created, extra);
    PERFORM waypost.note('register space', name, space);
END $$;

CREATE FUNCTION waypost.keep_space(space text, engine text, version integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT (waypost.is_admin() OR waypost.may_write(space)) THEN
        RAISE EXCEPTION 'Only a writer of this memory may do this.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE waypost.spaces s SET model = engine, schema_version = version
        WHERE s.space_id = space AND (s.model, s.schema_version) IS DISTINCT FROM (engine, version);
END $$;

CREATE FUNCTION waypost.forget_space(space text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text;
    role text;
BEGIN
    PERFORM waypost.check_space(space);
    PERFORM waypost.check_owner(space);
    SELECT s.name INTO known FROM waypost.spaces s WHERE s.space_id = space;
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', 'waypost_' || space);
    DELETE FROM waypost.spaces s WHERE s.space_id = space;
    FOR role IN SELECT r.rolname FROM unnest(ARRAY['owner', 'writer', 'reader', 'guest']) one
        JOIN pg_roles r ON r.rolname = waypost.group_of(space, one)
    LOOP
        PERFORM waypost.drop_group(role);
    END LOOP;
    PERFORM waypost.note('forget space', space, space);
END $$;

CREATE FUNCTION waypost.check_owned(space text, was text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF was IS NULL THEN
        RAISE EXCEPTION 'There is no such member of this memory.' USING ERRCODE = 'no_data_found';
    END IF;
    IF was = 'owner' AND NOT waypost.is_admin()
        AND NOT EXISTS (SELECT FROM waypost.members m JOIN waypost.users u ON u.name = m.user_name
            WHERE m.space_id = space AND m.role = 'owner' AND u.disabled_at IS NULL)
    THEN
        RAISE EXCEPTION 'This is the last owner of the memory.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END $$;

CREATE FUNCTION waypost.add_member(space text, wanted text, as_role text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.check_space(space);
    PERFORM waypost.check_owner(space);
    PERFORM waypost.check_known(wanted);
    INSERT INTO waypost.members (space_id, user_name, role, added_by) VALUES (space, wanted, as_role, waypost.actor());
    PERFORM waypost.grant_groups(space, wanted);
    PERFORM waypost.note('add member', wanted, space, jsonb_build_object('role', as_role));
END $$;

CREATE FUNCTION waypost.change_role(space text, wanted text, as_role text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was text;
BEGIN
    PERFORM waypost.check_space(space);
    PERFORM waypost.check_owner(space);
    SELECT m.role INTO was FROM waypost.members m WHERE m.space_id = space AND m.user_name = wanted;
    UPDATE waypost.members m SET role = as_role WHERE m.space_id = space AND m.user_name = wanted;
    PERFORM waypost.check_owned(space, was);
    PERFORM waypost.grant_groups(space, wanted);
    PERFORM waypost.note('change role', wanted, space, jsonb_build_object('role', as_role));
END $$;

CREATE FUNCTION waypost.remove_member(space text, wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was text;
BEGIN
    PERFORM waypost.check_space(space);
    IF waypost.acting_user() = wanted THEN  -- everybody may go
        PERFORM waypost.check_person();
    ELSE
        PERFORM waypost.check_owner(space);
    END IF;
    PERFORM waypost.note('remove member', wanted, space);
    DELETE FROM waypost.members m WHERE m.space_id = space AND m.user_name = wanted RETURNING m.role INTO was;
    PERFORM waypost.check_owned(space, was);
    PERFORM waypost.grant_groups(space, wanted);
END $$;

CREATE FUNCTION waypost.group_of(space text, role text) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT s.value FROM waypost.settings s WHERE s.key = 'role_prefix') || '_' || space || '_' || role;
END $$;

-- Logins have what a group may, but do not become it, as far as PostgreSQL can tell these apart (from 16 on): whoever had
-- become it would stay it after having been put out.
CREATE FUNCTION waypost.give_group(role text, login text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('GRANT %I TO %I', role, login) || CASE
        WHEN current_setting('server_version_num')::integer >= 160000 THEN ' WITH INHERIT TRUE, SET FALSE' ELSE '' END;
END $$;

-- A group that nobody needs any more. Somebody who was in it may have left something to it: that goes too. Where something
-- in another database keeps the role alive, or we may drop none, nobody is in it any more.
CREATE FUNCTION waypost.drop_group(role text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION waypost.grant_groups(space text, user_wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION waypost.grant_all_groups(user_wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION waypost.may_erase(space text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN waypost.is_admin()
        OR (waypost.may_own(space) AND current_setting('waypost.kind', true) IS DISTINCT FROM 'agent');
END $$;

-- The trigger on lifetimes at whose end a memory is erased: whoever may erase sets one, and whoever adds a memory, to that.
-- A row that this transaction has superseded looks like one that it has added.
CREATE FUNCTION waypost.check_lifetime() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION waypost.check_erase() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION waypost.check_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION waypost.check_self(wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT waypost.is_admin() THEN
        PERFORM waypost.check_person();
        IF waypost.acting_user() IS DISTINCT FROM wanted THEN
            RAISE EXCEPTION 'Only % and administrators may do this.', quote_literal(left(wanted, 80))
                USING ERRCODE = 'insufficient_privilege';
        END IF;
    END IF;
END $$;

CREATE FUNCTION waypost.make_token(
    wanted text, token_name text, token_kind text, token_rights text, space text, token_digest text, ends timestamptz
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM waypost.check_self(wanted);
    PERFORM waypost.check_known(wanted);
    IF space IS NOT NULL
        AND NOT EXISTS (SELECT FROM waypost.members m WHERE m.space_id = space AND m.user_name = wanted)
    THEN
        RAISE EXCEPTION '% is no member of that memory.', quote_literal(left(wanted, 80))
            USING ERRCODE = 'no_data_found';
    END IF;
    INSERT INTO waypost.tokens (digest, user_name, name, kind, rights, space_id, expires)
        VALUES (token_digest, wanted, token_name, token_kind, token_rights, space, ends);
    PERFORM waypost.note('make token', wanted, space,
        jsonb_build_object('token', token_name, 'kind', token_kind, 'rights', token_rights));
END $$;

CREATE FUNCTION waypost.revoke_token(wanted text, token_name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    gone text;
BEGIN
    PERFORM waypost.check_self(wanted);
    UPDATE waypost.tokens t SET revoked_at = now()
        WHERE t.user_name = wanted AND t.name = token_name AND t.revoked_at IS NULL RETURNING t.digest INTO gone;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% has no token %.', quote_literal(left(wanted, 80)), quote_literal(left(token_name, 80))
            USING ERRCODE = 'no_data_found';
    END IF;
    DELETE FROM waypost.sessions s WHERE s.holder = left(gone, 16);
    PERFORM waypost.note('revoke token', wanted, details => jsonb_build_object('token', token_name));
END $$;

-- For servers: who has the token of this digest, or of this key, and what they may where.
CREATE FUNCTION waypost.holder(token_digest text, token_key text)
RETURNS TABLE (user_name text, name text, kind text, rights text, space_id text, digest text, roles jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT t.user_name, t.name, t.kind, t.rights, t.space_id, t.digest, coalesce(
            (SELECT jsonb_object_agg(m.space_id, m.role) FROM waypost.members m
                WHERE m.user_name = t.user_name AND (t.space_id IS NULL OR m.space_id = t.space_id)), '{}')
        FROM waypost.tokens t JOIN waypost.users u ON u.name = t.user_name
        WHERE (t.digest = token_digest OR left(t.digest, 16) = token_key)
            AND t.revoked_at IS NULL AND u.disabled_at IS NULL AND (t.expires IS NULL OR t.expires > now());
END $$;
