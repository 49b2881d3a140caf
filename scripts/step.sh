# Sourced. `step "what" command …` runs one step and prints one line with its time; what it says is shown only when it fails.
LOG="$(mktemp)"
trap 'rm -f "$LOG"' EXIT

step() { # what, command …
  local what="$1" began=$SECONDS
  shift
  printf '  %-44s' "$what"
  if "$@" >"$LOG" 2>&1; then
    printf '%4d s\n' $((SECONDS - began))
  else
    printf 'failed\n' && cat "$LOG" >&2 && exit 3
  fi
}
