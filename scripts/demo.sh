#!/usr/bin/env bash
# What `make demo` shows: this repository remembers something about itself and answers. Leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."
WAYPOST_HOME=$(mktemp -d)
export WAYPOST_HOME
trap 'rm -rf "$WAYPOST_HOME"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
quoted() { for word; do case "$word" in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done; }
run() { say "waypost$(quoted "$@")"; waypost "$@"; }

run remember "Vectors are kept in half precision in SQLite and searched exactly with numpy over a memory-mapped file" \
    --kind decision --ref src/waypost/store/sqlite/vectors.py --evidence "docs/architecture.md"
run remember "A write is acknowledged only after its commit is on disk: synchronous=FULL" \
    --ref src/waypost/store/sqlite/connection.py --domain store
run remember "Jeder Schreibvorgang geht durch das Gateway in flows/remember.py" --ref src/waypost/flows/remember.py

say 'waypost remember "The release is on Friday"'
release=$(waypost remember "The release is on Friday" --json | sed 's/.*"id": "\([^"]*\)".*/\1/')
echo "Remembered $release"
run remember "The release moved to Monday" --replaces "$release"

run ask "when is a write safe?" -k 1
run ask "Wann erscheint die Version?" -k 1
run ask "Через что проходит каждая запись?" -k 1
run history "$release"
run context "change how vectors are stored" --tokens 300
run status
