#!/usr/bin/env bash
# Makes the virtual environment and brings it to requirements.txt; nothing to do when that has not changed.
# usage: venv.sh PYTHON VENV
set -euo pipefail
python=$1
venv=$2
stamp=$venv/.requirements

if [ ! -x "$venv/bin/python" ]; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "TileGuard needs Python 3.11 or newer; $python is $("$python" --version): make PYTHON=python3.11" >&2
    exit 1
  }
  # Debian ships venv apart from Python.
  "$python" -c 'import ensurepip, venv' 2>/dev/null || "$(dirname "$0")/apt.sh" python3-venv
  "$python" -m venv "$venv"
fi
cmp -s requirements.txt "$stamp" && exit 0
echo "installing requirements.txt into $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
cp requirements.txt "$stamp"
