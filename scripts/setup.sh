#!/usr/bin/env bash
# Makes .venv from a lock. `scripts/setup.sh run` is what the demo needs, `scripts/setup.sh dev` is that and the tools.
# One line per step, with its time.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly KIND="${1:?run or dev}"
readonly LOCK="requirements/$KIND.lock"
readonly PYTHON_IN_VENV=.venv/bin/python
source scripts/step.sh

make_venv() {
  [ -x "$PYTHON_IN_VENV" ] && "$PYTHON_IN_VENV" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' && return
  rm -rf .venv
  "$PYTHON" -m venv .venv
}

pip() { "$PYTHON_IN_VENV" -m pip --disable-pip-version-check "$@"; }

# uv installs in a tenth of the time; it does not read the settings of pip, so the two that matter are handed over.
# Where it cannot be had or cannot reach the packages, pip installs from the same lock.
get_uv() { pip install --quiet --require-hashes -r requirements/uv.lock || echo "uv cannot be had; pip will do"; }

install_packages() {
  local index certificates
  index="${PIP_INDEX_URL:-$(pip config get global.index-url 2>/dev/null || true)}"
  certificates="${PIP_CERT:-$(pip config get global.cert 2>/dev/null || true)}"
  if [ -n "$index" ]; then export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"; fi
  if [ -n "$certificates" ]; then export SSL_CERT_FILE="${SSL_CERT_FILE:-$certificates}"; fi
  if [ -x .venv/bin/uv ] && .venv/bin/uv pip install --compile-bytecode --python "$PYTHON_IN_VENV" --require-hashes -r "$LOCK"; then
    # Spark is built from its sources, and uv keeps each build (1.4 GB) where a registry says nothing about caching.
    .venv/bin/uv cache prune --quiet || true
    return
  fi
  pip install --require-hashes -r "$LOCK"
}

# Compiled here and now: the first `forge` after an install should not be the slow one.
install_forge() {
  pip install --quiet --no-deps --no-build-isolation --editable .
  "$PYTHON_IN_VENV" -m compileall -q src
}

PYTHON="$(scripts/require.sh python)"
began=$SECONDS
echo "Environment ($KIND) with $("$PYTHON" --version 2>&1)"
step "virtual environment in .venv" make_venv
step "installer" get_uv
step "packages of $LOCK" install_packages
step "forge itself, editable" install_forge
if [ "$KIND" = dev ]; then touch .venv/.ready-dev; fi
touch .venv/.ready-run # what the tools need holds all that the demo needs
echo "  ready after $((SECONDS - began)) s"
