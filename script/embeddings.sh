#!/usr/bin/env bash
# script/embeddings.sh
#
# Set up what the workers' extra `embeddings` installs, once, in an environment of its own
# in the cache, and print the path of its Python.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The one place that says which: what a worker's host would install.
mapfile -t packages < <("$PYTHON" - <<'PYTHON'
import tomllib

with open("worker/pyproject.toml", "rb") as file:
    for package in tomllib.load(file)["project"]["optional-dependencies"]["embeddings"]:
        print(package)
PYTHON
)
((${#packages[@]})) || die "worker/pyproject.toml has no extra named embeddings"
folder=$CACHE/embeddings/$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c 1-16)
make_environment "$folder" "wordllama" "${packages[@]}"
echo "$folder/bin/python"
