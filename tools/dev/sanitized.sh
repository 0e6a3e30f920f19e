# SPDX-License-Identifier: Apache-2.0
#
# The unit tests under the sanitizers. Each program runs once with all its tests, not once per test as ctest does, because a
# sanitized program takes longer to start than most of its tests to run. Leaks are reported when a program exits.

# Of the preset `fuzz`, which is clang with the sanitizers for addresses and undefined behaviour.
run_sanitized_tests() {
  if ! build_tests fuzz; then
    fail "build of preset fuzz"
    return
  fi
  # Largest first, so that the jobs end at about the same time.
  local programs=()
  mapfile -t programs < <(find build/fuzz -maxdepth 1 -name '*_test' -type f -printf '%s %f\n' | sort -rn | cut -d' ' -f2)
  run_sanitized_programs fuzz "${programs[@]}"
}

# The folders whose code runs in many threads, each with a filter for the suites that start threads. The single-threaded ones
# have run above. If the compiler cache is warm, there is time for the server as well.
THREAD_TESTS=(
  "store_test=Reopen*:*Concurrent*:*Reader*:LruCache*:ChunkMerge*"
  "net_test=*"
  "symbol_test=Symbolizer*:TableCache*:NameCache*:*Uploads*"
  "base_test=*Pool*:Parallel*:*Queue*:*Budget*:ByteLease*:*Counters*:*BusGuard*:*Log*:Mutex*:CondVar*:FileBytes*"
)

THREAD_TESTS_WITH_TIME=("server_test=*")

# Skip the last stages after this time: a run that is killed for its length reports nothing.
STAGES_SECONDS_MAX=3600
has_time() { ((SECONDS < STAGES_SECONDS_MAX)); }

run_thread_tests() {
  local entry programs=()
  if ! has_time; then
    SKIPPED=$((SKIPPED + 1))
    echo "skipped: the other stages took more than $((STAGES_SECONDS_MAX / 60)) minutes"
    return
  fi
  ((SECONDS >= STAGES_SECONDS_MAX / 2)) || THREAD_TESTS+=("${THREAD_TESTS_WITH_TIME[@]}")
  for entry in "${THREAD_TESTS[@]}"; do
    programs+=("${entry%%=*}")
  done
  if ! build_preset tsan -DFLARESTACK_JOIN=ON -DFLARESTACK_E2E=OFF --target "${programs[@]}"; then
    fail "build of preset tsan"
    return
  fi
  check_filters tsan "${THREAD_TESTS[@]}"
  run_sanitized_programs tsan "${THREAD_TESTS[@]}"
}

# check_filters PRESET PROGRAM=FILTER...: a pattern that matches no test is a failure, so that renaming a suite cannot drop it.
check_filters() {
  local preset="$1" entry pattern patterns
  shift
  for entry in "$@"; do
    IFS=: read -ra patterns <<<"${entry#*=}"
    for pattern in "${patterns[@]}"; do
      [[ "$("build/$preset/${entry%%=*}" --gtest_list_tests --gtest_filter="$pattern")" == *$'\n  '* ]] ||
        fail "$preset: no test of ${entry%%=*} matches $pattern"
    done
  done
}

# run_sanitized_programs PRESET PROGRAM[=FILTER]...
run_sanitized_programs() {
  local preset="$1" entry
  shift
  for entry in "$@"; do
    while (($(jobs -rp | wc -l) >= JOBS)); do
      wait -n || true
    done
    sanitized_program_in_background "$preset" "$entry" &
  done
  wait
  for entry in "$@"; do
    judge_sanitized_program "$preset" "${entry%%=*}"
  done
}

# Leaves the exit status in a file, because several run at once.
sanitized_program_in_background() {
  local preset="$1" program="${2%%=*}" filter="*" status=0
  [[ "$2" != *=* ]] || filter="${2#*=}"
  local log="$PWD/build/log/$preset-$program"
  mkdir -p build/log
  rm -f "$log".{log,xml,status}
  (
    export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1
    # Debian's libraries are not instrumented, so the sanitizer does not see the locks that order what they copy.
    export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ignore_noninstrumented_modules=1 suppressions=$PWD/tools/tsan.supp"
    cd "build/$preset" && timeout 1200 "./$program" --gtest_filter="$filter" --gtest_output="xml:$log.xml"
  ) >"$log.log" 2>&1 </dev/null || status=$?
  echo "$status" >"$log.status"
}

judge_sanitized_program() {
  local preset="$1" log="build/log/$1-$2" status tests failures skipped name
  shift
  status="$(cat "$log.status" 2>/dev/null || echo "?")"
  if [[ ! -s "$log.xml" ]]; then
    fail "$preset: $1 ended with status $status before its tests did"
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
    FAILURES+=("$preset: $name")
    # The output of this test only.
    awk -v name="$name" 'index($0, "[ RUN      ] " name) == 1 { shows = 1 } shows; index($0, "[  FAILED  ] " name) == 1 { exit }' "$log.log" | tee -a "$(log_file failures)"
  done < <(sed -n 's/^\[  FAILED  \] \([^ ,]*\).* ([0-9]* ms)$/\1/p' "$log.log")
  if [[ "$status" != 0 ]] && ((failures == 0)); then
    fail "$preset: $1 ended with status $status"
    tail -n 80 "$log.log" | tee -a "$(log_file failures)"
  fi
}
