"""Where memories point, and how far they can be trusted."""
