# SPDX-License-Identifier: Apache-2.0
#
# ./dev kernels [PACKAGE...]: records on other Debian kernels (default: that of linux-image-ARCH). qemu boots each one without
# acceleration, with the release build and busybox in an initramfs, records a busy shell and prints the result. Not part of
# ./dev test: an emulated kernel takes a minute or two.

verb_kernels() {
  need_packages kernels
  verb_build
  local packages=("$@") package failed=()
  ((${#packages[@]} > 0)) || packages=("$(default_kernel)")
  mkdir -p build/kernels
  make_kernel_root
  for package in "${packages[@]}"; do
    say "$package"
    try_kernel "$package" || failed+=("$package")
  done
  ((${#failed[@]} == 0)) || die "recording failed on: ${failed[*]}"
}

default_kernel() {
  apt-cache depends "linux-image-$(dpkg --print-architecture)" | awk '/Depends:/ { print $2; exit }'
}

# Creates build/kernels/root.gz: the program with its libraries, busybox, and an init script.
make_kernel_root() {
  local root=build/kernels/root library
  rm -rf "$root"
  mkdir -p "$root"/{bin,proc,sys,dev,tmp}
  strip -o "$root/bin/flarestack" build/release/flarestack
  cp /bin/busybox "$root/bin/"
  for library in $(ldd build/release/flarestack | grep -o '/[^ )]*'); do
    install -D "$library" "$root$library"
  done
  cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
ip link set lo up 2>/dev/null
echo
echo "kernel $(uname -r)"
flarestack doctor
sh -c 'while :; do :; done' &
flarestack record -a -d 10s -F 49 -o /tmp/all.otlp
echo "record ended with $?"
flarestack check --strict /tmp/all.otlp
flarestack top -n 12 /tmp/all.otlp
poweroff -f
END
  chmod +x "$root/init"
  (cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >build/kernels/root.gz
}

# Succeeds if the output shows a successful recording.
try_kernel() {
  local folder="build/kernels/$1" log
  log="$(log_file "kernel-$1")"
  if [[ ! -d "$folder" ]]; then
    (cd build/kernels && apt-get download "$1" >/dev/null 2>&1) || die "no package $1"
    dpkg-deb -x build/kernels/"$1"_*.deb "$folder"
    rm -f build/kernels/"$1"_*.deb
  fi
  timeout 900 "$(kernel_emulator)" $(kernel_machine) -smp 2 -m 2048 -nic none -nographic -no-reboot \
    -kernel "$folder"/boot/vmlinuz-* -initrd build/kernels/root.gz -append "$(kernel_arguments)" </dev/null >"$log" 2>&1 || true
  tr -d '\r' <"$log" | sed -n '/^kernel /,$p'
  grep -q 'record ended with 0' "$log"
}

kernel_emulator() {
  [[ "$(uname -m)" == aarch64 ]] && echo qemu-system-aarch64 || echo qemu-system-x86_64
}

kernel_machine() {
  [[ "$(uname -m)" == aarch64 ]] && echo "-machine virt -cpu max" || echo "-cpu max"
}

kernel_arguments() {
  local console=ttyS0
  [[ "$(uname -m)" != aarch64 ]] || console=ttyAMA0
  echo "console=$console quiet panic=-1"
}
