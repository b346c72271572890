"""The other stores, each behind the same four methods, used as their own documentation shows."""
