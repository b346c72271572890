"""Ask git about a checkout and its history."""
