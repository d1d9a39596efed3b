# shellcheck shell=bash
# Sourced by the other scripts, never run. It goes to the root of the checkout and
# offers: ROOT, CACHE, PYTHON, say, die, has, need, find_uv, adopt_pip_settings, is_made,
# make_environment.
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

has() { command -v "$1" >/dev/null; }

# need PART: everything that PART (run, test, lint) stands on; at once if it is there.
need() { "$ROOT/script/setup" "$1"; }

# pip's settings are how hosts name a mirror of the package index; uv has its own names
# for them, and trusts the host's certificates only if told so.
adopt_pip_settings() {
  local index=${PIP_INDEX_URL:-} certificates=${PIP_CERT:-}
  if [[ -z $index ]] && has python3; then
    index=$(python3 -m pip config get global.index-url 2>/dev/null || true)
  fi
  [[ -n ${UV_DEFAULT_INDEX:-}${UV_INDEX_URL:-} || -z $index ]] ||
    export UV_DEFAULT_INDEX=$index
  export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true}
  [[ -n ${SSL_CERT_FILE:-} || -z $certificates ]] || export SSL_CERT_FILE=$certificates
}

# find_uv: the path of uv, which is installed if there is none.
find_uv() {
  if has uv; then
    command -v uv
    return
  fi
  local own=$CACHE/uv
  if ! "$own/bin/uv" --version >/dev/null 2>&1; then
    say "installing uv"
    rm -rf "$own"
    mkdir -p "$CACHE"
    { python3 -m venv "$own" && "$own/bin/pip" install --quiet uv; } >&2 ||
      die "could not install uv from the package index; put uv on PATH"
  fi
  echo "$own/bin/uv"
}

# is_made FOLDER: whether make_environment has made it. The interpreter too: the
# environment only links to it, and a cache may be cleaned.
is_made() { [[ -e $1/.complete && -x $1/bin/python ]]; }

# make_environment FOLDER WHAT PIP_ARGUMENT...: make a Python environment, for what must
# not share ours, if it is not there. One at a time, also between checkouts; who waited
# looks again.
make_environment() {
  local folder=$1 what=$2 uv
  shift 2
  if is_made "$folder"; then return; fi
  [[ -x $PYTHON ]] || die "there is no .venv yet; run script/setup first"
  mkdir -p "${folder%/*}"
  (
    flock 9
    if is_made "$folder"; then exit; fi
    adopt_pip_settings
    uv=$(find_uv)
    say "setting up $what"
    rm -rf "$folder"
    "$uv" venv --quiet --python "$PYTHON" "$folder" 9>&-
    "$uv" pip install --quiet --python "$folder/bin/python" "$@" 9>&-
    touch "$folder/.complete"
  ) 9>"$folder.lock"
}

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
