"""Protects everything that listens: authentication, hosts, sizes and rates. Plain ASGI."""
