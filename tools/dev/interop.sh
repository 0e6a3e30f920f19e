# SPDX-License-Identifier: Apache-2.0
#
# ./dev interop: compares our results with those of other programs, if available. Not part of ./dev test, which needs only
# Debian packages. Builds the other programs with Go in build/interop/: from a checkout in INTEROP_SOURCES (directories
# separated by colons), or else by module name. Frames of languages are compared with the profilers of their runtimes, which
# come with them, and with PyPI's py-spy.

verb_interop() {
  need_packages build checks
  build_preset release
  local failed=()
  say "frames of Python, Java and Node.js against the profilers of these runtimes"
  interop_runtimes || failed+=(runtimes)
  if ! command -v go >/dev/null; then
    echo "dev: Go is not installed; the other comparisons are skipped"
    ((${#failed[@]} == 0)) || die "differences: ${failed[*]}"
    return 0
  fi
  say "reports against go tool pprof"
  python3 tools/interop/pprof.py build/release/flarestack testdata/examples/checkout.pb.gz "$@" || failed+=(pprof)
  say "all signals through the OpenTelemetry Collector"
  interop_collector || failed+=(collector)
  say "a recording of this host through the OpenTelemetry Collector"
  interop_agent || failed+=(agent)
  say "pprof through the Collector's translator"
  interop_translator "$@" || failed+=(translator)
  say "flarestack check against other checkers"
  interop_checkers || failed+=(checkers)
  say "our output, checked by profcheck"
  interop_written "$@" || failed+=(written)
  ((${#failed[@]} == 0)) || die "differences: ${failed[*]}"
}

# Only root can record a process with all its frames.
interop_runtimes() {
  (($(id -u) == 0)) || { echo "skipped: recording needs root"; return 0; }
  mkdir -p build/interop/runtimes
  {
    printf 'machine:   %s\ncommit:    %s\ndate:      %s\n\n' "$(machine)" "$(commit)" "$(date --utc +%Y-%m-%d)"
    python3 tools/interop/runtimes.py --header
    local failed=0
    compare_python || failed=1
    compare_java || failed=1
    compare_node || failed=1
    python3 tools/interop/runtimes.py --notes
    ((failed == 0))
  } | tee bench/results/interop_runtimes.txt
}

# compare_runtime LANGUAGE RUNTIME [PROFILER]: at a high priority, because some profilers count the time that a thread waits for
# its CPU.
compare_runtime() {
  nice -n -10 python3 tools/interop/runtimes.py build/release/flarestack build/interop/runtimes "$@" 2>&1
}

# Debian's Python, and the newest of pyenv.
compare_python() {
  local python failed=0
  install_py_spy || { echo "python   skipped: no py-spy in PATH or on PyPI"; return 0; }
  for python in /usr/bin/python3 "$(find ~/.pyenv/versions -path '*/bin/python' 2>/dev/null | sort -V | tail -n 1)"; do
    [[ ! -x "$python" ]] || compare_runtime python "$python" build/interop/py-spy/bin/py-spy || failed=1
  done
  return "$failed"
}

install_py_spy() {
  local folder=build/interop/py-spy program
  [[ ! -x "$folder/bin/py-spy" ]] || return 0
  if program="$(command -v py-spy)"; then
    mkdir -p "$folder/bin"
    ln -s "$program" "$folder/bin/py-spy"
    return
  fi
  python3 -m pip install --quiet --only-binary=:all: --target "$folder" py-spy >"$(log_file py-spy)" 2>&1
}

compare_java() {
  local home count=0 failed=0
  if ! javac --release 11 -d build/interop/runtimes tools/runtimes/programs/{Shares,Busy}.java 2>"$(log_file interop-javac)"; then
    echo "java     skipped: no JDK to compile with"
    return 0
  fi
  for home in $(find /usr/lib/jvm -mindepth 1 -maxdepth 1 -type d | sort -V); do
    [[ -x "$home/bin/java" && -x "$home/bin/jfr" ]] || continue
    count=$((count + 1))
    compare_runtime java "$home/bin/java" || failed=1
  done
  ((count > 0)) || echo "java     skipped: no JDK with Flight Recorder in /usr/lib/jvm"
  return "$failed"
}

compare_node() {
  local node
  node="$(command -v node)" || { echo "node     skipped: not installed"; return 0; }
  compare_runtime node "$(realpath "$node")"
}

# source_checkout PATH: prints the directory PATH of the first checkout that has a Go module there.
source_checkout() {
  local folder
  while IFS= read -r -d : folder; do
    if [[ -n "$folder" && -e "$folder/$1/go.mod" ]]; then
      realpath "$folder/$1"
      return
    fi
  done <<<"${INTEROP_SOURCES:-}:"
  return 1
}

# build_with_go NAME [MODULE PATH]: builds tools/interop/NAME to build/interop/NAME/NAME, with MODULE from a checkout that has
# it at PATH. Prints a message and fails if the build fails.
build_with_go() {
  local folder="build/interop/$1" log checkout
  log="$(log_file "go-$1")"
  mkdir -p "$folder"
  cp "tools/interop/$1/go.mod" "tools/interop/$1/main.go" "$folder/"
  if (($# > 1)) && checkout="$(source_checkout "$3")"; then
    (cd "$folder" && go mod edit "-replace=$2=$checkout")
  fi
  # One compiler process at a time, so that the machine stays usable.
  if ! (cd "$folder" && CGO_ENABLED=0 GOFLAGS=-p=1 go build -buildvcs=false -mod=mod -o "$1" .) >"$log" 2>&1; then
    printf '\ncannot build %s; comparison skipped (%s)\n' "$1" "$log"
    return 1
  fi
}

# module_version NAME MODULE: prints the version of MODULE in the built program.
module_version() {
  go version -m "build/interop/$1/$1" | sed -n "s|^[[:space:]]*dep[[:space:]]*$2[[:space:]]*\([^[:space:]]*\).*|\1|p"
}

interop_collector() {
  build_with_go collector || return 0
  {
    interop_header
    printf 'collector: %s\n\n' "$(module_version collector go.opentelemetry.io/collector/otelcol)"
    python3 tools/interop/collector.py build/release/flarestack build/interop/collector/collector \
      testdata/examples/checkout.pb.gz
  } | tee bench/results/interop_collector.txt
}

# Only root can record the host. The checkers use these messages too.
interop_agent() {
  (($(id -u) == 0)) || { echo "skipped: recording this host needs root"; return 0; }
  [[ -x build/interop/collector/collector ]] || return 0
  rm -rf build/interop/recorded
  {
    interop_header
    printf 'collector: %s\n\n' "$(module_version collector go.opentelemetry.io/collector/otelcol)"
    python3 tools/interop/agent.py build/release/flarestack build/interop/collector/collector build/interop/recorded
  } | tee bench/results/interop_agent.txt
}

interop_checkers() {
  cmake --build --preset release --parallel "$JOBS" --target broken_messages || return 1
  rm -rf build/interop/messages
  mkdir -p build/interop/messages
  build/release/broken_messages build/interop/messages
  {
    interop_header
    local failed=0
    if build_with_go pprofiletest; then
      printf '\npprofiletest of pkg/pdatatest %s\n' \
        "$(module_version pprofiletest github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest)"
      compare_checkers pprofiletest build/interop/pprofiletest/pprofiletest || failed=1
    fi
    if install_profcheck; then
      printf '\nprofcheck %s\n' "$(go version -m build/interop/profcheck | awk '$1 == "mod" { print $3 }')"
      compare_checkers profcheck build/interop/profcheck -check-dupes || failed=1
    fi
    ((failed == 0))
  } | tee bench/results/interop_checkers.txt
}

compare_checkers() {
  python3 tools/interop/checkers.py build/release/flarestack build/interop/messages "$@"
}

interop_translator() {
  local module=github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/pprof
  build_with_go translator "$module" pkg/translator/pprof || return 0
  {
    interop_header
    printf 'translator: %s\n\n' "$(module_version translator "$module")"
    python3 tools/interop/translator.py build/release/flarestack build/interop/translator/translator \
      testdata/examples/checkout.pb.gz "$@"
  } | tee bench/results/interop_translator.txt
}

# Checks everything that this run has written so far, and each given pprof file as OTLP. Does not enable profcheck's search for
# orphans: it ignores references from values, and we keep unused mappings for the conversion back to pprof.
interop_written() {
  [[ -x build/interop/profcheck ]] || { echo "skipped: no profcheck"; return 0; }
  local file message failed=0 count=0
  mkdir -p build/interop/written
  rm -f build/interop/written/*
  for file in testdata/examples/checkout.pb.gz testdata/examples/checkout.folded "$@"; do
    build/release/flarestack convert "$file" "build/interop/written/$(basename "$file").otlp" 2>/dev/null || true
  done
  for message in build/interop/written/*.otlp build/interop/recorded/*.otlp; do
    [[ -e "$message" ]] || continue
    count=$((count + 1))
    build/interop/profcheck -check-dupes "$message" >"$(log_file profcheck)" 2>&1 && continue
    failed=$((failed + 1))
    printf '%s: %s\n' "$(basename "$message")" "$(head -n 1 "$(log_file profcheck)")"
  done
  printf '%d messages, %d rejected\n' "$count" "$failed"
  ((failed == 0))
}

# The module contains the program. It is not available everywhere.
install_profcheck() {
  local log checkout
  log="$(log_file go-profcheck)"
  if checkout="$(source_checkout profcheck)"; then
    (cd "$checkout" && CGO_ENABLED=0 GOFLAGS=-p=1 go build -buildvcs=false -o "$OLDPWD/build/interop/profcheck" ./cmd/profcheck) \
      >"$log" 2>&1 && return
    printf '\ncannot build profcheck from %s (%s)\n' "$checkout" "$log"
    return 1
  fi
  if ! GOBIN="$PWD/build/interop" CGO_ENABLED=0 GOFLAGS=-p=1 \
    go install github.com/open-telemetry/sig-profiling/profcheck/cmd/profcheck@latest >"$log" 2>&1; then
    printf '\nprofcheck is not available as a Go module; skipped (%s)\n' "$log"
    return 1
  fi
}

interop_header() {
  printf 'machine:   %s\ncompiler:  %s\ncommit:    %s\ndate:      %s\ngo:        %s\n' \
    "$(machine)" "$(compiler)" "$(commit)" "$(date --utc +%Y-%m-%d)" "$(go env GOVERSION)"
}
