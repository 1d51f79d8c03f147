#!/usr/bin/env bash
# Builds one target, one build at a time for each folder; quiet when there is nothing to do.
# usage: ninja.sh BUILD_DIR TARGET
set -euo pipefail
build=$1
target=$2
exec 9>"$build/.lock"
flock 9
cmake --build "$build" --target "$target" 2>&1 |
  { grep -v -e 'no work to do' -e 'Entering directory' -e 'Re-checking' -e '^-- ' || true; }
