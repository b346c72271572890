"""Syntax trees of single languages as plain values."""
