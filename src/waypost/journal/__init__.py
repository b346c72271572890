"""The journal: Markdown files that people can read and edit, and how they are condensed with age."""
