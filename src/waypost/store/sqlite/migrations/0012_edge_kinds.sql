DROP INDEX edges_back;
CREATE INDEX edges_back ON edges (to_id, kind);  -- a base class has thousands of edges, few of one kind
