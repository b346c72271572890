"""Import from other memories of agents: rule files, Claude Code, basic-memory, claude-mem and others."""
