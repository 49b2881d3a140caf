#!/usr/bin/env bash
# What the machine must bring. A missing tool is named with the line that installs it, and nothing is installed.
#
#   scripts/require.sh python      prints the command of a Python that will do
#   scripts/require.sh java        prints the version of Java that Spark will use
#   scripts/require.sh node        prints the version of Node that builds the web app
#   scripts/require.sh chromium    prints the path of the browser that tests the web app
#   scripts/require.sh mariadb     prints the path of the server that tests sources of queries
#   scripts/require.sh wrk         prints the path of the program that puts load on the server, for its benchmark
#
# Several at once: all that are missing are named. Exit 3: could not run, as the `forge` command itself would answer.
set -euo pipefail

readonly PYTHONS="python3.13 python3.12 python3.11 python3"
readonly BROWSERS="chromium chromium-browser google-chrome google-chrome-stable"
readonly BROWSER_OF_A_MAC="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

package_manager() {
  if [ "$(uname -s)" = Darwin ]; then echo brew; return; fi
  for manager in apt-get dnf apk; do
    if command -v "$manager" >/dev/null 2>&1; then echo "$manager"; return; fi
  done
  echo unknown
}

missing() { # what, why, then the line for apt-get, dnf, apk, brew and any other system
  local fix="$7"
  case "$(package_manager)" in
    apt-get) fix="$3" ;; dnf) fix="$4" ;; apk) fix="$5" ;; brew) fix="$6" ;;
  esac
  printf 'missing: %s\n   why:  %s\n   fix:  %s\n' "$1" "$2" "$fix" >&2
  exit 3
}

# A command may be there and still not run (a shim of pyenv, the stub of macOS), so each one is asked.
find_python() {
  local candidate
  for candidate in $PYTHONS; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  missing "Python 3.11, 3.12 or 3.13" "none of $PYTHONS is one of these versions" \
    "sudo apt-get install -y python3 python3-venv" "sudo dnf install -y python3.12" "sudo apk add python3" \
    "brew install python@3.12" "install Python 3.12 from python.org"
}

require_python() {
  local python version
  python="$(find_python)"
  if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    missing "the venv module of $python" "the environment of the project is made with it" \
      "sudo apt-get install -y python$version-venv" "sudo dnf install -y python$version" \
      "sudo apk add python3" "brew reinstall python@$version" "install a complete Python $version from python.org"
  fi
  echo "$python"
}

require_java() {
  local java="java" text="" version=""
  if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; fi
  text="$("$java" -version 2>&1)" && version="$(sed -nE 's/.* version "(1\.)?([0-9]+).*/\2/p' <<<"$text" | head -1)"
  if [ -n "$version" ] && [ "$version" -ge 17 ]; then
    echo "$version"
    return
  fi
  local found="does not run"
  if [ -n "$version" ]; then found="is version $version"; fi
  missing "Java 17 or later" "Spark needs it; $java $found" \
    "sudo apt-get install -y openjdk-17-jre-headless" "sudo dnf install -y java-17-openjdk-headless" \
    "sudo apk add openjdk17-jre-headless" "brew install --cask temurin@17" "install Java 17 and set JAVA_HOME"
}

# Vite runs on 20.19 and later of 20, and from 22.12 on.
node_will_do() { # 20.19.2
  local major="${1%%.*}" minor="${1#*.}"
  minor="${minor%%.*}"
  case "$major" in
    20) [ "$minor" -ge 19 ] ;;
    22) [ "$minor" -ge 12 ] ;;
    *) [ "$major" -ge 23 ] ;;
  esac
}

require_node() {
  local version="" elsewhere="install Node 22 from nodejs.org"
  version="$(node --version 2>/dev/null | sed -nE 's/^v([0-9]+\.[0-9]+\.[0-9]+).*/\1/p')" || version=""
  if [ -z "$version" ]; then
    missing "Node 20.19 or later" "the web app is built with it; node does not run" \
      "sudo apt-get install -y nodejs npm" "sudo dnf install -y nodejs npm" "sudo apk add nodejs npm" \
      "brew install node@22" "$elsewhere"
  fi
  if ! node_will_do "$version"; then # the one of the system is too old, so its package will not help
    missing "Node 20.19 or later, 22.12 or later" "the web app is built with it; node is version $version" \
      "$elsewhere" "$elsewhere" "$elsewhere" "brew install node@22" "$elsewhere"
  fi
  if ! npm --version >/dev/null 2>&1; then
    missing "npm" "it installs the packages of the web app; npm does not run" \
      "sudo apt-get install -y npm" "sudo dnf install -y npm" "sudo apk add npm" "brew install node@22" "$elsewhere"
  fi
  echo "$version"
}

require_chromium() {
  local candidate path
  for candidate in $BROWSERS "$BROWSER_OF_A_MAC"; do
    path="$(command -v "$candidate" 2>/dev/null)" || continue
    if "$path" --version >/dev/null 2>&1; then
      echo "$path"
      return
    fi
  done
  missing "Chromium" "the web app is tested in it; none of $BROWSERS runs" \
    "sudo apt-get install -y --no-install-recommends chromium" "sudo dnf install -y chromium" \
    "sudo apk add chromium" "brew install --cask google-chrome" "install Chromium from chromium.org"
}

require_mariadb() { # the folder of servers is not on everyone's path
  PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v mariadbd 2>/dev/null ||
    missing "MariaDB" "sources of queries are tested on it; mariadbd is not there" \
      "sudo apt-get install -y --no-install-recommends mariadb-server" "sudo dnf install -y mariadb-server" \
      "sudo apk add mariadb" "brew install mariadb" "install MariaDB from mariadb.org"
}

require_wrk() {
  command -v wrk 2>/dev/null ||
    missing "wrk" "the benchmark of the server puts load on it with wrk" \
      "sudo apt-get install -y wrk" "install wrk from github.com/wg/wrk" "sudo apk add wrk" "brew install wrk" \
      "install wrk from github.com/wg/wrk"
}

if [ $# -gt 1 ]; then
  status=0
  for need in "$@"; do "$BASH" "$0" "$need" || status=$?; done
  exit $status
fi
case "${1:-}" in
  python | java | node | chromium | mariadb | wrk) "require_$1" ;;
  *) echo "usage: scripts/require.sh python|java|node|chromium|mariadb|wrk…" >&2; exit 2 ;;
esac
