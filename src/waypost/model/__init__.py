"""Frozen values of the domain. No I/O, no clock, no environment."""
