"""Shares between projects: each space stores its own half of every agreement.

A share is active while both halves exist, name the same offer, and neither was revoked.
"""

GIVES, TAKES = "gives", "takes"  # the two halves of a share
