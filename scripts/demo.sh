#!/usr/bin/env bash
# What `make demo` shows: this repository is indexed, remembers something about itself, and answers. Leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."
WAYPOST_HOME=$(mktemp -d)
export WAYPOST_HOME
export WAYPOST_BACKGROUND=0  # nothing goes on when the demo is over
trap 'rm -rf "$WAYPOST_HOME"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
quoted() { for word; do case "$word" in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done; }
run() { say "waypost$(quoted "$@")"; waypost "$@"; }

run init

run ask "where are secret values masked?" --in code -k 3
run ask "how is a renamed file recognised?" --in code -k 3
run ask "Wo wird eine Frage in einen Vektor verwandelt?" --in functions -k 3
run context "fix a bug in the keyword search" --preset scope

run remember "Vectors are kept in half precision in SQLite and searched exactly with numpy over a memory-mapped file" \
    --kind decision --ref src/waypost/store/sqlite/vectors.py --evidence "docs/architecture.md"
say 'waypost remember "The release is on Friday"'
release=$(waypost remember "The release is on Friday" --json | sed 's/.*"id": "\([^"]*\)".*/\1/')
echo "Remembered $release"
run remember "The release moved to Monday" --replaces "$release"

run ask "Wann erscheint die Version?" --in facts -k 1
run history "$release"
run context "change how vectors are stored" --tokens 300

# What the project said of itself when it was indexed, why things are as they are, and facts from a change.
run context "run the tests" --preset route --tokens 400
run decide "Vectors are searched exactly" --because "an approximate index would be one more thing that can be wrong" \
    --given "Everything lives in one SQLite file" --leads-to "Recall time grows with the number of vectors"
run why "why no approximate index?"

# A memory that points at code: it follows the code, and says so when the code changes.
project="$WAYPOST_HOME/project"
mkdir -p "$project/src"
cp src/waypost/text/fence.py "$project/src/fence.py"
cd "$project"
run remember "Stored text cannot end the fence around it" --ref src/fence.py#fence
say "sed -i '1i # a line above' src/fence.py && mv src/fence.py src/guard.py"
sed '1i # a line above' src/fence.py > src/guard.py && rm src/fence.py
run about src/guard.py
say "sed -i 's/return /return 2 * /' src/guard.py"
sed 's/^    return /    return 2 * /' src/guard.py > src/changed && mv src/changed src/guard.py
run ask "can stored text end its fence?" -k 1
run stale
git init -q && git add -A && git -c user.name=demo -c user.email=demo@example.org commit -qm "Begin"
printf '[project]\nname = "demo"\nrequires-python = ">=3.11"\ndependencies = ["httpx>=0.27"]\n' > pyproject.toml
run learn
cd - > /dev/null

# What was said: Markdown files by the day, which people can edit.
run journal add "Marta wants the release notes in German too, from Monday on" --time "yesterday 18:00"
run journal timeline yesterday
run ask "Was möchte Marta?" --in journal -k 1
run status

# All of it in a browser: only where somebody sits who can say yes, so that nothing is left waiting in a build.
waypost=$(command -v waypost)
printf '\nThe dashboard shows all this in a browser: what is stale, why things were decided, code with its memories.\n'
printf 'For a memory that stays:  \033[1m%s serve --open\033[0m\n' "${waypost#"$PWD"/}"
if [ -t 0 ] && [ -t 1 ] && [ -z "${CI:-}" ]; then
    read -r -p 'Open it now with the memories of this demo, until Ctrl-C? [y/N] ' answer || answer=
    case "$answer" in [yY]*) waypost serve --port 0 --open || true ;; esac
fi
