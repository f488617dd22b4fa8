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

# At most so many at a time.
at_once=$(nproc)
begun=()         # names of tests that run or have ended, in their order
declare -A cases # of those that are test programs: PRESET and the file of results
took=()          # SECONDS NAME, of tests and builds

# begin NAME COMMAND…: starts a test, as soon as another one has ended where enough run.
begin() {
  local name=$1 log=build/results/$1.log
  shift
  while [[ $(jobs -rp | wc -l) -ge $at_once ]]; do wait -n || true; done
  mkdir -p "$(dirname "$log")"
  rm -f "$log.status"
  echo "== $name"
  {
    local status=0 start=$SECONDS
    "$@" > "$log" 2>&1 || status=$?
    echo "$status $((SECONDS - start))" > "$log.status"
  } &
  begun+=("$name")
}

# unit PRESET PROGRAM…: test programs of the preset, each case counted.
unit() {
  local preset=$1 name program xml
  shift
  for program in "$@"; do
    name=$preset/$(basename "$program")
    xml=build/results/$name.xml
    rm -f "$xml"
    cases[$name]="$xml $preset"
    begin "$name" "$program" --gtest_brief=1 --gtest_output="xml:$xml"
  done
}

# script NAME COMMAND…: one test; its output is shown if it fails. Exit code 77 says that it was left out, its last line
# why; `skipped: CASE (WHY)` in a line of its own says that of a part of it.
script() {
  begin "$@"
}

# timed NAME COMMAND…: what is no test but takes its time.
timed() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@"
  took+=("$((SECONDS - start)) $name")
}

# Waits for all that was begun, and counts it.
finish() {
  local name
  wait
  for name in "${begun[@]}"; do
    local log=build/results/$name.log status=1 seconds=0
    [[ ! -e $log.status ]] || read -r status seconds < "$log.status"
    took+=("$seconds $name")
    if [[ -n ${cases[$name]:-} ]]; then judge_program; else judge_script; fi
  done
  begun=()
}

judge_program() {
  local before=$failed xml preset
  read -r xml preset <<< "${cases[$name]}"
  if [[ $status -ne 0 ]]; then
    echo "== $name failed"
    cat "$log"
  fi
  [[ ! -e $xml ]] || count "$xml" "$preset"
  # A crash leaves no results, and a sanitizer complains beside the cases.
  [[ $status -eq 0 && -e $xml || $failed -gt $before ]] || failed=$((failed + 1))
}

judge_script() {
  local part why
  case $status in
    0) passed=$((passed + 1)) ;;
    77)
      skip "$name" "$(tail -1 "$log" | sed 's/^skipped: //')"
      return
      ;;
    *)
      echo "== $name failed"
      tail -60 "$log"
      failed=$((failed + 1))
      ;;
  esac
  while IFS=$'\t' read -r part why; do skip "$name/$part" "$why"; done \
    < <(sed -nE 's/^skipped: ([^ ]+) \((.*)\)$/\1\t\2/p' "$log")
}

# The ten that took longest, if they took a second.
slowest() {
  printf '%s\n' "${took[@]}" | sort -rn | awk '
    NR <= 10 && $1 > 0 { seconds = $1; $1 = ""; text = text (text == "" ? "" : ",") $0 " " seconds " s" }
    END { if (text != "") print "slowest:" text }'
}

# Behind all that was begun: the names of what was left out, those with the same reason together, and as the last line the counts.
summary() {
  local i j names text=
  finish
  slowest
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
