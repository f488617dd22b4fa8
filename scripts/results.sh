# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/test counts; sourced behind common.sh. Whatever is left out is counted and named, too: a test that did not run
# must not look like one that passed.
passed=0
failed=0
skipped=() # names, and in the same order why
reasons=()

# skip NAME WHY: a test that is left out, and what it lacks.
skip() {
  echo "== $1 is left out: $2"
  skipped+=("$1")
  reasons+=("$2")
}

# count XML PREFIX: the cases of a GoogleTest or JUnit result file; those that skipped themselves are named PREFIX/CASE.
count() {
  local name why counts
  {
    read -r -a counts
    passed=$((passed + counts[0]))
    failed=$((failed + counts[1]))
    while IFS=$'\t' read -r name why; do skip "$2/$name" "$why"; done
  } < <(scripts/count_tests "$1")
}

# unit PRESET PROGRAM…: test programs of the preset, each case counted.
unit() {
  local preset=$1 results=build/$1/results name xml program before
  rm -rf "$results"
  mkdir -p "$results"
  shift
  for program in "$@"; do
    name=$(basename "$program")
    xml=$results/$name.xml
    before=$failed
    echo "== $name ($preset)"
    if "$program" --gtest_brief=1 --gtest_output="xml:$xml" > "$results/$name.log" 2>&1; then
      count "$xml" "$preset"
    else
      cat "$results/$name.log"
      [[ ! -e $xml ]] || count "$xml" "$preset"
      # A crash leaves no results, and a sanitizer complains beside the cases.
      [[ $failed -gt $before ]] || failed=$((failed + 1))
    fi
  done
}

# script NAME COMMAND…: one test; its output is shown if it fails. Exit code 77 says that it was left out, its last line
# why; `skipped: CASE (WHY)` in a line of its own says that of a part of it.
script() {
  local name=$1 log=build/results/$1.log status=0 part why
  shift
  mkdir -p "$(dirname "$log")"
  echo "== $name"
  "$@" > "$log" 2>&1 || status=$?
  case $status in
    0) passed=$((passed + 1)) ;;
    77)
      skip "$name" "$(tail -1 "$log" | sed 's/^skipped: //')"
      return
      ;;
    *)
      tail -60 "$log"
      echo "== $name failed: $*"
      failed=$((failed + 1))
      ;;
  esac
  while IFS=$'\t' read -r part why; do skip "$name/$part" "$why"; done \
    < <(sed -nE 's/^skipped: ([^ ]+) \((.*)\)$/\1\t\2/p' "$log")
}

# The names of what was left out, those with the same reason together, and as the last line the counts.
summary() {
  local i j names text=
  for i in "${!skipped[@]}"; do
    names=
    for j in "${!skipped[@]}"; do
      [[ ${reasons[j]} == "${reasons[i]}" ]] || continue
      # Named where its reason stood first.
      [[ $j -ge $i ]] || continue 2
      names+=${names:+, }${skipped[j]}
    done
    text+="${text:+; }$names (${reasons[i]})"
  done
  [[ -z $text ]] || echo "skipped: $text"
  [[ ${#skipped[@]} -eq 0 ]] || text=", ${#skipped[@]} skipped"
  echo "$passed passed, $failed failed$text"
  [[ $failed -eq 0 ]]
}
