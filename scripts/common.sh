# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts share; sourced, not run. Leaves the shell in the repository's root.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repository"

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# The comment at the top of the calling script is its help.
usage() {
  awk 'NR > 2 { if (!/^#/ || /^# shellcheck/) exit; sub(/^# ?/, ""); print }' "$0"
}

# configure PRESET [CMAKE-ARGUMENT…]: quick when nothing changed. TELLTALE_WERROR=ON in the environment
# makes warnings errors.
configure() {
  local preset=$1
  shift
  mkdir -p build
  cmake --preset "$preset" ${TELLTALE_WERROR:+-DTELLTALE_WERROR="$TELLTALE_WERROR"} "$@" \
    > "build/$preset-configure.log" 2>&1 || {
    cat "build/$preset-configure.log" >&2
    fail "the preset $preset could not be configured"
  }
}

# build PRESET [TARGET…]: all targets unless some are named.
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" ${1:+--target "$@"}
}

# The same, silent unless it fails.
build_quietly() {
  build "$@" > "build/$1-build.log" 2>&1 || {
    tail -60 "build/$1-build.log" >&2
    fail "the preset $1 does not build (build/$1-build.log)"
  }
}

# page SCRIPT: one of the scripts in web/package.json, with its tools fetched first where they are missing.
page() {
  local path=$repository/build/node/bin:$PATH
  if [[ ! -e web/node_modules/.installed ]]; then
    PATH=$path npm --prefix web install --no-save --no-audit --no-fund --loglevel=error && touch web/node_modules/.installed
  fi
  PATH=$path npm --prefix web run --silent "$@"
}

cxx_files() {
  find src tests bench fuzz -name '*.cpp' -o -name '*.h' | sort
}

python_files() {
  { find tests bench fuzz -name '*.py'; grep -lE '^#!.*python' scripts/* .ci/* || true; } | sort
}

shell_files() {
  { echo scripts/common.sh; grep -rlE '^#!.*\bbash' scripts .ci || true; } | sort -u
}
