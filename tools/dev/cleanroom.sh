# SPDX-License-Identifier: Apache-2.0
#
# ./dev cleanroom: proves that the tree needs only a fresh Debian 12. Creates a minimal system with debootstrap in
# build/cleanroom (or CLEANROOM_DIR), copies the tree, and runs ./dev test and ./dev run there. The tree has the same path as
# here, so builds inside and outside can share the compiler cache CLEANROOM_CCACHE.

verb_cleanroom() {
  (($(id -u) == 0)) || die "cleanroom needs root: it creates a root file system and runs in it"
  need_packages cleanroom
  DEBIAN_ROOT="${CLEANROOM_DIR:-$PWD/build/cleanroom}/root"
  ROOT_CCACHE="${CLEANROOM_CCACHE:-}"
  trap leave_cleanroom EXIT
  trap 'exit 130' INT TERM
  leave_cleanroom
  mkdir -p "$(dirname "$DEBIAN_ROOT")"

  say "clean room: minimal Debian $DEBIAN_SUITE"
  make_root
  copy_apt_settings
  copy_tree
  mount_kernel_filesystems

  say "clean room: ./dev test"
  in_root ./dev test
  say "clean room: ./dev run"
  run_in_cleanroom
}

# The server runs until it is stopped. Stops it once it has printed its last lines.
run_in_cleanroom() {
  local log runner
  log="$(log_file cleanroom-run)"
  : >"$log"
  in_root ./dev run --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --http 127.0.0.1:0 >"$log" 2>&1 &
  runner=$!
  until grep -q 'All commands:' "$log"; do
    kill -0 "$runner" 2>/dev/null || break
    sleep 0.5
  done
  # Signals the shell in the clean room, which stops its server.
  pkill -TERM --parent "$runner" || true
  wait "$runner" || true
  cat "$log"
  grep -q 'All commands:' "$log" && grep -q ' request, ' "$log"
}

leave_cleanroom() {
  if unmount_root; then
    rm -rf --one-file-system "$DEBIAN_ROOT"
  else
    echo "dev: still mounted below $DEBIAN_ROOT; not removed" >&2
  fi
}
