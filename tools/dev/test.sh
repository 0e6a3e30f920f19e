# SPDX-License-Identifier: Apache-2.0
#
# ./dev test: checks, tests, sanitized tests, fuzz targets, clang-tidy. A failing stage does not stop the later ones. The end of
# the output repeats the failures; its last line is "N passed, N failed, N skipped" over all stages.

PASSED=0
FAILED=0
SKIPPED=0
FAILURES=()
COSTS=()

verb_test() {
  need_packages build test bench checks lint
  : >"$(log_file failures)"
  stage "checks" run_checks
  stage "pages" run_ui_check
  stage "tests" run_ctest dev
  stage "pages in a browser" run_browser_tests
  # Both stages use one build: the preset `fuzz` is clang with the sanitizers. The end-to-end tests would take as long as all
  # other stages; `cmake --workflow --preset asan` runs them with sanitizers.
  stage "unit tests with address and undefined-behaviour sanitizers" run_sanitized_tests
  stage "fuzz targets, ${FUZZ_SECONDS:-5} seconds each" run_fuzz_targets
  stage "tests of threads with the thread sanitizer" run_thread_tests
  stage "clang-tidy on the files changed last" run_lint

  local failure
  say "cost of each stage"
  printf '%s\n' "${COSTS[@]}"
  ((FAILED == 0)) || say "failed"
  tail -n 200 "$(log_file failures)"
  for failure in "${FAILURES[@]}"; do
    printf '  %s\n' "$failure"
  done
  printf '\n%d passed, %d failed, %d skipped\n' "$PASSED" "$FAILED" "$SKIPPED"
  ((FAILED == 0))
}

# stage NAME COMMAND...: runs the command and prints how long it took.
stage() {
  local name="$1" begin="$SECONDS"
  shift
  say "$name"
  "$@"
  COSTS+=("$(printf '%6d s  %s' "$((SECONDS - begin))" "$name")")
  printf -- '-- %s: %d s\n' "$name" "$((SECONDS - begin))"
}

# The tests that kill the server, with more rounds than in ./dev test.
verb_crash() {
  local rounds="${1:-1000}"
  [[ "$rounds" =~ ^[1-9][0-9]*$ ]] || die "usage: ./dev crash [ROUNDS]"
  need_packages build test
  build_preset dev --target e2e_test
  FLARESTACK_CRASH_ROUNDS="$rounds" build/dev/e2e_test --gtest_filter='Crash.*:DiskTest.*'
}

pass() { PASSED=$((PASSED + 1)); }

fail() {
  FAILED=$((FAILED + 1))
  FAILURES+=("$1")
}

run_checks() {
  local check
  for check in "${CHECKS[@]}"; do
    if "$check"; then
      pass
      echo "$check: ok"
    else
      fail "$check"
    fi
  done
}

# Format, lint rules, types, tests, build and size of the pages. Skipped without npm or its packages.
run_ui_check() {
  if ! have_npm; then
    SKIPPED=$((SKIPPED + 1))
    echo "skipped: npm is missing and cannot be installed; see build/log/npm.log"
  elif ! install_ui_packages; then
    SKIPPED=$((SKIPPED + 1))
    echo "skipped: the packages of the pages cannot be installed; see build/log/ui-packages.log"
  elif check_ui; then
    pass
  else
    fail "pages"
  fi
}

# The program of the preset dev embeds the pages that the stage "pages" built.
run_browser_tests() {
  local report="$PWD/build/log/browser.tap" status=0
  if ! have_npm || ! ui_packages_are_there; then
    SKIPPED=$((SKIPPED + 1))
    echo "skipped: npm or the packages of the pages are missing"
    return
  fi
  rm -f "$report"
  browser_tests "$report" || status=$?
  if ((status == 77)); then
    SKIPPED=$((SKIPPED + 1)) # the runner has printed the reason
  elif ! grep -q '^# pass ' "$report" 2>/dev/null; then
    fail "the browser tests wrote no report"
  else
    count_tap "browser" "$report"
    # The report has no errors from outside of tests.
    ((status == 0 || $(tap_number "$report" fail) > 0)) || fail "the tests in a browser ended with status $status"
  fi
}

# Adds the numbers of a TAP report, as node writes it.
count_tap() {
  local name
  PASSED=$((PASSED + $(tap_number "$2" pass)))
  FAILED=$((FAILED + $(tap_number "$2" fail) + $(tap_number "$2" cancelled)))
  SKIPPED=$((SKIPPED + $(tap_number "$2" skipped)))
  while IFS= read -r name; do
    FAILURES+=("$1: $name")
  done < <(sed -n 's/^not ok [0-9]* - //p' "$2")
  awk '/^(ok|not ok|#|1\.\.)/ { shown = /^not ok/ } shown' "$2" >>"$(log_file failures)"
}

tap_number() { sed -n "s/^# $2 \([0-9]*\)$/\1/p" "$1" | tail -n 1 | grep . || echo 0; }

# build_tests PRESET: if the build folder is new, compiles files together, which takes half the time. A folder that was set up
# before, with cmake --preset dev, keeps its options.
build_tests() {
  local options=()
  [[ -e "build/$1/CMakeCache.txt" ]] || options+=(-DFLARESTACK_JOIN=ON)
  build_preset "$1" "${options[@]}"
}

# run_ctest PRESET: a build that fails counts as one failure.
run_ctest() {
  local preset="$1" report="$PWD/build/$1/ctest.xml"
  if ! build_tests "$preset"; then
    fail "build of preset $preset"
    return
  fi
  rm -f "$report"
  ctest --preset "$preset" --parallel "$JOBS" --output-junit "$report" || true
  if [[ ! -s "$report" ]]; then
    fail "ctest of preset $preset wrote no report"
    return
  fi
  count_ctest "$preset" "$report"
}

# Adds the numbers of a JUnit report: its first tag has tests=, failures=, disabled= and skipped=.
count_ctest() {
  local preset="$1" report="$2" name tests failures skipped
  tests="$(junit_number "$report" tests)"
  failures="$(junit_number "$report" failures)"
  skipped="$(($(junit_number "$report" skipped) + $(junit_number "$report" disabled)))"
  PASSED=$((PASSED + tests - failures - skipped))
  SKIPPED=$((SKIPPED + skipped))
  while IFS= read -r name; do
    FAILURES+=("$preset: $name")
  done < <(sed -n 's/.*<testcase name="\([^"]*\)".* status="fail".*/\1/p' "$report")
  FAILED=$((FAILED + failures))
  if can_record && grep -qE "$NO_RECORDING" "$report"; then
    fail "$preset: tests of the recorder were skipped, but this host can record"
  fi
  awk '/<testcase .* status="fail"/ { shown = 1 } shown; /<\/testcase>/ { shown = 0 }' "$report" >>"$(log_file failures)"
}

# The reasons that WhyNoRecording() returns (src/record/testing/recording_here.cc), and those of tests that trace a process.
NO_RECORDING='recording needs root|does not describe its types|no perf events of all processes|no BPF ring buffers'
NO_RECORDING+='|not permitted to trace|ptrace is not permitted|may not be traced|needs the rights of ptrace'

# Root with CAP_SYS_ADMIN, on a kernel that describes its types.
can_record() {
  local capabilities
  capabilities="$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)"
  ((EUID == 0)) && [[ -r /sys/kernel/btf/vmlinux ]] && (((16#$capabilities >> 21 & 1) == 1))
}

# clang-tidy takes most of an hour for all files (./dev lint), so ./dev test checks only the last changed ones.
LINT_FILES_MAX=8

run_lint() {
  local files=()
  mapfile -t files < <(changed_sources | head -n "$LINT_FILES_MAX")
  if ((${#files[@]} == 0)); then
    SKIPPED=$((SKIPPED + 1))
    echo "skipped: git names no C++ file that changed"
  elif ! has_time; then
    SKIPPED=$((SKIPPED + 1))
    echo "skipped: the other stages took more than $((STAGES_SECONDS_MAX / 60)) minutes"
  elif lint_files "${files[@]}" >"$(log_file lint)" 2>&1; then
    pass
    printf '%s: ok\n' "${files[@]}"
  else
    fail "clang-tidy"
    tail -n 80 "$(log_file lint)" | tee -a "$(log_file failures)"
  fi
}

# The C++ sources that the working tree and the last commits changed: those in src/ first, then the newest.
changed_sources() {
  local file files=()
  mapfile -t files < <({
    git diff --name-only HEAD
    git ls-files --others --exclude-standard
    git log -n 30 --format= --name-only
  } 2>/dev/null | grep '\.cc$' | awk '!seen[$0]++')
  for file in "${files[@]}"; do
    [[ ! -e "$file" || "$file" != src/* ]] || echo "$file"
  done
  for file in "${files[@]}"; do
    [[ ! -e "$file" || "$file" == src/* ]] || echo "$file"
  done
}

junit_number() { sed -n "s/^[[:space:]]*$2=\"\([0-9]*\)\".*/\1/p; s/.*<testsuite .* $2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1; }

run_fuzz_targets() {
  local target targets=() seconds="${FUZZ_SECONDS:-5}"
  mapfile -t targets < <(fuzz_targets)
  if ((${#targets[@]} == 0)); then
    echo "no fuzz targets"
    return
  fi
  if ! build_preset fuzz; then
    fail "build of preset fuzz"
    return
  fi
  for target in "${targets[@]}"; do
    while (($(jobs -rp | wc -l) >= JOBS)); do
      wait -n || true
    done
    fuzz_in_background "$target" "$seconds" &
  done
  wait
  for target in "${targets[@]}"; do
    judge_fuzz_target "$target"
  done
}

# Leaves the exit status in a file, because several run at once.
fuzz_in_background() {
  local status=0
  rm -f "build/log/$1.status"
  smoke_fuzz_target "$1" "$2" >"$(log_file "$1")" 2>&1 </dev/null || status=$?
  echo "$status" >"build/log/$1.status"
}

judge_fuzz_target() {
  local log runs
  log="$(log_file "$1")"
  if [[ "$(cat "build/log/$1.status" 2>/dev/null)" == 0 ]]; then
    runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    pass
    echo "$1: ok, ${runs:-0} inputs"
  else
    fail "$1"
    echo "$1: failed; the end of $log:"
    tail -n 40 "$log" | tee -a "$(log_file failures)"
  fi
}
