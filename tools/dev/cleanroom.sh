# SPDX-License-Identifier: Apache-2.0
#
# ./dev cleanroom: proves that the tree needs nothing but a fresh Debian 12. A minimal system is made by debootstrap in
# build/cleanroom (or CLEANROOM_DIR), the tree is copied in, and ./dev test and ./dev run are called there. The tree has the path
# it has here, so a folder named by CLEANROOM_CCACHE, as the compiler cache of the room, serves builds outside of it as well.

verb_cleanroom() {
  (($(id -u) == 0)) || die "cleanroom needs root: it makes a root file system and enters it"
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

# The server does not end by itself: it has shown what it can once its last lines are there.
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
  # The shell of the room, which ends its server.
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
