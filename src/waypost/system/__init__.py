"""The operating system: files, locks, processes, priorities, logs."""
