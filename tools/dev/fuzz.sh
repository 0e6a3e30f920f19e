# SPDX-License-Identifier: Apache-2.0
#
# libFuzzer targets. The corpus of target T is fuzz/corpus/T; fuzz/dict/T.dict is its optional dictionary.
# Crashing inputs are saved in build/fuzz/artifacts.

FUZZ_INPUT_BYTES_MAX=65536

fuzz_targets() {
  [[ ! -d src ]] || find src -name '*_fuzz.cc' -printf '%f\n' | sed 's/\.cc$//' | sort
}

# run_fuzz_target TARGET SECONDS CORPUS [OPTION...]: writes new inputs to CORPUS.
run_fuzz_target() {
  local target="$1" seconds="$2" corpus="$3" options=("${@:4}")
  [[ ! -f "fuzz/dict/$target.dict" ]] || options+=("-dict=fuzz/dict/$target.dict")
  mkdir -p build/fuzz/artifacts "$corpus"
  "build/fuzz/fuzz/$target" "${options[@]}" \
    -max_total_time="$seconds" -max_len="$FUZZ_INPUT_BYTES_MAX" -rss_limit_mb=2048 -timeout=10 \
    -artifact_prefix="build/fuzz/artifacts/$target-" -print_final_stats=1 -verbosity=0 \
    "$corpus"
}

# Like run_fuzz_target, but does not change the corpus of the tree. The seed is fixed, so that results depend on the change
# and not on luck; ./dev fuzz searches for new inputs.
smoke_fuzz_target() {
  local target="$1" seconds="$2" corpus status=0
  corpus="$(mktemp -d)"
  [[ ! -d "fuzz/corpus/$target" ]] || cp -r "fuzz/corpus/$target/." "$corpus"
  run_fuzz_target "$target" "$seconds" "$corpus" -seed=1 || status=$?
  rm -rf "$corpus"
  return "$status"
}

verb_fuzz() {
  local target="${1:-}" seconds="${2:-60}"
  fuzz_targets | grep -qx -- "$target" || die "usage: ./dev fuzz TARGET [SECONDS]; targets: $(fuzz_targets | tr '\n' ' ')"
  need_packages build test
  build_preset fuzz
  local before
  mkdir -p "fuzz/corpus/$target"
  before="$(find "fuzz/corpus/$target" -type f | wc -l)"
  run_fuzz_target "$target" "$seconds" "fuzz/corpus/$target"
  echo "fuzz/corpus/$target: $before inputs before, $(find "fuzz/corpus/$target" -type f | wc -l) now"
}
