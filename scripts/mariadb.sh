#!/usr/bin/env bash
# The database server of the tests of sources: prints its path. On Debian as root (a machine of CI) a missing one is
# installed, and nothing is started; anywhere else the line that installs it is named.
set -euo pipefail
cd "$(dirname "$0")/.."

case ",${FORGE_TEST_WITHOUT:-}," in *,mariadb,*) exit 0 ;; esac # its tests are left out, and the summary says so
if scripts/require.sh mariadb 2>/dev/null; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then exec scripts/require.sh mariadb; fi

began=$SECONDS
echo "MariaDB is missing and is installed with apt-get, for the service tests" >&2
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mariadb-server >"$log" 2>&1; }
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
# The lists of packages may be missing or name versions that are gone.
if ! install && ! { apt-get update -qq >"$log" 2>&1 && install; }; then
  cat "$log" >&2
  exec scripts/require.sh mariadb
fi
echo "  ready after $((SECONDS - began)) s" >&2
exec scripts/require.sh mariadb
