-- Row-level security of the shared schema: everyone sees what concerns the memories of which they are a member.
--
-- Only the owner changes these tables directly. Changes go through functions that check who acts and record it. Checks
-- that do not depend on the row are in sub-selects, so that they run once per statement.

ALTER TABLE waypost.settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.spaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.users ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.logins ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.servers ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.replies ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE waypost.migrations ENABLE ROW LEVEL SECURITY;

CREATE POLICY seen ON waypost.migrations FOR SELECT USING (true);
CREATE POLICY seen ON waypost.settings FOR SELECT USING (true);
CREATE POLICY seen ON waypost.spaces FOR SELECT USING (space_id = ANY ((SELECT waypost.my_spaces())::text[]));
CREATE POLICY seen ON waypost.members FOR SELECT USING (space_id = ANY ((SELECT waypost.my_spaces())::text[]));
CREATE POLICY seen ON waypost.users FOR SELECT USING (
    name = (SELECT waypost.acting_user()) OR name IN (SELECT m.user_name FROM waypost.members m)
);
CREATE POLICY seen ON waypost.logins FOR SELECT USING (user_name = (SELECT waypost.acting_user()));
CREATE POLICY seen ON waypost.tokens FOR SELECT USING (user_name = (SELECT waypost.acting_user()));
CREATE POLICY seen ON waypost.audit FOR SELECT USING (
    space_id = ANY ((SELECT waypost.owned_spaces())::text[]) OR subject = (SELECT waypost.acting_user())
);
-- What servers keep for each other: of no single user, and granted to servers alone.
CREATE POLICY kept ON waypost.sessions USING (session_user IN (SELECT s.database_role FROM waypost.servers s));
CREATE POLICY kept ON waypost.replies USING (session_user IN (SELECT s.database_role FROM waypost.servers s));
CREATE POLICY kept ON waypost.secrets USING (session_user IN (SELECT s.database_role FROM waypost.servers s));
CREATE POLICY seen ON waypost.servers FOR SELECT USING (database_role = session_user);
