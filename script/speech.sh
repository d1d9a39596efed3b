#!/usr/bin/env bash
# script/speech.sh
#
# Set up pocketsphinx and espeak-ng, once, in an environment of their own in the cache,
# and print the path of its Python.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=$CACHE/speech/$(sha256sum requirements_speech.txt | cut -c 1-16)
if ! is_made "$folder"; then
  # pocketsphinx has wheels for these; for ours it would be compiled for half a minute.
  for name in python3.12 python3.11 python3; do
    older=$("$name" - 2>/dev/null <<'PYTHON' || true
import sys

if (3, 11) <= sys.version_info < (3, 13):
    print(sys.executable)
PYTHON
    )
    [[ -z $older ]] || break
  done
  [[ -z $older ]] || PYTHON=$older
fi
make_environment "$folder" "speech to text and back" -r requirements_speech.txt
echo "$folder/bin/python"
