#!/usr/bin/env bash
# The browser of the browser tests: prints its path. On Debian as root (a machine of CI) a missing one is installed;
# anywhere else the line that installs it is named.
set -euo pipefail
cd "$(dirname "$0")/.."

if scripts/require.sh chromium 2>/dev/null; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then exec scripts/require.sh chromium; fi

began=$SECONDS
echo "Chromium is missing and is installed with apt-get, for the browser tests" >&2
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >"$log" 2>&1; }
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
# The lists of packages may be missing or name versions that are gone.
if ! install && ! { apt-get update -qq >"$log" 2>&1 && install; }; then
  cat "$log" >&2
  exec scripts/require.sh chromium
fi
echo "  ready after $((SECONDS - began)) s" >&2
exec scripts/require.sh chromium
