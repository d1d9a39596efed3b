#!/usr/bin/env bash
# script/schemathesis.sh
#
# Set up schemathesis, once, in an environment of its own in the cache (it needs other
# versions of what the tests use), and print the path of its command.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=4.32.5
folder=$CACHE/schemathesis-$version
make_environment "$folder" schemathesis "schemathesis==$version"
echo "$folder/bin/schemathesis"
