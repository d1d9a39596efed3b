# shellcheck shell=bash
# Sourced by the other scripts, never run. It goes to the root of the checkout and
# offers: ROOT, CACHE, PYTHON, say, die, need.
set -euo pipefail

# Home Assistant starts three times slower where Python may not keep its bytecode.
unset PYTHONDONTWRITEBYTECODE

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$ROOT"
HOME=${HOME:-$(cd ~ && pwd)}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/caesar
# shellcheck disable=SC2034  # the scripts that source this file use it
PYTHON=$ROOT/.venv/bin/python

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# need PART: everything that PART (run, test, lint) stands on; at once if it is there.
need() { "$ROOT/script/setup" "$1"; }

# first_lines FILE...: each name with the first line of its docstring.
first_lines() {
  local file
  for file in "$@"; do
    [[ -e $file && $file != */_* ]] || continue
    printf '  %-16s %s\n' "$(basename "$file" .py)" \
      "$(sed -n 's/^"""//; s/"""$//; /./{p;q}' "$file")"
  done
}

# run_named FOLDER WHAT [NAME [ARG...]]: run FOLDER/NAME.py, or list the names.
run_named() {
  local folder=$1 what=$2 name=${3:-}
  if [[ -z $name || $name == -h || $name == --help ]]; then
    printf 'usage: script/%s NAME [ARG...]\n' "$what"
    first_lines "$folder"/*.py
    return 0
  fi
  shift 3
  [[ $name =~ ^[a-z][a-z0-9_]*$ && -f $folder/$name.py ]] ||
    die "there is no $folder/$name.py; script/$what alone lists what there is"
  need test
  PYTHONPATH=$ROOT:$ROOT/demo exec "$PYTHON" -m "$folder.$name" "$@"
}
