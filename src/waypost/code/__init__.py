"""Reading a tree: walk, parse, relate, schema, architecture, summary. Pure but for reading files and asking git."""
