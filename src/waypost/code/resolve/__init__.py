"""From names to what they mean: which file an import brings, which symbol a call reaches. Unknown stays unknown."""
