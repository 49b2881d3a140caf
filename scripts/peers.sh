#!/usr/bin/env bash
# Makes build/envs/NAME from requirements/NAME.lock: programs that Forge is tested or measured beside, and whose
# packages do not go together with its own. Prints the folder. Made once; anew when the lock changes.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly NAME="${1:?the name of a lock in requirements/}"
readonly LOCK="requirements/$NAME.lock" FOLDER="build/envs/$NAME"
readonly STAMP="$FOLDER/.ready"
[ -f "$LOCK" ] || { echo "there is no $LOCK" >&2 && exit 2; }

fresh() { [ -f "$STAMP" ] && cmp -s "$LOCK" "$STAMP"; }

pip_setting() { .venv/bin/python -m pip --disable-pip-version-check config get "global.$1" 2>/dev/null || true; }

make_env() {
  local index certificates
  index="${PIP_INDEX_URL:-$(pip_setting index-url)}"
  certificates="${PIP_CERT:-$(pip_setting cert)}"
  if [ -n "$index" ]; then export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"; fi
  if [ -n "$certificates" ]; then export SSL_CERT_FILE="${SSL_CERT_FILE:-$certificates}"; fi
  rm -rf "$FOLDER"
  .venv/bin/uv venv --quiet --python .venv/bin/python "$FOLDER"
  .venv/bin/uv pip install --quiet --python "$FOLDER/bin/python" --require-hashes -r "$LOCK"
  cp "$LOCK" "$STAMP"
}

mkdir -p build/envs
exec 9>"build/envs/.$NAME.lock" # two tests may want it at once
flock 9
fresh || make_env >&2
echo "$PWD/$FOLDER"
