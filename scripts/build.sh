#!/usr/bin/env bash
# Builds the plugin and installs it for the interpreter. The first time, and when the project file changes, through
# scikit-build-core (an editable install: Python sources stay here); after that straight through ninja, in a second or two.
# usage: build.sh PYTHON BUILD_DIR
set -euo pipefail
python=$1
build=$2
mkdir -p "$build"
exec 8>"$build/.install-lock"
flock 8
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
stamp=$build/.installed
# What the installation depends on: the project file without the settings of the linters and of pytest.
project() { sed '/^\[tool.pytest/,$d' pyproject.toml; }
if ! cmp -s <(project) "$stamp" || [ ! -f "$build/build.ninja" ] || [ ! -f "$site/tileguard/libtileguard.so" ]; then
  log=$build/install.log
  echo "building the plugin (log: $log)"
  if ! "$python" -m pip install --no-build-isolation --no-deps --disable-pip-version-check \
      -Cbuild-dir="$build" -e . >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
  project >"$stamp"
fi
"$(dirname "$0")/ninja.sh" "$build" tileguard
cmake --install "$build" --component python --prefix "$site" >/dev/null
