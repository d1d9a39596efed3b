#!/usr/bin/env bash
# script/schemathesis.sh
#
# Set up schemathesis, once, in an environment of its own in the cache (it needs other
# versions of what the tests use), and print the path of its command.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=4.32.5
folder=$CACHE/schemathesis-$version
if [[ ! -e $folder/.complete || ! -x $folder/bin/python ]]; then
  mkdir -p "$CACHE"
  exec 9>"$CACHE/.schemathesis.lock"
  flock 9
  if [[ ! -e $folder/.complete ]]; then
    [[ -x $PYTHON ]] || die "there is no .venv yet; run script/setup first"
    adopt_pip_settings
    uv=$(find_uv)
    say "setting up schemathesis"
    rm -rf "$folder"
    "$uv" venv --quiet --python "$PYTHON" "$folder" 9>&-
    "$uv" pip install --quiet --python "$folder/bin/python" "schemathesis==$version" 9>&-
    touch "$folder/.complete"
  fi
fi
echo "$folder/bin/schemathesis"
