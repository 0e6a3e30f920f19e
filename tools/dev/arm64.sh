# SPDX-License-Identifier: Apache-2.0
#
# ./dev arm64: builds and tests for the other architecture: arm64 on x86-64, and x86-64 on arm64.
#
#   build     Debian's cross compiler, with libraries from a Debian of that architecture in build/ARCH/root
#   tests     unit and golden tests in that Debian, with user-mode emulation
#   recorder  its tests in an emulated machine with Debian's kernel, because user-mode emulation has no eBPF
#
# Writes the results to bench/results/ARCH.txt. Not part of ./dev test, because emulation is slow. Keeps the root for the next run.

# User-mode emulation has no eBPF, no seccomp, a different /proc, and does not release freed memory. These programs run in the
# emulated machine instead.
OTHER_IN_MACHINE=(base_test record_test symbol_test)
# Omits the tests that compare with the time a program took.
OTHER_RECORDER_TESTS='RecordStacks*:RecordDepth*:RecordFiles*:RecordCompilers*:RecordCommand*:RecordUsage*:DoctorTest.*'

verb_arm64() {
  (($(id -u) == 0)) || die "arm64 needs root: it creates a root file system and runs in it"
  if [[ "$(uname -m)" == x86_64 ]]; then
    OTHER=arm64 OTHER_PROCESSOR=aarch64
  else
    OTHER=amd64 OTHER_PROCESSOR=x86_64
  fi
  OTHER_DIR="$PWD/build/$OTHER"
  OTHER_RESULTS="$PWD/bench/results/$OTHER.txt"
  DEBIAN_ROOT="$OTHER_DIR/root"
  need_packages build test cleanroom "$OTHER"
  trap unmount_root EXIT
  trap 'exit 130' INT TERM
  mkdir -p "$OTHER_DIR"

  say "Debian $DEBIAN_SUITE for $OTHER"
  allow_other_programs
  make_other_root
  say "build for $OTHER"
  build_other
  install_other_tests
  mount_kernel_filesystems
  printf '%s, built on %s. Failed tests are listed below their program.\n\n' "$OTHER" "$(uname -m)" >"$OTHER_RESULTS"
  say "unit and golden tests, user-mode emulation"
  run_other_tests
  unmount_root
  say "recorder tests, emulated machine"
  run_other_machine
  say "results"
  cat "$OTHER_RESULTS"
  ! grep -q ' failed' "$OTHER_RESULTS"
}

# Lets the kernel run programs of the other architecture with qemu, even in a root without qemu (flag F).
allow_other_programs() {
  local entry="qemu-$OTHER_PROCESSOR" formats=/proc/sys/fs/binfmt_misc
  [[ -e "$formats/register" ]] || mount -t binfmt_misc binfmt_misc "$formats"
  [[ -e "$formats/$entry" ]] || cat "/usr/lib/binfmt.d/$entry.conf" >"$formats/register"
}

make_other_root() {
  local packages library
  [[ ! -e "$OTHER_DIR/root.complete" ]] || return 0
  unmount_root || die "still mounted below $DEBIAN_ROOT"
  rm -rf --one-file-system "$DEBIAN_ROOT"
  make_root "--arch=$OTHER"
  copy_apt_settings
  mount_kernel_filesystems
  packages="$(for purpose in build test; do packages_for "$purpose"; done | tr ' ' '\n' | grep -v chromium | tr '\n' ' ')"
  # shellcheck disable=SC2086
  chroot "$DEBIAN_ROOT" sh -c "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends $packages busybox-static iproute2" >"$(log_file "$OTHER-packages")" 2>&1 ||
    die "cannot install packages for $OTHER; see build/log/$OTHER-packages.log"
  unpack_other_kernel
  unmount_root
  # Absolute links such as libz.so -> /lib/... would point to the libraries of this machine.
  while IFS= read -r library; do
    ln -snfr "$DEBIAN_ROOT$(readlink "$library")" "$library"
  done < <(find "$DEBIAN_ROOT/usr/lib/$OTHER_PROCESSOR-linux-gnu" -type l -lname '/*')
  touch "$OTHER_DIR/root.complete"
}

# Unpacks the kernel without installing it: installing would build an initramfs for hardware that does not exist.
unpack_other_kernel() {
  local package
  package="$(chroot "$DEBIAN_ROOT" apt-cache depends "linux-image-$OTHER" | awk '/Depends:/ { print $2; exit }')"
  chroot "$DEBIAN_ROOT" sh -c "cd /root && apt-get download -q $package" >>"$(log_file "$OTHER-packages")" 2>&1 || die "no package $package"
  dpkg-deb --fsys-tarfile "$DEBIAN_ROOT"/root/"$package"_*.deb | tar --extract --keep-directory-symlink --directory "$DEBIAN_ROOT"
  rm "$DEBIAN_ROOT"/root/*.deb
}

build_other() {
  cmake -S . -B "$OTHER_DIR/dev" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/CrossCompile.cmake" \
    -DFLARESTACK_CROSS_PROCESSOR="$OTHER_PROCESSOR" -DFLARESTACK_CROSS_ROOT="$DEBIAN_ROOT" \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g" -DFLARESTACK_JOIN=ON >"$(log_file "$OTHER-cmake")"
  cmake --build "$OTHER_DIR/dev"
}

# Copies the tree and the programs to the same paths as here.
install_other_tests() {
  rm -rf "$DEBIAN_ROOT$PWD"
  copy_tree
  mkdir -p "$DEBIAN_ROOT$OTHER_DIR/dev"
  find "$OTHER_DIR/dev" -maxdepth 1 -type f -executable -exec cp -t "$DEBIAN_ROOT$OTHER_DIR/dev" {} +
}

other_unit_tests() { (cd "$OTHER_DIR/dev" && ls -d -- *_test | grep -v '^e2e_test$'); }

run_other_tests() {
  local test
  for test in $(other_unit_tests); do
    [[ " ${OTHER_IN_MACHINE[*]} " != *" $test "* ]] || continue
    in_root "$OTHER_DIR/dev/$test" --gtest_brief=1 >"$(log_file "$OTHER-$test")" 2>&1 || true
    note_other_result "$test" "$(log_file "$OTHER-$test")"
  done
  in_root "$OTHER_DIR/dev/e2e_test" --gtest_brief=1 --gtest_filter='*Golden*' >"$(log_file "$OTHER-golden")" 2>&1 || true
  note_other_result "golden tests" "$(log_file "$OTHER-golden")"
}

# note_other_result NAME LOG: writes a row of the table from the output of GoogleTest.
note_other_result() {
  local ran failed skipped
  ran="$(sed -n 's/^\[==========\] \([0-9]*\) tests\? from .* ran\..*/\1/p' "$2")"
  failed="$(grep -c '^\[  FAILED  \] .*ms)' "$2" || true)"
  skipped="$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) tests\?.*/\1/p' "$2" | head -n 1)"
  if [[ -z "$ran" ]]; then
    printf '%-16s failed: did not finish; see build/log\n' "$1"
  else
    printf '%-16s %5d passed %5d skipped' "$1" "$((ran - failed - ${skipped:-0}))" "${skipped:-0}"
    ((failed == 0)) || printf ' %5d failed' "$failed"
    printf '\n'
    sed -n 's/^\[  FAILED  \] \(.*\) ([0-9]* ms)$/    \1/p' "$2"
  fi | tee -a "$OTHER_RESULTS"
}

# Boots the kernel with a disk image and an initramfs that mounts the disk.
run_other_machine() {
  local log kernel test
  log="$(log_file "$OTHER-machine")"
  kernel="$(cd "$DEBIAN_ROOT/lib/modules" && ls | sort -V | tail -n 1)"
  write_machine_script
  make_first_filesystem "$kernel"
  truncate -s 12G "$OTHER_DIR/disk.img"
  mke2fs -q -F -t ext4 -d "$DEBIAN_ROOT" "$OTHER_DIR/disk.img"
  timeout 5400 "qemu-system-$OTHER_PROCESSOR" $(other_machine) -smp 2 -m 4096 -nic none -nographic -no-reboot \
    -kernel "$DEBIAN_ROOT/boot/vmlinuz-$kernel" -initrd "$OTHER_DIR/first.gz" \
    -drive "file=$OTHER_DIR/disk.img,format=raw,if=virtio,cache=unsafe" \
    -append "console=$(other_console) quiet panic=-1" </dev/null 2>&1 | stdbuf -o0 tr -d '\r' >"$log" || true
  printf '\nIn an emulated machine, Linux %s:\n' "$kernel" | tee -a "$OTHER_RESULTS"
  for test in "${OTHER_IN_MACHINE[@]}" e2e_test; do
    sed -n "/^begin $test\$/,/^end $test\$/p" "$log" >"$(log_file "$OTHER-machine-$test")"
    note_other_result "${test/e2e_test/recorder tests}" "$(log_file "$OTHER-machine-$test")"
  done
}

other_machine() {
  [[ "$OTHER" == arm64 ]] && echo "-machine virt -cpu max,pauth-impdef=on -accel tcg,thread=multi" || echo "-cpu max"
}

other_console() { [[ "$OTHER" == arm64 ]] && echo ttyAMA0 || echo ttyS0; }

write_machine_script() {
  {
    printf '#!/bin/sh\nexport HOME=/root CI=true FLARESTACK_EMULATED=1 GTEST_COLOR=no PATH=/usr/sbin:/usr/bin:/sbin:/bin\n'
    printf 'mount -t tmpfs tmp /tmp\nmount -t tracefs tracefs /sys/kernel/tracing\nmount -t cgroup2 cgroup2 /sys/fs/cgroup\n'
    printf 'ip link set lo up\ncd %s\n' "$PWD"
    local test
    for test in "${OTHER_IN_MACHINE[@]}"; do
      printf 'echo begin %s\n%s --gtest_brief=1\necho end %s\n' "$test" "$OTHER_DIR/dev/$test" "$test"
    done
    printf "echo begin e2e_test\n%s --gtest_brief=1 --gtest_filter='%s'\necho end e2e_test\n" "$OTHER_DIR/dev/e2e_test" \
      "$OTHER_RECORDER_TESTS"
    printf '/bin/busybox poweroff -f\n'
  } >"$DEBIAN_ROOT/run-tests"
  chmod +x "$DEBIAN_ROOT/run-tests"
}

make_first_filesystem() {
  local first="$OTHER_DIR/first" modules="lib/modules/$1"
  rm -rf "$first"
  mkdir -p "$first"/{bin,proc,sys,dev,new,"$modules"}
  cp "$DEBIAN_ROOT/bin/busybox" "$first/bin/"
  cp "$DEBIAN_ROOT/$modules"/modules.{builtin,builtin.modinfo,order} "$first/$modules/"
  (cd "$DEBIAN_ROOT/$modules" &&
    cp -r --parents kernel/drivers/virtio kernel/drivers/block/virtio_blk.ko kernel/fs/ext4 kernel/fs/jbd2 kernel/fs/mbcache.ko \
      kernel/lib kernel/crypto "$first/$modules/")
  depmod -b "$first" "$1"
  cat >"$first/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
modprobe -a virtio_pci virtio_mmio virtio_blk crc32c_generic ext4
mount -t ext4 /dev/vda /new || poweroff -f
mount --move /proc /new/proc
mount --move /sys /new/sys
mount --move /dev /new/dev
exec switch_root /new /run-tests
END
  chmod +x "$first/init"
  (cd "$first" && find . | cpio --quiet -o -H newc) | gzip -1 >"$OTHER_DIR/first.gz"
}
