"""Daily upkeep, put on the schedule of the system: systemd, cron, launchd or the Windows Task Scheduler."""
