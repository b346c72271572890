#!/bin/sh
# Start a hook of Waypost. If Waypost is not installed, explain at the start of a session how to install it.
if command -v waypost-hook > /dev/null 2>&1; then
    exec waypost-hook "$@"
fi
cat > /dev/null
if [ "$1" = session-start ]; then
    printf '%s\n' '{"systemMessage": "The Waypost plugin needs the command `waypost`, which is not on the PATH. Install it with `uv tool install waypost` or `pipx install waypost`, then run `waypost init` in this project and start a new session. To remove the plugin: `claude plugin uninstall waypost@waypost`."}'
fi
exit 0
