# Shared by the scripts beside it; each sources this file first.
#
# Everything here is idempotent and takes a moment when there is nothing to do.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/fluid2onnx
cd "$root"

# Lets a fresh clone in another folder profit from what was compiled in this one.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
# Messages in another language are the same compilation.
export CCACHE_SLOPPINESS=locale
# Paddle's C++ logs every program that it runs.
export GLOG_minloglevel=2

packages=(
  g++ cmake ninja-build ccache
  libprotobuf-dev protobuf-compiler nlohmann-json3-dev libyaml-cpp-dev
  libkainjow-mustache-dev libcli11-dev doctest-dev libjemalloc-dev
  python3 python3-pip python3-venv
)

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

ensure_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "No apt here: these Debian packages' counterparts are needed: ${packages[*]}"
    return
  fi
  local missing=() package
  for package in "${packages[@]}"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      missing+=("$package")
    fi
  done
  [[ ${#missing[@]} == 0 ]] && return
  say "Installing ${missing[*]}"
  # A stale package list is only noticed by trying.
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}")
  as_root "${install[@]}" >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root "${install[@]}" >/dev/null; } ||
    die "apt-get could not install ${missing[*]}"
}

# The C++ that people write.
cxx_files() {
  find generator interpreter python runtime scripts tests wasm -path tests/generator/print/cases -prune -o \
    \( -name '*.cc' -o -name '*.h' \) -print | sort
}

# build PRESET [cmake --build arguments]: configures when needed, and builds.
build() {
  local preset=$1
  shift
  say "Building ($preset)"
  # A configure that failed half-way leaves a cache, but no build.ninja.
  if [[ ! -f build/$preset/build.ninja ]]; then
    cmake --preset "$preset"
  fi
  cmake --build --preset "$preset" "$@"
}

# ensure_venv NAME: sets `venv` to an environment with scripts/requirements/NAME.txt.
# It is kept in the user's cache under the hash of what is in it, so that a fresh
# clone finds it again.
ensure_venv() {
  local requirements=scripts/requirements/$1.txt python=python3 key
  # Debian's own Python is the one that the package python3-venv belongs to.
  [[ -x /usr/bin/python3 ]] && python=/usr/bin/python3
  key=$({ "$python" -c 'import sys; print(sys.version, sys.executable)'; cat "$requirements"; } | sha256sum)
  venv=$cache/venv-$1-${key:0:12}
  [[ -f $venv/.complete ]] && return
  say "Making the Python environment for $1"
  mkdir -p "$cache"
  (
    flock 9
    [[ -f $venv/.complete ]] && exit
    "$python" -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    touch "$venv/.complete"
  ) 9>"$venv.lock"
}
