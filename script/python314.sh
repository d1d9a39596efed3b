#!/usr/bin/env bash
# script/python314.sh PREFIX: print the path of a Python 3.14 (3.14.2 or later).
#
# Ways, in this order: what an earlier call left under PREFIX, python3.14 on PATH, uv's
# own builds, and last the packages of a newer Debian, unpacked under PREFIX. For the last
# nothing is installed on the host: apt works in a folder of its own, with the host's
# mirror and Debian's keys, and checks every signature and hash as always. Works as root
# or not, on Debian 12 and 13, amd64 and arm64. An unpacked Python brings its own C
# library, so PREFIX cannot be moved afterwards.
#
# Settings (environment):
#   UV                     the uv to ask                          (default: uv on PATH)
#   CAESAR_PYTHON_WAYS     ways to try                            (default: path uv debian)
#   CAESAR_DEBIAN_SUITE    the Debian release with Python 3.14    (default: forky)
#   CAESAR_DEBIAN_MIRROR   its mirror                  (default: from the host's settings)
set -euo pipefail

suite=${CAESAR_DEBIAN_SUITE:-forky}
ways=" ${CAESAR_PYTHON_WAYS:-path uv debian} "
uv=${UV:-$(command -v uv || true)}
[[ $# -eq 1 && $1 == /* ]] || { echo "usage: python314.sh /PREFIX" >&2; exit 2; }

say() { printf 'python314: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# The modules named here are those that need a shared library to be found.
usable() {
  [[ -n $1 && -x $1 ]] && "$1" -I -c '
import sys
assert (3, 14, 2) <= sys.version_info < (3, 15)
import bz2, compression.zstd, ctypes, curses, lzma, readline, sqlite3, ssl, uuid, zlib
import multiprocessing.synchronize, pyexpat
' >/dev/null 2>&1
}

finish() {
  say "using $1"
  echo "$1"
  exit 0
}

mkdir -p "$1"
prefix=$(cd "$1" && pwd -P)
lock=$prefix/.caesar-python
# The last way clears PREFIX: never a folder that holds something else.
[[ -e $lock || -z $(ls -A "$prefix") ]] ||
  die "$prefix holds other things; name a new or an empty folder"
exec 9>"$lock"
flock 9

python=$prefix/usr/bin/python3.14
if [[ -e $prefix/.finished ]] && usable "$python"; then finish "$python"; fi

if [[ $ways == *" path "* ]]; then
  found=$(command -v python3.14 || true)
  if usable "$found"; then finish "$found"; fi
fi

if [[ $ways == *" uv "* && -n $uv ]]; then
  # Without its download host this ends within a second.
  UV_HTTP_TIMEOUT=20 UV_HTTP_RETRIES=1 timeout 300 \
    "$uv" python install --quiet --no-bin 3.14 2>/dev/null 9>&- || true
  found=$("$uv" python find --managed-python --no-project 3.14 2>/dev/null || true)
  if usable "$found"; then finish "$found"; fi
fi

[[ $ways == *" debian "* ]] || die "no Python 3.14 found by: $ways"
for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null ||
    die "no Python 3.14 on PATH, uv cannot fetch one, and there is no $tool here"
done

machine=$(dpkg --print-architecture)
case $machine in
  amd64) triplet=x86_64-linux-gnu loader=usr/lib64/ld-linux-x86-64.so.2 ;;
  arm64) triplet=aarch64-linux-gnu loader=usr/lib/ld-linux-aarch64.so.1 ;;
  *) die "no way to get Python 3.14 for $machine" ;;
esac
packages=(
  python3.14 python3.14-minimal python3.14-venv python3.14-dev
  libpython3.14 libpython3.14-dev libpython3.14-minimal libpython3.14-stdlib
  libc6 libgcc-s1 libstdc++6
  libbz2-1.0 libdb5.3t64 libexpat1 libexpat1-dev libffi8 liblzma5 libncursesw6
  libreadline8t64 libsqlite3-0 libssl3t64 libtinfo6 libuuid1 libzstd1
  openssl-provider-legacy readline-common zlib1g zlib1g-dev
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# The mirrors that this host takes its own release from.
mirrors() {
  local codename
  if [[ -n ${CAESAR_DEBIAN_MIRROR:-} ]]; then
    echo "$CAESAR_DEBIAN_MIRROR"
    return
  fi
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # apt's own view: it reads both forms of source files and knows what is commented out.
  # shellcheck disable=SC2016  # the names are apt's
  apt-get indextargets --no-release-info --format '$(REPO_URI) $(BASE_URI)' \
    'Created-By: Packages' | sort -u |
    while read -r repository base; do
      if [[ $base == */dists/$codename/ ]]; then echo "$repository"; fi
    done
}

keyring() {
  local file
  for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    if [[ -e $file ]]; then
      echo "$file"
      return
    fi
  done
  die "no Debian keys here (package debian-archive-keyring)"
}
keys=$(keyring)

# apt in a folder of its own, as the user who called.
own_apt() {
  apt-get -q -y \
    -o APT::Architecture="$machine" -o APT::Architectures::="$machine" \
    -o APT::Sandbox::User="$(id -un)" \
    -o Acquire::Languages=none -o Acquire::Retries=3 \
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false \
    -o Dir::State="$work/state" -o Dir::State::status="$work/state/status" \
    -o Dir::Cache="$work/cache" \
    -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::Etc::Preferences=- -o Dir::Etc::PreferencesParts=- \
    "$@" </dev/null 9>&-
}

# fetch SUITE FOLDER PACKAGE...: download packages from the first mirror that has them.
fetch() {
  local from=$1 folder=$2 mirror
  shift 2
  mkdir -p "$folder" "$work/cache/archives/partial"
  while read -r mirror; do
    echo "deb [arch=$machine signed-by=$keys] $mirror $from main" >"$work/sources.list"
    if fetch_now "$folder" "$@"; then return 0; fi
    # A frozen mirror: what it has is signed all the same, only not the newest.
    if grep -q 'is expired' "$work/log"; then
      say "the mirror's list of Debian $from is out of date; taking it as it is"
      if fetch_now "$folder" -o Acquire::Check-Valid-Until=false "$@"; then return 0; fi
    fi
  done < <(mirrors)
  [[ ! -e $work/log ]] || tail -n 20 "$work/log" >&2
  say "could not get packages of Debian $from; CAESAR_DEBIAN_MIRROR can name a mirror"
  return 1
}

# fetch_now FOLDER [OPTION...] PACKAGE...: the same from the mirror in sources.list.
fetch_now() {
  local folder=$1 options=()
  shift
  while [[ $1 == -o ]]; do
    options+=("$1" "$2")
    shift 2
  done
  rm -rf "$work/state"
  mkdir -p "$work/state/lists/partial"
  : >"$work/state/status"
  # Without --error-on=any a list that could not be fetched is only a warning.
  (
    own_apt "${options[@]}" update --error-on=any &&
      cd "$folder" && own_apt "${options[@]}" download "$@"
  ) >"$work/log" 2>&1
}

say "fetching Python 3.14 from Debian $suite"
fetch "$suite" "$work/packages" "${packages[@]}" || exit 1
rm -rf "${prefix:?}"/{.finished,usr,etc,lib,lib64,var}
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$prefix"; done
[[ -x $prefix/$loader ]] || die "the unpacked C library has no $loader"
# Debian's pyconfig.h includes a file of the system's include path; with this link it is
# found here too, and packages with C sources can be built.
ln -sfn "../$triplet" "$prefix/usr/include/python3.14/$triplet"

# The program must use the unpacked loader and libraries. RPATH, not RUNPATH, because
# extension modules look there too; child processes are not touched by it.
cp "$python" "$work/original"
patch_with() {
  cp "$work/original" "$work/patched"
  "$@" --set-interpreter "$prefix/$loader" --force-rpath \
    --set-rpath "\$ORIGIN/../lib/$triplet" "$work/patched" >"$work/log" 2>&1 9>&- ||
    return 1
  mv -f "$work/patched" "$python"
  usable "$python"
}
host_patchelf() { command -v patchelf >/dev/null && patch_with patchelf; }
# Debian 12's, run by the unpacked loader. The one of Debian 13 breaks this program.
older_patchelf() {
  fetch bookworm "$work/tool" patchelf &&
    dpkg-deb -x "$work"/tool/patchelf_*.deb "$work/tool" &&
    patch_with "$prefix/$loader" --library-path "$prefix/usr/lib/$triplet" \
      "$work/tool/usr/bin/patchelf"
}
uv_patchelf() {
  [[ -n $uv ]] && patch_with timeout 60 "$uv" tool run --quiet patchelf
}
if ! host_patchelf && ! older_patchelf && ! uv_patchelf; then
  tail -n 20 "$work/log" >&2
  die "the unpacked Python does not run"
fi
"$python" -V >"$prefix/.finished"
finish "$python"
