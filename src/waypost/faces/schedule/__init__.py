"""Daily maintenance by the scheduler of the system: systemd, cron, launchd or the Windows Task Scheduler."""
