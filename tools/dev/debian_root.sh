# SPDX-License-Identifier: Apache-2.0
#
# A minimal Debian in DEBIAN_ROOT, created with debootstrap, with the tree at the same path as here. Uses the package sources of
# this machine: its mirror, proxy, registry, keys and certificates.

DEBIAN_SUITE=bookworm
HOST_CERTIFICATES=/etc/ssl/certs/ca-certificates.crt

# Prints rows "URI RELEASE COMPONENT KEYRING" for the Debian sources of this machine.
debian_sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED_BY)' 'Created-By: Packages' |
    grep -E "^[^ ]+ $DEBIAN_SUITE(-updates|-security|/updates)? " | sort -u
}

# make_root [OPTION...]: passes options to debootstrap.
make_root() {
  local mirror keyring options=(--variant=minbase "$@")
  mirror="$(debian_sources | awk -v suite="$DEBIAN_SUITE" '$2 == suite && $3 == "main" { print $1; exit }')"
  keyring="$(debian_sources | awk -v suite="$DEBIAN_SUITE" '$2 == suite && $4 ~ /^\// { print $4; exit }')"
  [[ -n "$mirror" ]] || die "the apt configuration has no source for Debian $DEBIAN_SUITE"
  [[ -z "$keyring" ]] || options+=("--keyring=$keyring")
  with_apt_proxy debootstrap "${options[@]}" "$DEBIAN_SUITE" "$DEBIAN_ROOT" "$mirror" >"$(log_file debootstrap)" 2>&1 ||
    { tail -n 20 "$(log_file debootstrap)"; die "debootstrap failed; see build/log/debootstrap.log"; }
}

# debootstrap reads the proxy from the environment, but apt may have it in its own settings.
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
  rm -f "$DEBIAN_ROOT"/etc/apt/sources.list
  while read -r uri release component keyring; do
    if [[ "$keyring" == /* && -f "$keyring" ]]; then
      install -D -m 644 "$keyring" "$DEBIAN_ROOT$keyring"
      printf 'deb [signed-by=%s] %s %s %s\n' "$keyring" "$uri" "$release" "$component"
    else
      printf 'deb %s %s %s\n' "$uri" "$release" "$component"
    fi
  done < <(debian_sources) >"$DEBIAN_ROOT/etc/apt/sources.list"
  cp -r /etc/apt/trusted.gpg.d/. "$DEBIAN_ROOT/etc/apt/trusted.gpg.d/"
  apt-config dump | grep '^Acquire::.* "..*";$' >"$DEBIAN_ROOT/etc/apt/apt.conf.d/99host" || true
  for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    [[ ! -f "$file" ]] || install -D -m 644 "$file" "$DEBIAN_ROOT$file"
  done
  # The package ca-certificates overwrites the host's list, which npm needs, so keep a copy.
  [[ ! -f "$HOST_CERTIFICATES" ]] ||
    install -D -m 644 "$HOST_CERTIFICATES" "$DEBIAN_ROOT/etc/host-certificates.crt"
}

# Copies files that are committed or could be. Skips ignored files.
copy_tree() {
  mkdir -p "$DEBIAN_ROOT$PWD"
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      [[ ! -e "$file" ]] || printf '%s\0' "$file"
    done |
    tar --create --null --files-from=- | tar --extract --no-same-owner --directory "$DEBIAN_ROOT$PWD"
}

mount_kernel_filesystems() {
  mount -t proc proc "$DEBIAN_ROOT/proc"
  mount --bind /dev "$DEBIAN_ROOT/dev"
  mount --bind -o ro /sys "$DEBIAN_ROOT/sys"
  if [[ -n "${ROOT_CCACHE:-}" ]]; then
    mkdir -p "$ROOT_CCACHE" "$DEBIAN_ROOT/ccache"
    mount --bind "$ROOT_CCACHE" "$DEBIAN_ROOT/ccache"
  fi
}

in_root() {
  local name keep=()
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY FUZZ_SECONDS; do
    [[ -z "${!name:-}" ]] || keep+=("$name=${!name}")
  done
  [[ -z "${ROOT_CCACHE:-}" ]] || keep+=(CCACHE_DIR=/ccache)
  ! command -v npm >/dev/null || keep+=("npm_config_registry=$(npm config get registry)")
  [[ ! -f "$HOST_CERTIFICATES" ]] || keep+=(NODE_EXTRA_CA_CERTS=/etc/host-certificates.crt)
  env -i "${keep[@]}" CI=true HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$DEBIAN_ROOT" sh -c 'cd "$0" && exec "$@"' "$PWD" "$@" </dev/null
}

# Fails if something is still mounted in the root, which must not be removed then.
unmount_root() {
  local point
  for point in ccache sys dev proc; do
    if mountpoint -q "$DEBIAN_ROOT/$point"; then
      umount "$DEBIAN_ROOT/$point" || umount --lazy "$DEBIAN_ROOT/$point"
    fi
  done
  ! grep -q " $DEBIAN_ROOT/" /proc/self/mounts
}
