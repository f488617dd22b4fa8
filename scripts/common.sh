# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts share; sourced, not run. Leaves the shell in the repository's root.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repository"

# Names the lines in the reports of sanitizers. clang's own program for that comes only with all of LLVM.
symbolizer=$(command -v addr2line || true)
export ASAN_OPTIONS="${ASAN_OPTIONS:-} external_symbolizer_path=$symbolizer"
# A test forks a process that asks for threads and gets none.
export TSAN_OPTIONS="${TSAN_OPTIONS:-} external_symbolizer_path=$symbolizer die_after_fork=0"

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

# counted DOING [PATTERN TOTAL]: how far it is, from the lines of standard input: those that match PATTERN, of TOTAL, or
# else what Ninja says ([7/250] …). On a terminal one line that is updated, elsewhere a line for each tenth.
counted() {
  local doing=$1 pattern=${2:-} total=${3:-0} line ready=0 tenth=0 terminal=
  [[ ! -t 1 || ${TERM:-dumb} == dumb ]] || terminal=1
  while IFS= read -r line; do
    if [[ -n $pattern ]]; then
      [[ $line =~ $pattern && $ready -lt $total ]] || continue
      ready=$((ready + 1))
    else
      [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
      ready=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    fi
    if [[ -n $terminal ]]; then
      printf '\r%s: %d of %d\e[K' "$doing" "$ready" "$total"
    elif ((ready * 10 / total > tenth)); then
      tenth=$((ready * 10 / total))
      echo "$doing: $ready of $total"
    fi
  done
  [[ -z $terminal || $ready -eq 0 ]] || echo
}

# The same as build, but only says how far it is; its output is shown if it fails.
build_quietly() {
  local preset=$1 log=build/$1-build.log
  # npm's part of the build downloads, and the count stands still meanwhile.
  if [[ ! -e web/node_modules/.installed ]] && grep -qs '^TELLTALE_WEB:BOOL=ON' "build/$preset/CMakeCache.txt"; then
    echo "building: npm also downloads the tools of the page (web/package.json)"
  fi
  NINJA_STATUS='[%f/%t] ' build "$@" 2>&1 | tee "$log" | counted building || {
    tail -60 "$log" >&2
    fail "the preset $preset does not build ($log)"
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
  find include src python cmake tests bench fuzz -name '*.cpp' -o -name '*.h' -o -name '*.hpp' | sort
}

python_files() {
  { find python tests bench fuzz -name '*.py'; grep -lE '^#!.*python' scripts/* .ci/* || true; } | sort
}

shell_files() {
  { echo scripts/common.sh; grep -rlE '^#!.*\bbash' scripts tests .ci || true; } | sort -u
}
