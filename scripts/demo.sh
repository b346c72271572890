#!/usr/bin/env bash
# What `make demo` shows: a part of this repository is indexed and answers; a small project remembers, notices a change and
# answers in German. Leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."
WAYPOST_HOME=$(mktemp -d)
export WAYPOST_HOME
export WAYPOST_BACKGROUND=0  # nothing goes on when the demo is over
trap 'rm -rf "$WAYPOST_HOME"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
quoted() { for word; do case "$word" in *' '* | *'*'*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done; }
run() { say "waypost$(quoted "$@")"; waypost "$@"; }

# Code. Two folders, to be quick: the whole repository takes minutes.
run init --include "src/waypost/refs/**" --include "src/waypost/text/**"
run ask "where are secret values masked?" --in code -k 2
run context "follow code that was renamed" --preset scope

# A memory that points at code: it follows the code, and is stale when the code changes.
project="$WAYPOST_HOME/project"
mkdir -p "$project/src"
cp src/waypost/text/fence.py "$project/src/fence.py"
cd "$project"
git init -q
run remember "Stored text cannot end the fence around it" --ref src/fence.py#fence
say "sed -i '1i # a line above' src/fence.py && mv src/fence.py src/guard.py"
sed '1i # a line above' src/fence.py > src/guard.py && rm src/fence.py
run about src/guard.py
say "sed -i 's/return /return 2 * /' src/guard.py"
sed 's/^    return /    return 2 * /' src/guard.py > src/changed && mv src/changed src/guard.py
run ask "can stored text end its fence?" -k 1

# Facts change, and questions can be in another language.
say 'waypost remember "The release is on Friday"'
release=$(waypost remember "The release is on Friday" --json | sed 's/.*"id": "\([^"]*\)".*/\1/')
echo "Remembered $release"
run remember "The release moved to Monday" --replaces "$release"
run ask "Wann erscheint das Release?" -k 1
run history "$release"

# Why things are as they are.
run decide "Vectors are searched exactly" --because "an approximate index would be one more thing that can be wrong"
run why "why no approximate index?"

# What was said: Markdown files by the day, which people can edit.
run journal add "Marta wants the release notes in German too, from Monday on" --time "yesterday 18:00"
run journal timeline yesterday
run status
cd - > /dev/null

waypost=$(command -v waypost)
printf '\nTry it yourself: \033[1m%s tour\033[0m. Connect your agent: \033[1m%s setup\033[0m.\n' "${waypost#"$PWD"/}" "${waypost#"$PWD"/}"
printf 'The dashboard shows all this in a browser: \033[1m%s serve --open\033[0m\n' "${waypost#"$PWD"/}"
