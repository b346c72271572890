"""Split prose and configuration into sections."""
