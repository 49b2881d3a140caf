#!/usr/bin/env bash
# Builds the web app into src/forge/web, where the server and the wheel take it from. One line per step, with its time;
# nothing is done, and nothing said, where neither the sources nor the lock changed since it was last built.
#
#   scripts/web.sh            packages and the built app
#   scripts/web.sh packages   only the packages of the lock, for checks and development
set -euo pipefail
cd "$(dirname "$0")/.."

readonly BUILT=src/forge/web/index.html
readonly LOCK_STAMP=ui/node_modules/.forge-lock
readonly BUILD_STAMP=ui/node_modules/.forge-built

# Contents, not times: a fresh checkout or another branch and back changes times only.
state_of_lock() { node --version && cksum ui/package.json ui/package-lock.json; }
state_of_sources() {
  state_of_lock
  find ui -name node_modules -prune -o -type f -not -path 'ui/coverage/*' -exec cksum {} + | LC_ALL=C sort
}
is_current() { [ -f "$2" ] && [ "$("$1")" = "$(cat "$2")" ]; }

# A stamp is written only after all went well; && because `set -e` does not hold inside a step.
install_packages() {
  npm --prefix ui ci --prefer-offline --no-audit --no-fund --loglevel=error && state_of_lock >"$LOCK_STAMP"
}

build() {
  rm -f "$BUILD_STAMP" && NO_COLOR=1 npm --prefix ui run build && test -f "$BUILT" && state_of_sources >"$BUILD_STAMP"
}

needs_packages=true needs_build=true
if is_current state_of_lock "$LOCK_STAMP"; then needs_packages=false; fi
if [ "${1:-}" = packages ] || { [ -f "$BUILT" ] && is_current state_of_sources "$BUILD_STAMP"; }; then needs_build=false; fi
if ! $needs_packages && ! $needs_build; then exit 0; fi

source scripts/step.sh
began=$SECONDS
echo "Web app with Node $(node --version)"
if $needs_packages; then step "packages of ui/package-lock.json" install_packages; fi
if $needs_build; then step "built into src/forge/web" build; fi
echo "  ready after $((SECONDS - began)) s"
