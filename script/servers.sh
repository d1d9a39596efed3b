#!/usr/bin/env bash
# script/servers.sh [--there]
#
# Set up SearXNG, Radicale and Xandikos, once, in an environment of their own in the
# cache, and print the path of its Python. With --there: only tell whether they are set
# up, by the exit code.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=$CACHE/servers/$(sha256sum requirements_servers.txt | cut -c 1-16)
case ${1:-} in
  '') ;;
  --there) is_made "$folder" && exit 0 || exit 1 ;;
  *) die "usage: script/servers.sh [--there]" ;;
esac
make_environment "$folder" "the search and calendar servers" -r requirements_servers.txt
echo "$folder/bin/python"
