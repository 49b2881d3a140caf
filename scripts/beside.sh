#!/usr/bin/env bash
# Two things at once whose words must not mix: `scripts/beside.sh "quiet command" command …` runs the first in the
# background and shows what it said once the second is done. Fails when either does; the end of one ends the other.
set -euo pipefail

said="$(mktemp)"
set -m # a process group of its own, so that its children end with it
bash -c "$1" >"$said" 2>&1 </dev/null &
beside=$!
set +m
trap 'kill -- "-$beside" 2>/dev/null || true; rm -f "$said"' EXIT
shift

status=0
"$@" || status=$?
if [ "$status" -eq 0 ]; then wait "$beside" || status=$?; fi
cat "$said"
exit "$status"
