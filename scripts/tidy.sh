#!/usr/bin/env bash
# clang-tidy over the rooms that build without TVM; skipped when none of them has changed since it was last clean.
# usage: tidy.sh BUILD_DIR
set -euo pipefail
build=$1
rooms=(src/model src/sets src/prove src/guard)
stamp=$build/.tidy

now=$(find "${rooms[@]}" .clang-tidy -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
[ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && exit 0
find "${rooms[@]}" -name '*.cc' -print0 |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" 2> >(grep -v 'warnings\? generated' >&2)
echo "$now" >"$stamp"
