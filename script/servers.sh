#!/usr/bin/env bash
# script/servers.sh [--there]
#
# Set up SearXNG, Radicale and Xandikos, once, in an environment of their own in the
# cache, and print the path of its Python. With --there: only tell whether they are set
# up, by the exit code.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=$CACHE/servers/$(cat requirements_servers.txt script/servers.sh | sha256sum | cut -c 1-16)

# The interpreter too: the environment only links to it, and a cache may be cleaned.
there() { [[ -e $folder/.complete && -x $folder/bin/python ]]; }

main() {
  local uv
  [[ -x $PYTHON ]] || die "there is no .venv yet; run script/setup first"
  adopt_pip_settings
  uv=$(find_uv)
  say "setting up the search and calendar servers"
  rm -rf "$folder"
  "$uv" venv --quiet --python "$PYTHON" "$folder"
  "$uv" pip install --quiet --python "$folder/bin/python" -r requirements_servers.txt
  touch "$folder/.complete"
}

case ${1:-} in
  '') ;;
  --there) there && exit 0 || exit 1 ;;
  *) die "usage: script/servers.sh [--there]" ;;
esac
if ! there; then
  # One at a time, also between checkouts; who waited looks again.
  mkdir -p "$CACHE/servers"
  exec 9>"$CACHE/servers/.lock"
  flock 9
  there || main 9>&-
fi
echo "$folder/bin/python"
