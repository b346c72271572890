"""Scripts that complete `waypost` in bash, zsh and fish, made from the commands themselves."""
