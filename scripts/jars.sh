#!/usr/bin/env bash
# Fetches Spark's packages ahead, once: `forge setup` shows the progress. The stamp is older than the code that names
# the packages when that changed, and than the environment when that was made anew.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly STAMP=.venv/.ready-jars
if [ -n "$(find "$STAMP" -newer pyproject.toml 2>/dev/null)" ] &&
  [ -z "$(find src/forge/engines/spark/session/session.py .venv/.ready-run -newer "$STAMP")" ]; then
  exit 0
fi
began=$SECONDS
echo "Packages of Spark"
.venv/bin/forge setup >/dev/null # its progress is on stderr; the paths of the jars are of no use here
touch "$STAMP"
echo "  ready after $((SECONDS - began)) s"
