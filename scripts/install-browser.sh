#!/usr/bin/env bash
# Installs Chromium where Debian's package manager can, for the tests of the dashboard: the one without windows, where there is
# a package of it. Elsewhere a Chromium that is there will do; without one it says what to do.
set -euo pipefail
as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo > /dev/null || ! sudo -n true 2> /dev/null; then as_root=(false); else as_root=(sudo -n); fi
fi
install() {
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$1" fonts-dejavu-core > /dev/null
}
if command -v apt-get > /dev/null && [ "${as_root[*]:-}" != false ]; then
    "${as_root[@]}" apt-get update -qq
    install chromium-headless-shell || install chromium
elif ! command -v chromium > /dev/null; then
    echo "The tests of the dashboard need Chromium. Install it, or name a browser of its kind in WAYPOST_TEST_BROWSER, then run make again." >&2
    exit 1
fi
