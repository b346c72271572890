"""The guard before everything that listens: who may come in, from where, how much and how often. Plain ASGI."""
