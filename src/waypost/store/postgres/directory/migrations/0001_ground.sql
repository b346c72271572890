CREATE TABLE waypost.settings (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE waypost.secrets (name text PRIMARY KEY, value bytea NOT NULL);

CREATE TABLE waypost.spaces (
    space_id text PRIMARY KEY CHECK (space_id ~ '^[0-9a-f]{16}$'),
    kind text NOT NULL CHECK (kind IN ('project', 'person')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
    source text NOT NULL,  -- what the id was computed from
    origin text,
    created timestamptz NOT NULL,
    model text NOT NULL DEFAULT '',
    schema_version integer NOT NULL DEFAULT 0,
    extra jsonb NOT NULL DEFAULT '{}'
);

CREATE TABLE waypost.users (
    name text PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$'),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL,
    disabled_at timestamptz
);
CREATE TABLE waypost.logins (  -- the database roles that a user's machines log in with
    database_role text PRIMARY KEY,
    user_name text NOT NULL REFERENCES waypost.users (name),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL
);
CREATE INDEX logins_by_user ON waypost.logins (user_name);
CREATE TABLE waypost.servers (database_role text PRIMARY KEY);  -- these, and no others, say for whom they act

CREATE TABLE waypost.members (
    space_id text NOT NULL REFERENCES waypost.spaces (space_id) ON DELETE CASCADE,
    user_name text NOT NULL REFERENCES waypost.users (name),
    role text NOT NULL CHECK (role IN ('owner', 'writer', 'reader')),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL,
    PRIMARY KEY (user_name, space_id)
);
CREATE INDEX members_by_space ON waypost.members (space_id);

CREATE TABLE waypost.tokens (  -- never the token
    digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
    user_name text NOT NULL REFERENCES waypost.users (name),
    name text NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
    kind text NOT NULL CHECK (kind IN ('person', 'agent')),
    rights text NOT NULL CHECK (rights IN ('read', 'write')),
    space_id text REFERENCES waypost.spaces (space_id) ON DELETE CASCADE,  -- empty: every one of the user's
    created timestamptz NOT NULL DEFAULT now(),
    expires timestamptz,
    revoked_at timestamptz
);
CREATE UNIQUE INDEX tokens_by_name ON waypost.tokens (user_name, name) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX tokens_by_key ON waypost.tokens (left(digest, 16));

CREATE TABLE waypost.sessions (  -- of people who have signed in to a server
    digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
    holder text NOT NULL CHECK (holder ~ '^[0-9a-f]{16}$'),
    began timestamptz NOT NULL,
    seen timestamptz NOT NULL
);
CREATE TABLE waypost.replies (  -- to writes with an idempotency key: hashes, ids, statuses and numbers, never words
    key bytea PRIMARY KEY,
    caller bytea NOT NULL,
    request bytea NOT NULL,
    at timestamptz NOT NULL,
    held_until timestamptz NOT NULL,  -- a server is at it; after that nobody knows whether it was done
    status integer,
    body text,
    headers text
);
CREATE INDEX replies_by_caller ON waypost.replies (caller, at);
CREATE INDEX replies_by_age ON waypost.replies (at);

CREATE TABLE waypost.audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    space_id text,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_by_space ON waypost.audit (space_id);

CREATE FUNCTION waypost.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON waypost.audit
    FOR EACH STATEMENT EXECUTE FUNCTION waypost.refuse_change();
