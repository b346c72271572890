"""Values that people rejected: the marks they leave, and the spellings under which they are recognised."""
