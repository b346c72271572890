"""The journal: Markdown files that people can read and edit, and what becomes of them as they age."""
