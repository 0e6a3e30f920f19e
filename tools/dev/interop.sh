# SPDX-License-Identifier: Apache-2.0
#
# ./dev interop: our answers against those of other programs, where they are installed. Not part of ./dev test, which
# needs nothing but Debian's packages.

verb_interop() {
  need_packages build checks
  if ! command -v go >/dev/null; then
    echo "dev: no go on this machine; nothing to compare with"
    return 0
  fi
  build_preset release
  say "reports against go tool pprof"
  python3 tools/interop/pprof.py build/release/flarestack testdata/examples/checkout.pb.gz "$@"
}
