#!/usr/bin/env bash
# CI: `examples/ci_index.sh export FILE` indexes this clone and writes the index. Keep FILE as an artifact of the build.
# A developer: `examples/ci_index.sh import FILE` takes it over; only files that differ are read again.
set -euo pipefail
case "${1:-}" in
  export)
    waypost init
    waypost index export "$2"
    ;;
  import)
    waypost index import "$2"
    ;;
  *)
    echo "usage: ci_index.sh export|import FILE" >&2
    exit 2
    ;;
esac
