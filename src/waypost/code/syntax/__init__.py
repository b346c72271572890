"""Read source code with tree-sitter. Queries find constructs; dialects handle what a query cannot express."""
