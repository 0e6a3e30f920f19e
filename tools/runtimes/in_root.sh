#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# in_root.sh ROOT COMMAND...: runs a command that may chroot to ROOT, which has the kernel's file systems and this tree at its
# path meanwhile. Mounts end with the command.
set -euo pipefail
export ROOT="$1"
shift
exec unshare --mount --propagation private bash -c '
  set -e
  mkdir -p "$ROOT/proc" "$ROOT/dev" "$ROOT/tmp" "$ROOT$PWD"
  mount -t proc proc "$ROOT/proc"
  mount --rbind /dev "$ROOT/dev"
  mount --bind "$PWD" "$ROOT$PWD"
  exec "$@"' in_root "$@"
