# SPDX-License-Identifier: Apache-2.0
#
# The unit tests under the sanitizers: each program once with all its tests, not once for each of them as ctest would, because
# there a program takes longer to start than most of its tests to run. What is wrong when a program ends, such as memory that
# nobody freed, is seen too.

run_sanitized_tests() {
  local program programs=()
  if ! build_tests fuzz; then
    fail "build of preset fuzz"
    return
  fi
  # The large ones first, so that the last ones to end are small.
  mapfile -t programs < <(find build/fuzz -maxdepth 1 -name '*_test' -type f -printf '%s %f\n' | sort -rn | cut -d' ' -f2)
  for program in "${programs[@]}"; do
    while (($(jobs -rp | wc -l) >= JOBS)); do
      wait -n || true
    done
    sanitized_program_in_background "$program" &
  done
  wait
  for program in "${programs[@]}"; do
    judge_sanitized_program "$program"
  done
}

# Leaves the exit status in a file, because several run at once.
sanitized_program_in_background() {
  local log="$PWD/build/log/sanitized-$1" status=0
  mkdir -p build/log
  rm -f "$log".{log,xml,status}
  (cd build/fuzz &&
    UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1 \
      timeout 1200 "./$1" --gtest_output="xml:$log.xml") >"$log.log" 2>&1 </dev/null || status=$?
  echo "$status" >"$log.status"
}

judge_sanitized_program() {
  local log="build/log/sanitized-$1" status tests failures skipped name
  status="$(cat "$log.status" 2>/dev/null || echo "?")"
  if [[ ! -s "$log.xml" ]]; then
    fail "sanitized: $1 ended with status $status before its tests did"
    echo "$1: status $status; the end of $log.log:"
    tail -n 80 "$log.log" | tee -a "$(log_file failures)"
    return
  fi
  tests="$(sed -n 's/^<testsuites tests="\([0-9]*\)".*/\1/p' "$log.xml")"
  failures="$(sed -n 's/^<testsuites tests="[0-9]*" failures="\([0-9]*\)".*/\1/p' "$log.xml")"
  skipped="$(grep -c 'result="skipped"' "$log.xml" || true)"
  PASSED=$((PASSED + tests - failures - skipped))
  SKIPPED=$((SKIPPED + skipped))
  FAILED=$((FAILED + failures))
  echo "$1: $tests tests, $failures failed, $skipped skipped"
  while IFS= read -r name; do
    FAILURES+=("sanitized: $name")
    # From where it begins to where it ends.
    awk -v name="$name" 'index($0, "[ RUN      ] " name) == 1 { shows = 1 } shows; index($0, "[  FAILED  ] " name) == 1 { exit }' "$log.log" | tee -a "$(log_file failures)"
  done < <(sed -n 's/^\[  FAILED  \] \([^ ,]*\).* ([0-9]* ms)$/\1/p' "$log.log")
  if [[ "$status" != 0 ]] && ((failures == 0)); then
    fail "sanitized: $1 ended with status $status"
    tail -n 80 "$log.log" | tee -a "$(log_file failures)"
  fi
}
