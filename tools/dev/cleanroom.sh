# SPDX-License-Identifier: Apache-2.0
#
# ./dev cleanroom: proves that the tree needs nothing but a fresh Debian 12. A minimal system is made by debootstrap in
# build/cleanroom (or CLEANROOM_DIR), the tree is copied in, and ./dev test and ./dev run are called there. Packages come
# from where this machine gets them: its mirror, proxy, registry, keys and certificates are used. The tree has the path it
# has here, so a folder named by CLEANROOM_CCACHE, as the compiler cache of the room, serves builds outside of it as well.

CLEANROOM_SUITE=bookworm
CLEANROOM_CERTIFICATES=/etc/ssl/certs/ca-certificates.crt

verb_cleanroom() {
  (($(id -u) == 0)) || die "cleanroom needs root: it makes a root file system and enters it"
  need_packages cleanroom
  CLEANROOM="${CLEANROOM_DIR:-$PWD/build/cleanroom}/root"
  trap leave_cleanroom EXIT
  trap 'exit 130' INT TERM
  leave_cleanroom
  mkdir -p "$(dirname "$CLEANROOM")"

  say "clean room: minimal Debian $CLEANROOM_SUITE"
  make_root
  copy_apt_settings
  copy_tree
  mount_kernel_filesystems

  say "clean room: ./dev test"
  in_cleanroom ./dev test
  say "clean room: ./dev run"
  run_in_cleanroom
}

# The server does not end by itself: it has shown what it can once its last lines are there.
run_in_cleanroom() {
  local log runner
  log="$(log_file cleanroom-run)"
  : >"$log"
  in_cleanroom ./dev run --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --http 127.0.0.1:0 >"$log" 2>&1 &
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

# Rows "URI RELEASE COMPONENT KEYRING" of the Debian sources of this machine.
debian_sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED_BY)' 'Created-By: Packages' |
    grep -E "^[^ ]+ $CLEANROOM_SUITE(-updates|-security|/updates)? " | sort -u
}

make_root() {
  local mirror keyring options=(--variant=minbase)
  mirror="$(debian_sources | awk -v suite="$CLEANROOM_SUITE" '$2 == suite && $3 == "main" { print $1; exit }')"
  keyring="$(debian_sources | awk -v suite="$CLEANROOM_SUITE" '$2 == suite && $4 ~ /^\// { print $4; exit }')"
  [[ -n "$mirror" ]] || die "no source of Debian $CLEANROOM_SUITE in the apt configuration"
  [[ -z "$keyring" ]] || options+=("--keyring=$keyring")
  with_apt_proxy debootstrap "${options[@]}" "$CLEANROOM_SUITE" "$CLEANROOM" "$mirror" >"$(log_file debootstrap)" 2>&1 ||
    { tail -n 20 "$(log_file debootstrap)"; die "debootstrap failed; see build/log/debootstrap.log"; }
}

# debootstrap reads the proxy from the environment, apt perhaps from its own settings.
with_apt_proxy() {
  local proxy=""
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  if [[ -n "$proxy" && "$proxy" != DIRECT && -z "${http_proxy:-}" ]]; then
    http_proxy="$proxy" "$@"
  else
    "$@"
  fi
}

copy_apt_settings() {
  local uri release component keyring file
  rm -f "$CLEANROOM"/etc/apt/sources.list
  while read -r uri release component keyring; do
    if [[ "$keyring" == /* && -f "$keyring" ]]; then
      install -D -m 644 "$keyring" "$CLEANROOM$keyring"
      printf 'deb [signed-by=%s] %s %s %s\n' "$keyring" "$uri" "$release" "$component"
    else
      printf 'deb %s %s %s\n' "$uri" "$release" "$component"
    fi
  done < <(debian_sources) >"$CLEANROOM/etc/apt/sources.list"
  cp -r /etc/apt/trusted.gpg.d/. "$CLEANROOM/etc/apt/trusted.gpg.d/"
  apt-config dump | grep '^Acquire::.* "..*";$' >"$CLEANROOM/etc/apt/apt.conf.d/99host" || true
  for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    [[ ! -f "$file" ]] || install -D -m 644 "$file" "$CLEANROOM$file"
  done
  # The package ca-certificates writes its own list over that of the host, which npm needs as well.
  [[ ! -f "$CLEANROOM_CERTIFICATES" ]] ||
    install -D -m 644 "$CLEANROOM_CERTIFICATES" "$CLEANROOM/etc/host-certificates.crt"
}

# What is committed, and what could be: ignored files stay outside.
copy_tree() {
  mkdir -p "$CLEANROOM$PWD"
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      [[ ! -e "$file" ]] || printf '%s\0' "$file"
    done |
    tar --create --null --files-from=- | tar --extract --no-same-owner --directory "$CLEANROOM$PWD"
}

mount_kernel_filesystems() {
  mount -t proc proc "$CLEANROOM/proc"
  mount --bind /dev "$CLEANROOM/dev"
  mount --bind -o ro /sys "$CLEANROOM/sys"
  if [[ -n "${CLEANROOM_CCACHE:-}" ]]; then
    mkdir -p "$CLEANROOM_CCACHE" "$CLEANROOM/ccache"
    mount --bind "$CLEANROOM_CCACHE" "$CLEANROOM/ccache"
  fi
}

in_cleanroom() {
  local name keep=()
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY FUZZ_SECONDS; do
    [[ -z "${!name:-}" ]] || keep+=("$name=${!name}")
  done
  [[ -z "${CLEANROOM_CCACHE:-}" ]] || keep+=(CCACHE_DIR=/ccache)
  ! command -v npm >/dev/null || keep+=("npm_config_registry=$(npm config get registry)")
  [[ ! -f "$CLEANROOM_CERTIFICATES" ]] || keep+=(NODE_EXTRA_CA_CERTS=/etc/host-certificates.crt)
  env -i "${keep[@]}" CI=true HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$CLEANROOM" sh -c 'cd "$0" && exec "$@"' "$PWD" "$@" </dev/null
}

# Never removes a root with something still mounted in it.
leave_cleanroom() {
  local point
  for point in ccache sys dev proc; do
    if mountpoint -q "$CLEANROOM/$point"; then
      umount "$CLEANROOM/$point" || umount --lazy "$CLEANROOM/$point"
    fi
  done
  if grep -q " $CLEANROOM/" /proc/self/mounts; then
    echo "dev: still mounted below $CLEANROOM; not removed" >&2
    return
  fi
  rm -rf --one-file-system "$CLEANROOM"
}
