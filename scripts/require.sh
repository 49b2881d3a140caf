#!/usr/bin/env bash
# What the machine must bring: Python and Java. A missing one is named with the line that installs it.
#
#   scripts/require.sh python    prints the command of a Python that will do
#   scripts/require.sh java      prints the version of Java that Spark will use
#
# Exit 3: could not run, as the `forge` command itself would answer.
set -euo pipefail

readonly PYTHONS="python3.13 python3.12 python3.11 python3"

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

case "${1:-}" in
  python) require_python ;;
  java) require_java ;;
  *) echo "usage: scripts/require.sh python|java" >&2; exit 2 ;;
esac
