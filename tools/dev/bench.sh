# SPDX-License-Identifier: Apache-2.0
#
# ./dev bench: runs one program per *_bench.cc. Google Benchmark programs write JSON, plain ones text; both include the
# machine, the compiler and the commit. agent_bench_runtimes is a part of agent_bench with a result of its own.

verb_bench() {
  need_packages build bench
  build_preset release -DFLARESTACK_BENCH=ON
  cmake --build build/release --parallel "$JOBS" --target benches
  mkdir -p bench/results
  BENCH_FILES=()

  local source name missed=()
  while IFS= read -r source; do
    name="$(basename "$source" .cc)"
    (($# == 0)) || [[ " $* " == *" $name "* ]] || continue
    say "$name"
    if grep -q '<benchmark/benchmark.h>' "$source"; then
      bench_to_json "$name"
    else
      # Real messages, if there are any.
      [[ "$name" != codec_bench || -z "${BENCH_DATA:-}" ]] || BENCH_FILES=("$BENCH_DATA"/*.otlp)
      bench_to_text "$name" || missed+=("$name")
      BENCH_FILES=()
    fi
  done < <(find src bench -name '*_bench.cc' | sort)
  if (($# == 0)) || [[ " $* " == *" agent_bench_runtimes "* ]]; then
    say "agent_bench_runtimes"
    install_py_spy || true
    bench_to_text agent_bench_runtimes agent_bench --runtimes build/release/flarestack || missed+=(agent_bench_runtimes)
  fi
  ((${#missed[@]} == 0)) || say "limits missed: ${missed[*]}"
}

# Google Benchmark splits the context at commas, so it must not contain any.
bench_to_json() {
  local result="bench/results/$1.json" machine
  machine="$(machine)"
  "build/release/bench/$1" --benchmark_out="$result" --benchmark_out_format=json \
    --benchmark_context=machine="${machine//,/;}" \
    --benchmark_context=compiler="$(compiler)" \
    --benchmark_context=commit="$(commit)"
  # The host name is useless to readers; the CPU is included above.
  sed -i '/^ *"host_name":/d' "$result"
}

# bench_to_text RESULT [PROGRAM ARGUMENT...]
bench_to_text() {
  local result="bench/results/$1.txt" program="${2:-$1}"
  shift "$(($# > 1 ? 2 : 1))"
  {
    printf 'machine:  %s\ncompiler: %s\ncommit:   %s\ndate:     %s\n\n' \
      "$(machine)" "$(compiler)" "$(commit)" "$(date --utc +%Y-%m-%d)"
    "build/release/bench/$program" "$@" "${BENCH_FILES[@]}"
  } | tee "$result"
}

machine() {
  local model memory_kib
  model="$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)"
  memory_kib="$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)"
  printf '%s x %s, %d GiB, Linux %s' "$(nproc)" "${model:-$(uname -m)}" "$((memory_kib >> 20))" "$(uname -r)"
}

compiler() { g++ --version | head -n 1; }

commit() {
  local changed=""
  local head
  head="$(git rev-parse --short HEAD 2>/dev/null)" || { printf 'unknown'; return; }
  git diff --quiet HEAD -- src bench ':!bench/results' || changed="changed"
  printf '%s%s' "$head" "${changed:+ ($changed)}"
}
